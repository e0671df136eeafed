// SPDX-License-Identifier: Apache-2.0
// Network interfaces back to back, each driven by a host that knows nothing but TLM-2.0, in every style of access and
// of memory. All must end with the same bytes at the same time.
#include "tlm/modules/ni_module.h"

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hw/ni/abi/ni_host.h"
#include "hw/ni/abi/ni_registers.h"
#include "hw/ni/native_processor.h"
#include "testbench/unit/tlm/modules/base_protocol_checker.h"
#include "testbench/unit/tlm/modules/own_host_rig.h"
#include "tlm/modules/link_module.h"

namespace polycast::tlm::modules {
namespace {

using namespace testbench;

const sc_time period(5, sc_core::SC_NS);
constexpr std::uint32_t queue_at = 0x1000, send_at = 0x4000, receive_at = 0x8000, buffer_bytes = 0x1000;
constexpr std::uint32_t page = NI_HOST_PROCESS_BASE, grant = NI_HOST_GRANT_BASE;
constexpr std::uint32_t last_of_device = NI_HOST_DEVICE_JOBS_REFUSED;  ///< nothing is behind it
const std::array<std::vector<std::uint32_t>, 2> sizes{std::vector<std::uint32_t>{1, 128, 129, 1000, 3000, 77},
                                                      std::vector<std::uint32_t>{500, 4}};

std::vector<std::uint8_t> content(unsigned host, std::uint32_t message) {
    std::vector<std::uint8_t> bytes(sizes[host][message]);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::uint8_t>(i * 7 + 31 * message + 101 * host);
    return bytes;
}

struct way {
    access_style access = access_style::blocking;
    sc_time quantum = sc_core::SC_ZERO_TIME;
    memory_params memory;
};

hw::ni::processor_factory firmware() {
    return [](const hw::ni::ni_params& interface, hw::ni::processor_bus& bus, hw::ni::observer*) {
        hw::ni::native_params times;
        times.cycles[NI_OPERATION_SEND] = times.cycles[NI_OPERATION_RECEIVE] = 100;
        return std::make_unique<hw::ni::native_processor>(hw::ni::native_firmware::load(POLYCAST_FIRMWARE_LIBRARY),
                                                          times, interface, bus, nullptr);
    };
}

hw::ni::ni_params params_of(std::uint32_t host) {
    hw::ni::ni_params made;
    made.host = host;
    made.hosts = 2;
    return made;
}

/// From `when` to the next moment in which cycles are sampled: there the order of processes must not matter.
sc_time to_sampling(const sc_time& when) {
    const std::uint64_t cycle = period.value();
    return sc_time::from_value((cycle + cycle / 2 - when.value() % cycle) % cycle);
}

/// One host with its interface. Host 0 polls its registers, host 1 waits for the interrupt.
struct own_node {
    own_node(const std::string& name, std::uint32_t host, const way& how, run_state& state)
        : number(host),
          memory((name + "_ram").c_str(), how.memory),
          processor((name + "_cpu").c_str(), how.access, how.quantum),
          ni((name + "_ni").c_str(), params_of(host), firmware(), nullptr, {.period = period, .number = {}}, state),
          registers((name + "_registers").c_str()),
          transfers((name + "_transfers").c_str()) {
        processor.socket.bind(registers.in);
        registers.out.bind(ni.registers);
        ni.memory.bind(transfers.in);
        transfers.out.bind(memory.socket);
        ni.interrupt[0].bind(line);
        processor.interrupt.bind(line);
        processor.program = [this](own_processor& cpu) { run(cpu); };
    }

    void run(own_processor& cpu) {
        cpu.pass(sc_time(500, sc_core::SC_PS));  // accesses come in all parts of a cycle, at sampling moments, too
        cpu.write(grant + NI_HOST_GRANT_QUEUE_LOW, queue_at);
        cpu.write(grant + NI_HOST_GRANT_QUEUE_ENTRIES, 16);
        const std::uint32_t window = grant + NI_HOST_GRANT_WINDOW_BASE;
        cpu.write(window + NI_HOST_GRANT_WINDOW_BYTES, static_cast<std::uint32_t>(memory.bytes.size()));
        cpu.write(window + NI_HOST_GRANT_WINDOW_ALLOW, 3);
        cpu.write(grant + NI_HOST_GRANT_RIGHTS, NI_HOST_GRANT_RIGHTS_ENABLE_MASK);
        cpu.write(page + NI_HOST_PROCESS_QUEUE_INTERRUPT, number);
        const auto incoming = static_cast<std::uint32_t>(sizes[1 - number].size());
        const auto outgoing = static_cast<std::uint32_t>(sizes[number].size());
        for (std::uint32_t message = 0; message < incoming; ++message)
            command(cpu, {NI_COMMAND_RECEIVE, 100 + message, receive_at + message * buffer_bytes, buffer_bytes});
        cpu.pass(sc_time(20, sc_core::SC_US));
        for (std::uint32_t message = 0; message < outgoing; ++message) {
            const std::vector<std::uint8_t> bytes = content(number, message);
            const std::uint32_t at = send_at + message % 2 * buffer_bytes;
            if (message >= 2) collect(cpu, message - 1);  // the buffer is used again when its message has left
            std::ranges::copy(bytes, memory.bytes.begin() + at);
            command(cpu, {NI_COMMAND_SEND, message, at, static_cast<std::uint32_t>(bytes.size()), 1 - number, 0,
                          message, 1000 + message});
            if (message == 0) rung = cpu.local();
            cpu.pass(sc_time(1234, sc_core::SC_NS));
        }
        collect(cpu, outgoing);
        while (received < incoming) next(cpu);
        done = cpu.local();
    }

    static void command(own_processor& cpu, std::vector<std::uint32_t> words) {
        words.resize(NI_COMMAND_WORDS);
        cpu.write(page + NI_HOST_PROCESS_COMMAND_BUFFER_BASE, words);
        cpu.write(page + NI_HOST_PROCESS_DOORBELL, 4 * NI_COMMAND_WORDS);
    }
    void collect(own_processor& cpu, std::uint32_t wanted) {
        while (sent < wanted) next(cpu);
    }
    /// Takes the next completion.
    void next(own_processor& cpu) {
        while (cpu.read(page + NI_HOST_PROCESS_QUEUE_WRITTEN) == taken) {
            if (number == 1) {
                cpu.wait_for_interrupt();
            } else {
                cpu.pass(to_sampling(cpu.local() + 8 * period) + 8 * period);
            }
        }
        std::array<std::uint32_t, NI_COMPLETION_WORDS> entry{};
        std::memcpy(entry.data(), &memory.bytes[queue_at + taken % 16 * sizeof entry], sizeof entry);
        EXPECT_EQ(entry[NI_COMPLETION_NUMBER], ++taken);
        cpu.write(page + NI_HOST_PROCESS_QUEUE_READ, taken);
        const std::uint32_t message = entry[NI_COMPLETION_MESSAGE];
        if (entry[NI_COMPLETION_KIND] == (NI_COMPLETION_SENT | NI_STATUS_OK << 8)) {
            if (sent++ == 0) first_sent = cpu.local();
            return;
        }
        ASSERT_EQ(entry[NI_COMPLETION_KIND] & 0xffff, NI_COMPLETION_RECEIVED | NI_STATUS_OK << 8);
        ASSERT_LT(message, sizes[1 - number].size());
        EXPECT_EQ(entry[NI_COMPLETION_SOURCE] & 0xffffff, 1 - number);
        EXPECT_EQ(entry[NI_COMPLETION_TAG], 1000 + message);
        const std::vector<std::uint8_t> bytes = content(1 - number, message);
        ASSERT_EQ(entry[NI_COMPLETION_LENGTH], bytes.size());
        const std::uint32_t at = receive_at + (entry[NI_COMPLETION_COOKIE] - 100) * buffer_bytes;
        EXPECT_TRUE(std::ranges::equal(bytes, std::span(memory.bytes).subspan(at, bytes.size()))) << message;
        ++received;
    }

    std::uint32_t number;
    own_memory memory;
    own_processor processor;
    ni_module ni;
    base_protocol_checker registers, transfers;
    sc_core::sc_signal<bool> line;
    std::uint32_t taken = 0, sent = 0, received = 0;
    sc_time rung, first_sent, done;
};

struct own_pair {
    own_pair(const std::string& name, const way& how)
        : state((name + "_state").c_str()),
          a(name + "_a", 0, how, state),
          b(name + "_b", 1, how, state),
          link((name + "_link").c_str(), {.delay = 1, .chunk_flits = 8}, period, state) {
        link.join(a.ni, 0, b.ni, 0);
    }

    run_state state;
    own_node a, b;
    link_module link;
};

constexpr std::array accesses{access_style::blocking, access_style::decoupled, access_style::early,
                              access_style::two_phases, access_style::four_phases};
constexpr std::array memories{memory_style::blocking, memory_style::direct, memory_style::withdrawing,
                              memory_style::phases};

/// What a debugger and odd transactions are answered, and a pipelining initiator; see the tests.
class prober final : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(prober);
    tlm_utils::simple_initiator_socket<prober> socket{"socket"};
    std::map<std::string, ::tlm::tlm_response_status> said;
    std::vector<std::string> phases;
    std::array<std::uint8_t, 6> debugged{};
    unsigned debug_read = 0, debug_written = 7, debug_end = 7;
    bool dmi_granted = true;
    ::tlm::tlm_dmi denied;

    explicit prober(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.register_nb_transport_bw(this, &prober::backward);
        SC_THREAD(run);
    }

private:
    using payload = ::tlm::tlm_generic_payload;

    ::tlm::tlm_response_status send(const std::function<void(payload&)>& change) {
        payload trans;
        std::array<unsigned char, 64> data{};
        trans.set_read();
        trans.set_address(NI_HOST_ID);
        trans.set_data_ptr(data.data());
        trans.set_data_length(4);
        trans.set_streaming_width(4);
        change(trans);
        sc_time delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(trans, delay);
        return trans.get_response_status();
    }
    void run() {
        said["read"] = send([](payload&) {});
        said["ignore"] = send([](payload& t) { t.set_command(::tlm::TLM_IGNORE_COMMAND); });
        said["no command"] = send([](payload& t) { t.set_command(static_cast<::tlm::tlm_command>(3)); });
        static unsigned char enables[4] = {0xff, 0xff, 0, 0};
        said["enables"] = send([](payload& t) { t.set_byte_enable_ptr(enables), t.set_byte_enable_length(4); });
        said["streaming"] = send([](payload& t) { t.set_data_length(8); });
        said["no bytes"] = send([](payload& t) { t.set_data_length(0), t.set_streaming_width(0); });
        said["no data"] = send([](payload& t) { t.set_data_ptr(nullptr); });
        said["nothing there"] = send([](payload& t) { t.set_address(0x7f0); });
        said["no process"] = send([](payload& t) { t.set_address(NI_HOST_PROCESS_BASE + 5 * NI_HOST_PROCESS_STRIDE); });
        said["64 bits"] = send([](payload& t) { t.set_address(std::uint64_t{1} << 32); });
        said["half a word"] = send([](payload& t) { t.set_data_length(2); });
        said["burst"] = send([](payload& t) { t.set_data_length(16), t.set_streaming_width(16); });
        said["burst over the end"] =
            send([](payload& t) { t.set_address(last_of_device), t.set_data_length(8), t.set_streaming_width(8); });
        said["bytes of a command"] = send([](payload& t) {
            t.set_write(), t.set_address(page + NI_HOST_PROCESS_COMMAND_BUFFER_BASE + 3), t.set_data_length(5);
            t.set_streaming_width(5);
        });
        payload trans;
        trans.set_read();
        trans.set_address(NI_HOST_ID + 2);
        trans.set_data_ptr(debugged.data());
        trans.set_data_length(6);
        debug_read = socket->transport_dbg(trans);
        std::array<std::uint8_t, 6> others{};
        trans.set_data_ptr(others.data());
        trans.set_address(last_of_device);
        debug_end = socket->transport_dbg(trans);
        trans.set_address(page + NI_HOST_PROCESS_DOORBELL);
        trans.set_write();
        debug_written = socket->transport_dbg(trans);
        trans.set_read();
        dmi_granted = socket->get_direct_mem_ptr(trans, denied);
        pipeline();
    }

    /// Two requests ahead of time, and a response that takes long to end: the second request is accepted meanwhile.
    void pipeline() {
        static own_payload_manager manager;
        static std::array<payload, 2> two{payload(&manager), payload(&manager)};
        static std::array<std::uint32_t, 2> words{};
        for (unsigned i = 0; i < 2; ++i) {
            payload& trans = two[i];
            trans.acquire();
            trans.set_read();
            trans.set_address(i == 0 ? NI_HOST_ID : NI_HOST_VERSION);
            trans.set_data_ptr(reinterpret_cast<unsigned char*>(&words[i]));
            trans.set_data_length(4);
            trans.set_streaming_width(4);
            ::tlm::tlm_phase phase = ::tlm::BEGIN_REQ;
            sc_time delay(10, sc_core::SC_NS);
            EXPECT_EQ(socket->nb_transport_fw(trans, phase, delay), ::tlm::TLM_ACCEPTED);
            wait(moved_);
        }
        wait(sc_time(100, sc_core::SC_NS));
        ::tlm::tlm_phase phase = ::tlm::END_RESP;
        sc_time delay(7, sc_core::SC_NS);
        socket->nb_transport_fw(two[0], phase, delay);
        wait(moved_);
        phase = ::tlm::END_RESP;
        delay = sc_core::SC_ZERO_TIME;
        socket->nb_transport_fw(two[1], phase, delay);
        EXPECT_EQ(words[0], NI_HOST_ID_RESET);
        EXPECT_EQ(words[1], NI_HOST_VERSION_RESET);
        EXPECT_EQ(two[0].get_ref_count() + two[1].get_ref_count(), 2) << "the target gives its references back";
    }
    ::tlm::tlm_sync_enum backward(payload& trans, ::tlm::tlm_phase& phase, sc_time&) {
        std::ostringstream text;
        text << phase << " 0x" << std::hex << trans.get_address() << std::dec;
        phases.push_back(text.str());
        times.push_back(sc_core::sc_time_stamp());
        moved_.notify();
        return ::tlm::TLM_ACCEPTED;
    }
    sc_core::sc_event moved_;

public:
    std::vector<sc_time> times;
};

/// Everything runs in one simulation, as SystemC has only one.
struct laboratory {
    static laboratory& get() {
        static laboratory all;
        return all;
    }

    std::map<std::string, std::vector<std::unique_ptr<own_pair>>> groups;
    std::vector<way> ways_of_access, ways_of_memory;
    run_state state{"probed_state"};
    prober probe{"prober"};
    base_protocol_checker probed{"probed"};
    own_memory probed_memory{"probed_memory", memory_params{}};
    ni_module ni{"probed_ni", params_of(0), firmware(), nullptr, {.period = period, .number = {}}, state};

private:
    laboratory() {
        const sc_time long_quantum(10, sc_core::SC_US);
        const sc_time short_quantum(100, sc_core::SC_NS);
        for (const access_style access : accesses) {
            for (const memory_style memory : memories) add("same", {access, long_quantum, {.style = memory}});
            add("same", {access, short_quantum, {}});
            add("same", {access, sc_core::SC_ZERO_TIME, {}});
        }
        const sc_time slow(250, sc_core::SC_PS);
        for (const latency_style latency : {latency_style::annotated, latency_style::waited}) {
            for (const memory_style memory : memories)
                add("slow", {access_style::decoupled, long_quantum, {memory, slow, latency}});
        }
        probe.socket.bind(probed.in);
        probed.out.bind(ni.registers);
        ni.memory.bind(probed_memory.socket);
        sc_core::sc_start();
    }
    void add(const std::string& group, const way& how) {
        auto& all = groups[group];
        all.push_back(std::make_unique<own_pair>(group + std::to_string(all.size()), how));
    }
};

void expect_same(const std::vector<std::unique_ptr<own_pair>>& pairs) {
    for (const auto& p : pairs) {
        SCOPED_TRACE(p->a.ni.name());
        p->state.rethrow_failure();
        for (auto [own, first] : {std::pair(&p->a, &pairs[0]->a), std::pair(&p->b, &pairs[0]->b)}) {
            EXPECT_TRUE(own->processor.done);
            EXPECT_THAT(own->processor.failures, testing::IsEmpty());
            EXPECT_EQ(own->sent, sizes[own->number].size());
            EXPECT_EQ(own->received, sizes[1 - own->number].size());
            EXPECT_EQ(own->done, first->done);
            // Every access, and what it said, at the same time.
            EXPECT_TRUE(own->processor.trace == first->processor.trace);
            EXPECT_EQ(own->ni.interface().statistics(), first->ni.interface().statistics());
            EXPECT_THAT(own->registers.violations, testing::IsEmpty());
            EXPECT_THAT(own->transfers.violations, testing::IsEmpty());
            EXPECT_EQ(p->link.statistics(0, 1).flits, pairs[0]->link.statistics(0, 1).flits);
        }
        EXPECT_EQ(p->state.chip_steps(), pairs[0]->state.chip_steps());
    }
}

TEST(ni_module, every_initiator_and_every_memory_give_the_same) {
    const auto& same = laboratory::get().groups.at("same");
    ASSERT_EQ(same.size(), accesses.size() * (memories.size() + 2));
    expect_same(same);
    // The first message is sent when its doorbell has rung, and not before, though the interface has slept.
    EXPECT_GT(same[0]->a.first_sent, same[0]->a.rung + 100 * period);
}

TEST(ni_module, a_memory_that_takes_time_holds_the_bus_however_it_does) {
    const auto& slow = laboratory::get().groups.at("slow");
    expect_same(slow);
    const own_node& quick = laboratory::get().groups.at("same")[0]->a;
    // 1/4 ns for each byte.
    const std::uint64_t busy = slow[0]->a.ni.interface().statistics().bus_busy;
    std::uint64_t bytes = 0;
    for (const auto& side : sizes)
        for (const std::uint32_t size : side) bytes += size;
    // Of each transfer's latency whole cycles count: 6 of 6.4 for the longest.
    EXPECT_GE(busy, quick.ni.interface().statistics().bus_busy + bytes / 22);
    EXPECT_LE(busy, quick.ni.interface().statistics().bus_busy + bytes / 20);
}

TEST(ni_module, dmi_is_used_until_it_is_taken_back) {
    const auto& same = laboratory::get().groups.at("same");
    const own_node& blocking = same[0]->b;
    const own_node& direct = same[1]->b;
    const own_node& withdrawing = same[2]->b;
    EXPECT_EQ(blocking.ni.direct_transfers(), 0u);
    EXPECT_EQ(blocking.memory.transports, blocking.ni.transported_transfers());
    EXPECT_EQ(direct.memory.transports, 1u) << "all but the first transfer go past the socket";
    EXPECT_EQ(direct.ni.direct_transfers() + 1, blocking.ni.transported_transfers());
    EXPECT_GT(withdrawing.memory.grants, 2u);
    EXPECT_EQ(withdrawing.memory.transports, withdrawing.memory.grants);
    EXPECT_EQ(withdrawing.ni.direct_transfers() + withdrawing.memory.transports, blocking.memory.transports);
    EXPECT_GE(withdrawing.transfers.seen.invalidations, withdrawing.memory.grants - 1);
}

TEST(ni_module, phases_are_used_as_the_initiator_does) {
    const std::size_t each = memories.size() + 2;
    const auto seen = [&](std::size_t access) {
        return laboratory::get().groups.at("same")[access * each]->a.registers.seen;
    };
    EXPECT_EQ(seen(0).blocking, laboratory::get().groups.at("same")[0]->a.processor.trace.size());
    EXPECT_GT(seen(2).early, 20u);
    EXPECT_GT(seen(2).begin_resp, 0u) << "at a sampling moment the step comes first";
    EXPECT_GT(seen(3).begin_resp, 100u);
    EXPECT_EQ(seen(3).end_resp, 0u);
    EXPECT_EQ(seen(4).end_resp, seen(4).begin_resp);
}

TEST(ni_module, odd_transactions_are_answered) {
    const prober& probe = laboratory::get().probe;
    laboratory::get().state.rethrow_failure();
    const std::map<std::string, ::tlm::tlm_response_status> wanted{
        {"read", ::tlm::TLM_OK_RESPONSE},
        {"ignore", ::tlm::TLM_OK_RESPONSE},
        {"no command", ::tlm::TLM_COMMAND_ERROR_RESPONSE},
        {"enables", ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE},
        {"streaming", ::tlm::TLM_BURST_ERROR_RESPONSE},
        {"no bytes", ::tlm::TLM_BURST_ERROR_RESPONSE},
        {"no data", ::tlm::TLM_GENERIC_ERROR_RESPONSE},
        {"nothing there", ::tlm::TLM_ADDRESS_ERROR_RESPONSE},
        {"no process", ::tlm::TLM_ADDRESS_ERROR_RESPONSE},
        {"64 bits", ::tlm::TLM_ADDRESS_ERROR_RESPONSE},
        {"half a word", ::tlm::TLM_ADDRESS_ERROR_RESPONSE},
        {"burst", ::tlm::TLM_OK_RESPONSE},
        {"burst over the end", ::tlm::TLM_ADDRESS_ERROR_RESPONSE},
        {"bytes of a command", ::tlm::TLM_OK_RESPONSE},
    };
    EXPECT_EQ(probe.said, wanted);
    EXPECT_EQ(probe.debug_read, 6u);
    EXPECT_THAT(probe.debugged, testing::ElementsAre(0x6f, 0x70, NI_HOST_VERSION_RESET, 0, 0, 0));
    EXPECT_EQ(probe.debug_end, 4u) << "as many bytes as there are";
    EXPECT_EQ(probe.debug_written, 0u);
    EXPECT_FALSE(probe.dmi_granted);
    EXPECT_EQ(probe.denied.get_end_address(), ~sc_dt::uint64{0}) << "nowhere";
}

TEST(ni_module, a_response_waits_for_the_end_of_the_one_before) {
    const prober& probe = laboratory::get().probe;
    EXPECT_THAT(probe.phases, testing::ElementsAre("BEGIN_RESP 0x0", "END_REQ 0x4", "BEGIN_RESP 0x4"));
    ASSERT_EQ(probe.times.size(), 3u);
    const sc_time ns(1, sc_core::SC_NS);
    EXPECT_EQ(probe.times[1] - probe.times[0], 10 * ns);
    EXPECT_EQ(probe.times[2] - probe.times[1], 107 * ns);
    EXPECT_THAT(laboratory::get().probed.violations, testing::IsEmpty());
}

}  // namespace
}  // namespace polycast::tlm::modules
