// SPDX-License-Identifier: Apache-2.0
// A processor of one's own as a host: RISC-V on an instruction-set simulator, a bus, memory with DMI, and the network
// interface, all by plain TLM-2.0. Its program is C (own_cpu/program.c).
//
//     cpu --+         +-- 0x20000000 memory           network: one switch, the interface's chip,
//           +-- bus --+                                and host 1, which is polycast's: a C++ program
//     ni ---+         +-- 0x40000000 ni.registers      that sends back what it gets, from behind
//
// The processor runs ahead of SystemC's time until it reads or writes a register of the interface.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "hw/host/endpoint.h"
#include "hw/input_error.h"
#include "hw/riscv/iss.h"
#include "hw/system/hosts.h"
#include "hw/system/plan.h"
#include "tlm/network/own_scoreboard.h"
#include "tlm/network/sc_session.h"

namespace hw = polycast::hw;
namespace network = polycast::tlm::network;

namespace {

using sc_core::sc_time;

constexpr std::uint32_t memory_base = 0x20000000, device_base = 0x40000000, memory_bytes = 0x10000;
constexpr std::uint32_t send_at = 0x2000, receive_at = 0x3000, message_bytes = 300, message_number = 5;
constexpr std::uint32_t verdict_good = 0x600d;
const sc_time period(5, sc_core::SC_NS);

/// Memory with DMI.
class ram final : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<ram> socket{"socket"};
    std::vector<unsigned char> bytes = std::vector<unsigned char>(memory_bytes);

    explicit ram(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.register_b_transport(this, &ram::transport);
        socket.register_get_direct_mem_ptr(this, &ram::grant);
    }

private:
    void transport(tlm::tlm_generic_payload& trans, sc_time&) {
        if (trans.get_address() + trans.get_data_length() > bytes.size()) {
            trans.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        unsigned char* const at = bytes.data() + trans.get_address();
        if (trans.is_read()) std::memcpy(trans.get_data_ptr(), at, trans.get_data_length());
        if (trans.is_write()) std::memcpy(at, trans.get_data_ptr(), trans.get_data_length());
        trans.set_dmi_allowed(true);
        trans.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    bool grant(tlm::tlm_generic_payload&, tlm::tlm_dmi& region) {
        region.init();
        region.set_dmi_ptr(bytes.data());
        region.set_end_address(bytes.size() - 1);
        region.allow_read_write();
        return true;
    }
};

/// Two targets by their addresses for the processor; the interface sees memory only, from 0.
class bus final : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<bus> in{"in"}, dma{"dma"};
    tlm_utils::simple_initiator_socket<bus> memory{"memory"}, device{"device"};

    explicit bus(const sc_core::sc_module_name& name) : sc_module(name) {
        in.register_b_transport(this, &bus::transport);
        in.register_get_direct_mem_ptr(this, &bus::grant);
        dma.register_b_transport(this, &bus::transport_dma);
        dma.register_get_direct_mem_ptr(this, &bus::grant_dma);
        memory.register_invalidate_direct_mem_ptr(this, &bus::invalidate);
    }

private:
    void transport(tlm::tlm_generic_payload& trans, sc_time& delay) {
        const std::uint64_t address = trans.get_address();
        if (address >= device_base) {
            trans.set_address(address - device_base);
            device->b_transport(trans, delay);
        } else if (address >= memory_base) {
            trans.set_address(address - memory_base);
            memory->b_transport(trans, delay);
        } else {
            trans.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        }
        trans.set_address(address);
    }
    bool grant(tlm::tlm_generic_payload& trans, tlm::tlm_dmi& region) {
        const std::uint64_t address = trans.get_address();
        if (address < memory_base || address >= device_base) return false;
        trans.set_address(address - memory_base);
        const bool granted = memory->get_direct_mem_ptr(trans, region);
        trans.set_address(address);
        region.set_start_address(region.get_start_address() + memory_base);
        region.set_end_address(region.get_end_address() + memory_base);
        return granted;
    }
    void transport_dma(tlm::tlm_generic_payload& trans, sc_time& delay) { memory->b_transport(trans, delay); }
    bool grant_dma(tlm::tlm_generic_payload& trans, tlm::tlm_dmi& region) {
        return memory->get_direct_mem_ptr(trans, region);
    }
    void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
        dma->invalidate_direct_mem_ptr(first, last);
        in->invalidate_direct_mem_ptr(first + memory_base, last + memory_base);
    }
};

/// The instruction-set simulator behind an initiator socket. It is called for the cycles of its register accesses, and
/// in between runs ahead; memory it reads and writes directly where it may.
class cpu final : public sc_core::sc_module, private hw::ni::processor_bus {
public:
    SC_HAS_PROCESS(cpu);

    tlm_utils::simple_initiator_socket<cpu> socket{"socket"};
    sc_core::sc_in<bool> interrupt{"interrupt"};
    std::uint64_t direct = 0, transported = 0;

    cpu(const sc_core::sc_module_name& name, const std::string& image)
        : sc_module(name), iss_(hw::riscv::load_program(image), *this) {
        socket.register_invalidate_direct_mem_ptr(this, &cpu::invalidate);
        SC_THREAD(run);
    }
    const hw::riscv::iss& processor() const { return iss_; }

private:
    using cycle = hw::engine::cycle;

    static sc_time time_of(cycle when) { return period * static_cast<double>(when); }

    void run() {
        while (true) {
            const auto now = static_cast<cycle>(sc_core::sc_time_stamp() / period);
            const cycle next = iss_.run(now, interrupt.read());
            if (next == hw::engine::never) {
                wait(interrupt.default_event());
            } else {
                wait(time_of(next) - sc_core::sc_time_stamp(), interrupt.default_event());
            }
        }
    }
    bool load(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t& value) override {
        value = 0;
        return access(tlm::TLM_READ_COMMAND, when, address, &value, bytes);
    }
    bool store(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t value) override {
        return access(tlm::TLM_WRITE_COMMAND, when, address, &value, bytes);
    }
    bool access(tlm::tlm_command command, cycle when, std::uint32_t address, void* data, unsigned bytes) {
        const bool inside = address >= region_.get_start_address() && address + bytes - 1 <= region_.get_end_address();
        if (inside && region_.is_read_write_allowed()) {
            unsigned char* const at = region_.get_dmi_ptr() + (address - region_.get_start_address());
            std::memcpy(command == tlm::TLM_READ_COMMAND ? data : at, command == tlm::TLM_READ_COMMAND ? at : data,
                        bytes);
            ++direct;
            return true;
        }
        tlm::tlm_generic_payload trans;
        trans.set_command(command);
        trans.set_address(address);
        trans.set_data_ptr(static_cast<unsigned char*>(data));
        trans.set_data_length(bytes);
        trans.set_streaming_width(bytes);
        const sc_time now = sc_core::sc_time_stamp();
        sc_time delay = std::max(time_of(when), now) - now;  // as far as it has run ahead
        socket->b_transport(trans, delay);
        ++transported;
        if (trans.is_dmi_allowed() && !socket->get_direct_mem_ptr(trans, region_)) region_.allow_none();
        return trans.is_response_ok();
    }
    void invalidate(sc_dt::uint64, sc_dt::uint64) { region_.allow_none(); }

    hw::riscv::iss iss_;
    tlm::tlm_dmi region_ = nothing();

    static tlm::tlm_dmi nothing() {
        tlm::tlm_dmi none;
        none.allow_none();
        return none;
    }
};

/// Host 1: sends back what it gets, from behind, once.
hw::host::program echo(hw::host::endpoint& self, network::own_scoreboard& board) {
    const hw::host::message got = co_await self.receive({});
    board.delivered(self.now(), self.host(), got.source, got.number, got.bytes);
    const std::vector<std::uint8_t> back(got.bytes.rbegin(), got.bytes.rend());
    co_await self.send(got.source, back, {.process = 0, .tag = got.tag});
}

/// Ends the run when the program has come to its verdict.
class judge final : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(judge);
    judge(const sc_core::sc_module_name& name, const ram& memory, network::sc_network& net)
        : sc_module(name), memory_(memory), net_(net) {
        SC_THREAD(watch);
    }
    std::uint32_t verdict = 0;

private:
    void watch() {
        while (verdict == 0) {
            wait(sc_time(1, sc_core::SC_US));
            std::memcpy(&verdict, memory_.bytes.data(), sizeof verdict);
        }
        net_.finish("cpu");
    }
    const ram& memory_;
    network::sc_network& net_;
};

int run(const std::string& image) {
    hw::topology::graph graph;
    graph.add_switch("switch", 4);
    graph.attach_host("cpu", 0, 0);
    graph.attach_host("echo", 0, 1);
    const hw::system::system_plan plan = hw::system::make_plan(graph, {});

    std::vector<std::uint8_t> wanted(message_bytes);
    for (std::uint32_t i = 0; i < message_bytes; ++i) wanted[i] = static_cast<std::uint8_t>(3 * i + 1);
    network::own_scoreboard board({0}, nullptr);
    board.sending(0, message_number, {1}, wanted);

    const auto processors = hw::system::native_processors(hw::ni::native_firmware::load(POLYCAST_FIRMWARE_LIBRARY));
    const auto programs = [&](std::uint32_t) {
        return std::vector{hw::host::run_program([&board](hw::host::endpoint& self) { return echo(self, board); })};
    };
    network::sc_session session;
    network::sc_network_params params{.switches = {network::placement::module}, .period = period, .checkers = true};
    params.own = {{"cpu"}, processors};
    session.add("own_cpu", plan, params, hw::system::make_core, hw::system::program_hosts(processors, programs), board);

    network::sc_network& net = session.at(0);
    cpu host("cpu", image);
    bus wires("bus");
    ram memory("memory");
    judge look("judge", memory, net);
    sc_core::sc_signal<bool> line;
    auto& ni = net.own_host("cpu");
    host.socket.bind(wires.in);
    wires.memory.bind(memory.socket);
    wires.device.bind(ni.registers);
    ni.memory.bind(wires.dma);
    ni.interrupt[0].bind(line);
    host.interrupt.bind(line);

    const hw::system::run_outcome outcome = session.run({.cycles = 1'000'000}).front();
    std::ranges::reverse(wanted);
    const bool back = std::equal(wanted.begin(), wanted.end(), memory.bytes.begin() + receive_at);
    for (const std::string& fault : board.faults()) std::cout << fault << "\n";
    const auto counts = board.counts();
    std::cout << counts.delivered << " of " << counts.expected << " messages delivered to echo, its answer is "
              << (back ? "right" : "WRONG") << ", the program says " << (look.verdict == verdict_good ? "good" : "BAD")
              << "; " << host.processor().probe().instructions << " instructions, " << host.direct
              << " accesses by DMI, " << host.transported << " by b_transport; " << outcome.cycles << " cycles\n";
    const bool complete = outcome.ended == hw::system::run_outcome::kind::complete;
    if (!complete) std::cout << "the run did not complete: " << outcome.diagnosis << "\n";
    return complete && board.passed() && back && look.verdict == verdict_good ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int sc_main(int count, char** arguments) {
    try {
        return run(count > 1 ? arguments[1] : POLYCAST_OWN_CPU_PROGRAM);
    } catch (const hw::input_error& bad) {
        std::cerr << "error: " << bad.what() << "\n";
        return 2;
    }
}
