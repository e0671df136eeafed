// SPDX-License-Identifier: Apache-2.0
/// \file What a host of one's own pays at a network interface: accesses per second by each kind of transport, beside a
/// target that does nothing, and bytes per second of host transfers by DMI and by b_transport.
///
/// Everything is measured by one SystemC thread of one simulation, as the host's processor would be one.
#define SC_INCLUDE_DYNAMIC_PROCESSES  // sc_spawn
#include <benchmark/benchmark.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/ni/abi/ni_registers.h"
#include "hw/ni/native_processor.h"
#include "tlm/modules/memory_port.h"
#include "tlm/modules/ni_module.h"

namespace {

namespace hw = polycast::hw;
namespace modules = polycast::tlm::modules;
using sc_core::sc_time;

const sc_time period(5, sc_core::SC_NS);

/// 64 KiB, with DMI or without.
class bench_memory final : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<bench_memory> socket{"socket"};

    bench_memory(const sc_core::sc_module_name& name, bool direct) : sc_module(name), direct_(direct) {
        socket.register_b_transport(this, &bench_memory::transport);
        socket.register_get_direct_mem_ptr(this, &bench_memory::grant);
    }

private:
    void transport(::tlm::tlm_generic_payload& trans, sc_time&) {
        unsigned char* const at = bytes_.data() + trans.get_address();
        if (trans.is_read()) {
            std::memcpy(trans.get_data_ptr(), at, trans.get_data_length());
        } else {
            std::memcpy(at, trans.get_data_ptr(), trans.get_data_length());
        }
        trans.set_dmi_allowed(direct_);
        trans.set_response_status(::tlm::TLM_OK_RESPONSE);
    }
    bool grant(::tlm::tlm_generic_payload&, ::tlm::tlm_dmi& region) {
        region.init();
        region.set_dmi_ptr(bytes_.data());
        region.set_end_address(bytes_.size() - 1);
        region.allow_read_write();
        return direct_;
    }

    bool direct_;
    std::vector<unsigned char> bytes_ = std::vector<unsigned char>(0x10000);
};

/// The host, and in its one thread the benchmarks.
class bench_host final : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(bench_host);

    tlm_utils::simple_initiator_socket<bench_host> registers{"registers"}, plain{"plain"};
    tlm_utils::simple_initiator_socket<bench_host> direct{"direct"}, transported{"transported"};

    explicit bench_host(const sc_core::sc_module_name& name)
        : sc_module(name),
          by_dmi_([this] { return direct.operator->(); }, [] {}, ended),
          by_transport_([this] { return transported.operator->(); }, [] {}, ended) {
        registers.register_nb_transport_bw(this, &bench_host::backward);
        SC_THREAD(run);
        set_stack_size(4u << 20);
    }

private:
    using socket_type = tlm_utils::simple_initiator_socket<bench_host>;
    struct no_memory final : ::tlm::tlm_mm_interface {
        void free(::tlm::tlm_generic_payload*) override {}
    };

    static void ended(const std::string& why) { throw std::runtime_error(why); }

    void run() {
        add("plain_target/b_transport",
            [this](benchmark::State& s) { blocking(s, plain, false, sc_core::SC_ZERO_TIME); });
        add("registers/b_transport_read",
            [this](benchmark::State& s) { blocking(s, registers, false, sc_core::SC_ZERO_TIME); });
        add("registers/b_transport_write",
            [this](benchmark::State& s) { blocking(s, registers, true, sc_core::SC_ZERO_TIME); });
        add("registers/b_transport_cycle_ahead",
            [this](benchmark::State& s) { blocking(s, registers, false, period); });
        add("registers/nb_transport_early", [this](benchmark::State& s) { non_blocking(s, sc_core::SC_ZERO_TIME); });
        add("registers/nb_transport_cycle_ahead", [this](benchmark::State& s) { non_blocking(s, period); });
        for (const std::int64_t bytes : {128, 2048}) {
            benchmark::RegisterBenchmark(("memory/dmi/" + std::to_string(bytes)).c_str(),
                                         [this, bytes](benchmark::State& s) { transfers(s, by_dmi_, bytes); });
            benchmark::RegisterBenchmark(("memory/b_transport/" + std::to_string(bytes)).c_str(),
                                         [this, bytes](benchmark::State& s) { transfers(s, by_transport_, bytes); });
        }
        benchmark::RunSpecifiedBenchmarks();
        sc_core::sc_stop();
    }
    static void add(const char* name, const std::function<void(benchmark::State&)>& what) {
        benchmark::RegisterBenchmark(name, [what](benchmark::State& state) { what(state); });
    }

    void prepare(::tlm::tlm_generic_payload& trans, bool write) {
        trans.set_command(write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND);
        trans.set_address(NI_HOST_PROCESS_BASE + NI_HOST_PROCESS_QUEUE_READ);
        trans.set_data_ptr(reinterpret_cast<unsigned char*>(&word_));
        trans.set_data_length(4);
        trans.set_streaming_width(4);
    }
    void blocking(benchmark::State& state, socket_type& socket, bool write, const sc_time& ahead) {
        ::tlm::tlm_generic_payload trans;
        prepare(trans, write);
        for (auto _ : state) {
            trans.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
            sc_time delay = ahead;
            socket->b_transport(trans, delay);
        }
        finish(state, trans);
    }
    void non_blocking(benchmark::State& state, const sc_time& ahead) {
        ::tlm::tlm_generic_payload trans(&keeper_);
        trans.acquire();
        prepare(trans, false);
        for (auto _ : state) {
            trans.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
            ::tlm::tlm_phase phase = ::tlm::BEGIN_REQ;
            sc_time delay = ahead;
            if (registers->nb_transport_fw(trans, phase, delay) != ::tlm::TLM_COMPLETED) wait(answered_);
        }
        finish(state, trans);
    }
    static void finish(benchmark::State& state, const ::tlm::tlm_generic_payload& trans) {
        if (!trans.is_response_ok()) state.SkipWithError("an access failed");
        state.SetItemsProcessed(state.iterations());
    }
    static void transfers(benchmark::State& state, modules::memory_port& port, std::int64_t count) {
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count), 1);
        for (auto _ : state)
            if (port.transfer(::tlm::TLM_WRITE_COMMAND, 0x100, bytes) != hw::ni::host_answer::done)
                state.SkipWithError("a transfer failed");
        state.SetBytesProcessed(state.iterations() * count);
    }
    ::tlm::tlm_sync_enum backward(::tlm::tlm_generic_payload&, ::tlm::tlm_phase&, sc_time&) {
        answered_.notify();
        return ::tlm::TLM_COMPLETED;
    }

    std::uint32_t word_ = 0;
    no_memory keeper_;
    sc_core::sc_event answered_;
    modules::memory_port by_dmi_, by_transport_;
};

}  // namespace

int sc_main(int count, char** arguments) {
    benchmark::Initialize(&count, arguments);
    modules::run_state state("state");
    const auto firmware = [](const hw::ni::ni_params& params, hw::ni::processor_bus& bus, hw::ni::observer*) {
        return std::make_unique<hw::ni::native_processor>(hw::ni::native_firmware::load(POLYCAST_FIRMWARE_LIBRARY),
                                                          hw::ni::native_params{}, params, bus, nullptr);
    };
    modules::ni_module ni("ni", {}, firmware, nullptr, {.period = period, .number = {}}, state);
    bench_host host("host");
    bench_memory direct("direct", true), transported("transported", false), plain("plain", false), own("own", true);
    host.registers.bind(ni.registers);
    host.plain.bind(plain.socket);
    host.direct.bind(direct.socket);
    host.transported.bind(transported.socket);
    ni.memory.bind(own.socket);
    sc_core::sc_start();
    state.rethrow_failure();
    return 0;
}
