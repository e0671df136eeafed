// SPDX-License-Identifier: Apache-2.0
// Jobs of packets: who stamps them, what keeps them, and what packets of other jobs do not reach. Firmware is a script
// here, so all of this is the hardware's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "hw/engine/packing.h"
#include "hw/format/check_word.h"
#include "hw/input_error.h"
#include "hw/ni/waiting_observer.h"
#include "testbench/unit/hw/ni/ni_bench.h"

namespace polycast::hw::ni {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr std::uint32_t red = 0x11223344, blue = 0xaabbccdd;

/// Processes 0 and 2 are red's, 1 is blue's.
ni_params with_jobs() {
    ni_params params = small_link();
    params.processes = 3;
    params.jobs = true;
    return params;
}

void set_job(single& s, unsigned process, std::uint32_t job) {
    s.chip.poke(test_chip::grant(process) + NI_HOST_GRANT_JOB, job);
}

struct bench : single {
    explicit bench(const ni_params& params = with_jobs()) : single(params) {
        for (const unsigned process : {0u, 1u, 2u}) {
            set_job(*this, process, process == 1 ? blue : red);
            chip.open_window(process, 0, 1000u * process, 500, 3);
        }
    }
    std::uint32_t address(std::uint32_t slot) {
        return NI_PACKET_MEMORY_BASE + slot * slot_bytes(chip.interface.params());
    }
    /// A send slot with a packet of 12 bytes of `process`, as its header says.
    std::uint32_t packet_of(unsigned process, format::transport_op op = format::transport_op::data) {
        const std::uint32_t slot = load(NI_SLOT_ALLOCATE);
        store(address(slot), 12u << 16);
        store(address(slot) + 4, 1);
        store(address(slot) + 0x10, static_cast<std::uint32_t>(op) | process << 16);
        store(address(slot) + 0x14, format::no_group);
        return slot;
    }
    /// \returns the event that tells of the end.
    std::uint32_t transfer(std::uint32_t slot, unsigned process, bool to_host) {
        store(NI_DMA_WINDOW, process << NI_DMA_WINDOW_PROCESS_SHIFT);
        store(NI_DMA_OFFSET, 0);
        store(NI_DMA_ADDRESS, address(slot) + slot_header_bytes);
        store(NI_DMA_LENGTH, 12);
        store(NI_DMA_PUSH, NI_DMA_PUSH_NOTIFY_MASK | (to_host ? NI_DMA_PUSH_TO_HOST_MASK : 0));
        run(now + 20);
        return load(NI_EVENT) >> NI_EVENT_KIND_SHIFT;
    }
    void push(std::uint32_t slot, std::uint32_t to = 3, bool seal = true) {
        store(NI_LINK_DESTINATION, to);
        store(NI_LINK_HOPS, 7);
        store(NI_LINK_PUSH, slot | (seal ? NI_LINK_PUSH_SEAL_MASK : 0));
    }
    /// What has left, as its receiver reads it. \returns the job and the status of each.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> left() {
        run(now + 60);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> seen;
        for (const sent_packet& one : sent) {
            ni_params there = chip.interface.params();
            arrival from;
            from.packet.flits = one.data;
            if (there.header_bytes != 0) from.packet.header = one.header;
            there.host = format::destination_of(there.header_bytes != 0 ? one.header.data() : one.data.data());
            from.flits = one.data.size() / there.flit_bytes;
            received_packet view;
            const std::uint32_t status = parse_packet(there, from, view);
            seen.emplace_back(view.job.size() == 4 ? get_bytes(view.job.data(), 4) : 0, status);
        }
        sent.clear();
        return seen;
    }
    /// Something comes from host 5.
    void arrive(std::uint32_t job, unsigned process, std::uint16_t group = format::no_group, unsigned from = 0,
                format::transport_op op = format::transport_op::data, bool flip = false) {
        const ni_params& params = chip.interface.params();
        byte_list slot(slot_bytes(params));
        put_bytes(slot.data(), 4, 12u << 16);
        put_bytes(&slot[4], 4, 5);
        put_bytes(&slot[0x10], 4, static_cast<std::uint32_t>(op) | process << 8 | from << 16);
        put_bytes(&slot[0x14], 4, group);
        link_packet packet;
        build_packet(params, slot, {.destination = 1, .hops = 9, .seal = true, .job = job}, packet);
        if (flip) packet.flits[packet.flits.size() - 12] ^= 1;
        send_in(packet);
        run(now + 20);
    }
    /// Slot of the packet that the next event tells of, which must be there.
    std::uint32_t taken() {
        const std::uint32_t event = load(NI_EVENT);
        EXPECT_EQ(event >> NI_EVENT_KIND_SHIFT, NI_EVENT_PACKET);
        return event & NI_EVENT_ARGUMENT_MASK;
    }
    std::uint32_t job_of(std::uint32_t slot) { return load(NI_SLOT_JOBS_BASE + 4 * slot); }
    std::uint32_t refused(unsigned process) {
        return chip.peek(test_chip::grant(process) + NI_HOST_GRANT_JOBS_REFUSED);
    }
};

// --- stamps ---

TEST(jobs, a_packet_leaves_with_the_job_of_the_process_whose_bytes_it_has) {
    bench b;
    const std::uint32_t slot = b.packet_of(0);  // so its header says
    EXPECT_EQ(b.transfer(slot, 1, false), NI_EVENT_DMA_DONE);
    b.push(slot);
    EXPECT_THAT(b.left(), ElementsAre(Pair(blue, 0u)));
}

TEST(jobs, a_packet_without_a_transfer_leaves_with_the_job_of_the_process_that_it_names) {
    bench b;
    b.push(b.packet_of(1, format::transport_op::control));
    b.push(b.packet_of(2, format::transport_op::control));
    b.push(b.packet_of(3, format::transport_op::control));  // there is none
    EXPECT_THAT(b.left(), ElementsAre(Pair(blue, 0u), Pair(red, 0u), Pair(0u, 0u)));
}

TEST(jobs, nothing_changes_a_stamp) {
    bench b;
    const std::uint32_t fetched = b.packet_of(1);
    EXPECT_EQ(b.transfer(fetched, 1, false), NI_EVENT_DMA_DONE);
    const std::uint32_t pushed = b.packet_of(1, format::transport_op::control);
    b.do_now([&] {
        b.chip.cpu->store(NI_SLOT_HOLD, pushed | 1u << NI_SLOT_HOLD_REFERENCES_SHIFT);
        b.chip.cpu->store(NI_LINK_DESTINATION, 3);
        b.chip.cpu->store(NI_LINK_PUSH, pushed | NI_LINK_PUSH_SEAL_MASK);
        // Until then firmware and manager have time to change what the job came from.
        b.chip.cpu->store(b.address(pushed) + 0x10, 0x01);
        b.chip.poke(test_chip::grant(1) + NI_HOST_GRANT_JOB, 0x77);
    });
    b.push(fetched);
    b.push(pushed);
    EXPECT_THAT(b.left(), ElementsAre(Pair(blue, 0u), Pair(blue, 0u), Pair(blue, 0u)));
    EXPECT_FALSE(b.chip.interface.slot_used(pushed));
    EXPECT_EQ(b.job_of(pushed), 0u) << "the slot is free";
}

TEST(jobs, firmware_cannot_write_jobs) {
    bench b;
    b.do_now([&] {
        EXPECT_FALSE(b.chip.cpu->bus().store(b.now, NI_SLOT_JOBS_BASE, 4, red));
        std::uint32_t value = 0;
        EXPECT_FALSE(b.chip.cpu->bus().load(b.now, NI_SLOT_JOBS_BASE, 1, value));
        EXPECT_FALSE(b.chip.cpu->bus().load(b.now, NI_SLOT_JOBS_BASE + NI_SLOT_JOBS_SIZE, 4, value));
    });
    b.store(NI_JOB + NI_JOB_STRIDE, red);
    EXPECT_EQ(b.load(NI_JOB), red);
    EXPECT_EQ(b.load(NI_JOB + NI_JOB_STRIDE), blue);
    EXPECT_EQ(b.load(NI_JOB + 3 * NI_JOB_STRIDE), 0u) << "no such process";
    EXPECT_EQ(b.load(NI_OPTIONS), NI_OPTIONS_JOBS_MASK);
}

/// Forwarded, or turned round into an answer, with whatever firmware writes into the slot.
TEST(jobs, what_is_made_of_a_received_packet_keeps_its_job) {
    for (const format::check_cover cover : {format::check_cover::payload, format::check_cover::route}) {
        for (const bool free : {false, true}) {
            ni_params params = with_jobs();
            params.check = cover;
            if (free) params.header_bytes = format::free_header_bytes(params.header_shape());
            bench b(params);
            b.arrive(red, 0);
            const std::uint32_t slot = b.taken();
            EXPECT_EQ(b.job_of(slot), red);
            b.store(NI_SLOT_HOLD, slot | 1u << NI_SLOT_HOLD_REFERENCES_SHIFT);
            b.push(slot, 6, false);
            EXPECT_THAT(b.left(), ElementsAre(Pair(red, 0u))) << "its check word is right, with another route and hops";
            b.store(b.address(slot) + 0x10, 0x01 | 1u << 16);  // from blue's process, it says
            b.push(slot, 5);
            EXPECT_THAT(b.left(), ElementsAre(Pair(red, 0u)));
        }
    }
}

// --- reception ---

TEST(jobs, a_packet_of_another_job_is_dropped_counted_and_told_to_nobody) {
    bench b;
    b.arrive(blue, 0);
    EXPECT_EQ(b.load(NI_EVENT), 0u);
    EXPECT_EQ(b.chip.interface.slots_used(), 0u);
    EXPECT_EQ(b.load(NI_ERRORS), 0u);
    EXPECT_EQ(b.refused(0), 1u);
    EXPECT_EQ(b.refused(1), 0u);
    EXPECT_EQ(b.chip.peek(NI_HOST_DEVICE_JOBS_REFUSED), 1u);
    EXPECT_EQ(b.chip.interface.statistics().jobs_refused, 1u);
    EXPECT_EQ(b.credit_cycles.size(), 2u) << "as for any packet of 2 + 6 flits";
    b.arrive(blue, 1);
    EXPECT_EQ(b.job_of(b.taken()), blue);
}

/// Its lists are those of the process with the number that the packet's source has.
TEST(jobs, of_a_group_the_sending_process_counts) {
    bench b;
    b.arrive(red, 0, 4, 1);
    EXPECT_EQ(b.load(NI_EVENT), 0u);
    EXPECT_EQ(b.refused(1), 1u);
    b.arrive(blue, 0, 4, 1);
    EXPECT_EQ(b.job_of(b.taken()), blue);
}

TEST(jobs, firmware_judges_what_is_for_no_process_or_between_firmwares_or_damaged) {
    bench b;
    b.arrive(blue, 3);
    b.taken();
    b.arrive(blue, 0, 99, 0, format::transport_op::control);
    EXPECT_EQ(b.job_of(b.taken()), blue);
    b.arrive(blue, 0, format::no_group, 0, format::transport_op::data, true);
    EXPECT_EQ(b.load(b.address(b.taken()) + 0x2c) & 0xffff, static_cast<std::uint32_t>(packet_status::bad_check));
    EXPECT_EQ(b.chip.peek(NI_HOST_DEVICE_JOBS_REFUSED), 0u);
    b.store(NI_JOB_REFUSED, 1);
    b.store(NI_JOB_REFUSED, 3);
    EXPECT_EQ(b.refused(1), 1u) << "firmware has dropped one";
    EXPECT_EQ(b.chip.peek(NI_HOST_DEVICE_JOBS_REFUSED), 1u);
}

/// A packet that waits for a slot is judged when it has one; the next one gets that.
TEST(jobs, those_that_wait_for_a_slot_too) {
    ni_params params = with_jobs();
    params.receive_slots = 1;
    bench b(params);
    b.arrive(red, 0);
    b.arrive(blue, 0);
    b.arrive(red, 2);
    const std::uint32_t slot = b.taken();
    EXPECT_EQ(b.load(NI_EVENT), 0u);
    b.store(NI_SLOT_RELEASE, slot);
    b.run(b.now + 20);
    EXPECT_EQ(b.load(b.address(b.taken()) + 0x10) >> 8 & 0xff, 2u);
    EXPECT_EQ(b.refused(0), 1u);
    EXPECT_EQ(b.credit_cycles.size(), 6u);
}

// --- transfers ---

TEST(jobs, no_bytes_of_a_packet_reach_a_process_of_another_job) {
    bench b;
    b.arrive(red, 0);
    const std::uint32_t slot = b.taken();
    EXPECT_EQ(b.transfer(slot, 1, true), NI_EVENT_DMA_REFUSED);
    EXPECT_EQ(b.load(NI_DMA_ERROR), NI_DMA_ERROR_OTHER_JOB);
    EXPECT_THAT(b.chip.host.transfers, IsEmpty());
    EXPECT_EQ(b.transfer(slot, 2, true), NI_EVENT_DMA_DONE) << "the same job, though another process";
    EXPECT_EQ(b.chip.host.processes, std::vector{2u});
}

TEST(jobs, no_bytes_of_a_process_leave_as_another_jobs) {
    bench b;
    const std::uint32_t slot = b.packet_of(0);
    EXPECT_EQ(b.transfer(slot, 0, false), NI_EVENT_DMA_DONE);
    EXPECT_EQ(b.transfer(slot, 1, false), NI_EVENT_DMA_REFUSED);
    EXPECT_EQ(b.load(NI_DMA_ERROR), NI_DMA_ERROR_OTHER_JOB);
    EXPECT_EQ(b.transfer(slot, 2, false), NI_EVENT_DMA_DONE);
    const std::uint32_t pushed = b.packet_of(0, format::transport_op::control);
    b.store(NI_SLOT_HOLD, pushed | 1u << NI_SLOT_HOLD_REFERENCES_SHIFT);
    b.push(pushed);
    EXPECT_EQ(b.transfer(pushed, 1, false), NI_EVENT_DMA_REFUSED) << "it is red's since it left";
    b.arrive(red, 0);
    EXPECT_EQ(b.transfer(b.taken(), 1, false), NI_EVENT_DMA_REFUSED) << "what came stays red's";
}

/// The job may be another one when the bytes move.
TEST(jobs, transfers_are_checked_when_they_end) {
    bench b;
    b.arrive(red, 0);
    const std::uint32_t slot = b.taken();
    b.do_now([&] {
        b.chip.cpu->store(NI_DMA_WINDOW, 0);
        b.chip.cpu->store(NI_DMA_ADDRESS, b.address(slot) + slot_header_bytes);
        b.chip.cpu->store(NI_DMA_LENGTH, 12);
        b.chip.cpu->store(NI_DMA_PUSH, NI_DMA_PUSH_TO_HOST_MASK);
    });
    set_job(b, 0, blue);
    b.run(b.now + 20);
    EXPECT_EQ(b.load(NI_EVENT) >> NI_EVENT_KIND_SHIFT, NI_EVENT_DMA_REFUSED);
    EXPECT_THAT(b.chip.host.transfers, IsEmpty());
}

// --- off ---

TEST(jobs, without_them_packets_have_no_word_and_nobody_is_refused) {
    ni_params params = with_jobs();
    params.jobs = false;
    bench b(params);
    b.arrive(0, 1);
    EXPECT_EQ(b.job_of(b.taken()), 0u);
    const std::uint32_t slot = b.packet_of(1);
    EXPECT_EQ(b.transfer(slot, 1, false), NI_EVENT_DMA_DONE);
    EXPECT_EQ(b.transfer(slot, 0, false), NI_EVENT_DMA_DONE);
    b.push(slot);
    b.run(b.now + 60);
    EXPECT_EQ(b.sent.at(0).data.size(), 2u * 8 + 5 * 8);
    EXPECT_EQ(b.load(NI_OPTIONS), 0u);
}

TEST(jobs, coding_units_know_of_none) {
    ni_params params = with_jobs();
    EXPECT_NO_THROW(check_params(params));
    params.units = 1;
    EXPECT_THROW(check_params(params), input_error);
}

TEST(jobs, what_is_told_later_has_its_job_in_front_of_its_payload) {
    std::vector<std::uint8_t> link{0xdd, 0xcc, 0xbb, 0xaa, 1, 2, 3, 4, 5};
    received_packet seen;
    seen.job = std::span<const std::uint8_t>(link).first(4);
    seen.payload = std::span<const std::uint8_t>(link).subspan(4);
    const engine::kept<const received_packet&> told(seen);
    engine::kept<const received_packet&> elsewhere;
    engine::unpack(engine::packed(told), elsewhere);
    link.assign(link.size(), 0);  // the interface has received something else meanwhile
    for (const auto& one : {std::cref(told), std::cref(elsewhere)}) {
        const received_packet later = one.get().give();
        EXPECT_THAT(later.job, ElementsAre(0xdd, 0xcc, 0xbb, 0xaa));
        EXPECT_THAT(later.payload, ElementsAre(1, 2, 3, 4, 5));
        EXPECT_THAT(later.body(), ElementsAre(0xdd, 0xcc, 0xbb, 0xaa, 1, 2, 3, 4, 5));
    }
}

}  // namespace
}  // namespace polycast::hw::ni
