// SPDX-License-Identifier: Apache-2.0
/// \file What the tests of the network interface share: a host with memory, a processor that follows a script, a chip.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hw/engine/network.h"
#include "hw/ni/abi/ni_registers.h"
#include "hw/ni/network_interface.h"
#include "hw/ni/packet_codec.h"
#include "hw/ni/watchdog.h"

namespace polycast::hw::ni {

using byte_list = std::vector<std::uint8_t>;

/// Host memory from address `base` on; everything else is a bus error.
class test_host final : public host_side {
public:
    static constexpr std::uint64_t base = 0x1'0000'0000;

    struct transfer {
        cycle when;
        bool write;
        std::uint64_t address;
        std::size_t bytes;
        bool operator==(const transfer&) const = default;
    };

    byte_list memory = byte_list(1u << 16);
    std::vector<transfer> transfers;
    std::vector<unsigned> processes;  ///< [transfer] for which it was made
    std::vector<std::pair<cycle, unsigned>> completions;
    std::vector<std::pair<cycle, unsigned>> spaces;
    std::vector<cycle> hangs;
    struct counting {
        cycle when;
        unsigned interface;
        unsigned counter;
        bool operator==(const counting&) const = default;
    };
    std::vector<counting> counts;
    unsigned interfaces = 2;           ///< that this host is said to have
    network_interface* own = nullptr;  ///< its interface 0

    host_answer dma_read(cycle when, unsigned process, std::uint64_t address, std::span<std::uint8_t> bytes) override {
        transfers.push_back({when, false, address, bytes.size()});
        processes.push_back(process);
        if (!inside(address, bytes.size())) return host_answer::refused;
        std::copy_n(memory.begin() + static_cast<std::ptrdiff_t>(address - base), bytes.size(), bytes.begin());
        return host_answer::done;
    }
    host_answer dma_write(cycle when, unsigned process, std::uint64_t address,
                          std::span<const std::uint8_t> bytes) override {
        transfers.push_back({when, true, address, bytes.size()});
        processes.push_back(process);
        if (!inside(address, bytes.size())) return host_answer::refused;
        std::ranges::copy(bytes, memory.begin() + static_cast<std::ptrdiff_t>(address - base));
        return host_answer::done;
    }
    void completion(cycle when, unsigned process) override { completions.emplace_back(when, process); }
    void command_space(cycle when, unsigned process) override { spaces.emplace_back(when, process); }
    void hung(cycle when) override { hangs.push_back(when); }
    bool count(cycle when, unsigned interface, unsigned counter) override {
        counts.push_back({when, interface, counter});
        if (own != nullptr && interface == 0) own->count(counter);
        return interface < interfaces;
    }

    std::uint32_t word(std::uint64_t offset) const { return get_bytes(&memory[offset], 4); }

private:
    bool inside(std::uint64_t address, std::size_t bytes) const {
        return address >= base && address - base <= memory.size() && bytes <= memory.size() - (address - base);
    }
};

/// A watchdog that nobody listens to.
class lone_watchdog final : private watchdog::owner {
public:
    explicit lone_watchdog(timeline& time) : guard(time, *this) {}
    watchdog guard;

private:
    bool working() const override { return false; }
    void expired(cycle) override {}
    void restart(cycle) override {}
};

/// Does what it is told at the cycles it is told, and whatever `on_interrupt` says while the line is high.
class scripted_processor final : public processor {
public:
    explicit scripted_processor(processor_bus& bus) : bus_(bus) {}

    void at(cycle when, std::function<void()> what) { script_.emplace(when, std::move(what)); }
    std::function<void(cycle)> on_interrupt;
    bool polling = true;                         ///< asks to be called in every cycle
    std::vector<std::pair<cycle, bool>> levels;  ///< of the line, as told

    void reset(cycle) override { ++resets; }
    cycle run(cycle until, bool interrupt) override {
        if (levels.empty() || levels.back().second != interrupt) levels.emplace_back(until, interrupt);
        now = until;
        while (!script_.empty() && script_.begin()->first <= until) {
            const auto next = script_.extract(script_.begin());
            next.mapped()();
        }
        if (interrupt && on_interrupt) on_interrupt(until);
        if (polling) return until + 1;
        return script_.empty() ? engine::never : script_.begin()->first;
    }
    void hold(cycle last) override { holds.push_back(last); }
    void upset(std::uint32_t word, std::uint32_t bit) override { flips.push_back({now + 1, word, bit}); }
    processor_probe probe() const override { return state; }

    /// Of data memory; `when`: the first cycle behind it.
    struct flip {
        cycle when;
        std::uint32_t word, bit;
        bool operator==(const flip&) const = default;
    };

    std::uint32_t load(std::uint32_t address) {
        std::uint32_t value = 0;
        EXPECT_TRUE(bus_.load(now, address, 4, value)) << std::hex << address;
        return value;
    }
    void store(std::uint32_t address, std::uint32_t value) {
        EXPECT_TRUE(bus_.store(now, address, 4, value)) << std::hex << address;
    }
    processor_bus& bus() { return bus_; }

    cycle now = 0;
    unsigned resets = 0;
    std::vector<cycle> holds;
    std::vector<flip> flips;
    processor_probe state;  ///< that it is in, as it says

private:
    processor_bus& bus_;
    std::multimap<cycle, std::function<void()>> script_;
};

/// Notes what it is told.
class test_observer final : public observer {
public:
    struct packet {
        cycle when;
        byte_list header;
        format::transport_header transport;
        byte_list payload;
        std::uint32_t check;
        bool complete;
        std::size_t flits;
    };
    std::vector<packet> packets;
    std::vector<span_record> spans;
    std::vector<std::string> lines;
    bool spans_wanted = true;

    void arrived(cycle now, const received_packet& seen) override {
        packets.push_back({now, byte_list(seen.header.begin(), seen.header.end()), seen.transport,
                           byte_list(seen.payload.begin(), seen.payload.end()), seen.check, seen.complete, seen.flits});
    }
    void used(const span_record& span) override { spans.push_back(span); }
    bool wants_spans() const override { return spans_wanted; }
    void console(cycle, std::uint32_t, std::string_view line) override { lines.emplace_back(line); }

    std::vector<span_record> of(resource where) const {
        std::vector<span_record> found;
        std::ranges::copy_if(spans, std::back_inserter(found),
                             [where](const span_record& span) { return span.where == where; });
        return found;
    }
};

/// A chip that holds one interface with a scripted processor, and a host.
class test_chip final : public engine::chip {
public:
    explicit test_chip(const ni_params& params, observer* watcher = nullptr)
        : shape_(params.pin_shape()),
          interface(params, time, host, watcher, [this](const ni_params&, processor_bus& bus, observer*) {
              auto made = std::make_unique<scripted_processor>(bus);
              cpu = made.get();
              return made;
          }) {
        host.own = &interface;
        enable_all();
    }

    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override {
        interface.reset(time.now());
        enable_all();
    }
    cycle step(cycle now, const engine::pins& in, engine::pins& out) override {
        interface.receive(now, in, out, 0);
        time.run(now + 1);
        interface.transmit(now, out, 0);
        if (interface.sending()) return now + 1;
        return time.next() == engine::never ? engine::never : std::max(time.next() - 1, now + 1);
    }
    bool idle() const override { return interface.idle(); }

    /// The host reads or writes a register.
    std::uint32_t peek(std::uint32_t address) {
        std::array<std::uint8_t, 4> bytes{};
        EXPECT_TRUE(interface.host_read(time.now(), address, bytes)) << std::hex << address;
        return get_bytes(bytes.data(), 4);
    }
    void poke(std::uint32_t address, std::uint32_t value) {
        std::array<std::uint8_t, 4> bytes{};
        put_bytes(bytes.data(), 4, value);
        EXPECT_TRUE(interface.host_write(time.now(), address, bytes)) << std::hex << address;
    }
    static std::uint32_t page(unsigned process) { return NI_HOST_PROCESS_BASE + process * NI_HOST_PROCESS_STRIDE; }
    static std::uint32_t grant(unsigned process) { return NI_HOST_GRANT_BASE + process * NI_HOST_GRANT_STRIDE; }
    /// Grants a window of host memory.
    void open_window(unsigned process, unsigned window, std::uint64_t offset, std::uint32_t bytes, unsigned allow) {
        const std::uint32_t at = grant(process) + NI_HOST_GRANT_WINDOW_BASE + window * NI_HOST_GRANT_WINDOW_STRIDE;
        const std::uint64_t address = test_host::base + offset;
        poke(at + NI_HOST_GRANT_WINDOW_LOW, static_cast<std::uint32_t>(address));
        poke(at + NI_HOST_GRANT_WINDOW_HIGH, static_cast<std::uint32_t>(address >> 32));
        poke(at + NI_HOST_GRANT_WINDOW_BYTES, bytes);
        poke(at + NI_HOST_GRANT_WINDOW_ALLOW, allow);
    }
    void open_queue(unsigned process, std::uint64_t offset, std::uint32_t entries) {
        const std::uint64_t address = test_host::base + offset;
        poke(grant(process) + NI_HOST_GRANT_QUEUE_LOW, static_cast<std::uint32_t>(address));
        poke(grant(process) + NI_HOST_GRANT_QUEUE_HIGH, static_cast<std::uint32_t>(address >> 32));
        poke(grant(process) + NI_HOST_GRANT_QUEUE_ENTRIES, entries);
    }

    engine::pin_shape shape_;
    timeline time;
    test_host host;
    scripted_processor* cpu = nullptr;
    network_interface interface;

private:
    void enable_all() {
        for (unsigned process = 0; process < interface.params().processes; ++process)
            poke(grant(process) + NI_HOST_GRANT_RIGHTS, NI_HOST_GRANT_RIGHTS_ENABLE_MASK);
        host.spaces.clear();
    }
};

/// Host 1 of 8; a flit has 8 bytes, so a packet with 12 bytes has 2 + 5 flits, two chunks of 4.
inline ni_params small_link() {
    ni_params params;
    params.host = 1;
    params.hosts = 8;
    params.flit_bytes = 8;
    params.chunk_flits = 4;
    params.credits = 6;
    params.payload_bytes = 32;
    return params;
}

/// A packet of host 5 to host 1 whose payload is `length` times `value`.
inline link_packet packet_with(const ni_params& params, std::uint8_t value, std::uint16_t length = 12,
                               std::uint32_t vc_class = 0) {
    byte_list slot(slot_bytes(params));
    put_bytes(slot.data(), 4, std::uint32_t{length} << 16 | vc_class << format::vc_class_field.offset);
    put_bytes(&slot[4], 4, 5);
    std::fill_n(slot.begin() + slot_header_bytes, length, value);
    link_packet packet;
    build_packet(params, slot, {.destination = 1, .seal = true}, packet);
    return packet;
}

/// One chip stepped by hand; the other end of its link is the test.
class single {
public:
    explicit single(const ni_params& params, observer* watcher = nullptr)
        : chip(params, watcher), in(chip.shape()), out(chip.shape()) {}

    /// One step; the input pins of cycle `now` are quiet afterwards, `out` holds the output pins of the new `now`.
    void step() {
        out.clear();
        chip.step(now, in, out);
        in.clear();
        ++now;
        if (out.credit != 0) {
            credit_cycles.push_back(now);
            credit_vcs.push_back(out.credit_vc.empty() ? 0u : out.credit_vc[0]);
        }
        if (out.valid == 0) return;
        if (out.head != 0) {
            sent.emplace_back();
            sent.back().began = now;
            sent.back().header = out.header;
        }
        sent.back().data.insert(sent.back().data.end(), out.data.begin(), out.data.end());
        sent.back().cycles.push_back(now);
        sent.back().vcs.push_back(out.vc.empty() ? 0u : out.vc[0]);
        if (out.tail != 0) sent.back().ended = now;
    }
    void run(cycle until) {
        while (now < until) step();
    }
    /// Puts one flit on the input pins of cycle `now`.
    void flit(bool head, bool tail, std::span<const std::uint8_t> data, std::span<const std::uint8_t> header = {}) {
        in.valid = 1;
        in.head = head ? 1 : 0;
        in.tail = tail ? 1 : 0;
        std::ranges::copy(data, in.data.begin());
        std::ranges::copy(header, in.header.begin());
    }
    /// Sends a whole packet in, a flit each cycle. \returns the cycle its tail is on the pins.
    cycle send_in(const link_packet& packet) {
        const std::size_t width = chip.shape().flit_bytes;
        for (std::size_t at = 0; at < packet.flits.size(); at += width) {
            flit(at == 0, at + width == packet.flits.size(), std::span(packet.flits).subspan(at, width), packet.header);
            step();
        }
        return now - 1;
    }
    /// The processor does `what` in the next cycle that has not been handled yet.
    void act(std::function<void()> what) { chip.cpu->at(now + 1, std::move(what)); }
    /// The same, and steps over it. \returns its cycle.
    cycle do_now(std::function<void()> what) {
        act(std::move(what));
        step();
        return now;
    }
    std::uint32_t load(std::uint32_t address) {
        std::uint32_t value = 0;
        do_now([&] { value = chip.cpu->load(address); });
        return value;
    }
    void store(std::uint32_t address, std::uint32_t value) {
        do_now([&] { chip.cpu->store(address, value); });
    }

    struct sent_packet {
        cycle began = 0;
        cycle ended = 0;
        byte_list header;
        byte_list data;
        std::vector<cycle> cycles;
        std::vector<unsigned> vcs;  ///< virtual channels of its flits
    };
    test_chip chip;
    engine::pins in;
    engine::pins out;
    cycle now = 0;
    std::vector<sent_packet> sent;
    std::vector<cycle> credit_cycles;
    std::vector<unsigned> credit_vcs;  ///< their virtual channels
};

}  // namespace polycast::hw::ni
