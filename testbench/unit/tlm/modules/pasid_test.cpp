// SPDX-License-Identifier: Apache-2.0
// An own host whose IOMMU refuses one process the memory of another, though the host's manager has granted it a window
// there by mistake; with and without DMI.
#include "tlm/modules/pasid_extension.h"

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "hw/ni/abi/ni_host.h"
#include "hw/ni/abi/ni_registers.h"
#include "hw/ni/native_processor.h"
#include "testbench/unit/tlm/modules/own_host_rig.h"
#include "tlm/modules/ni_module.h"

namespace polycast::tlm::modules {
namespace {

using namespace testbench;
using testing::ElementsAre;

const sc_time period(5, sc_core::SC_NS);
/// Each process has that much of host memory, one part behind the other.
constexpr std::uint32_t part = 0x1000;
constexpr std::uint32_t queue_at = 0x800, entries = 16;
constexpr unsigned own_window = 0, others_window = 1;

/// Host memory behind an IOMMU: a process reaches its own part only.
class guarded_memory final : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<guarded_memory> socket{"socket"};
    std::vector<unsigned char> bytes = std::vector<unsigned char>(2 * part);
    std::vector<unsigned> refused;  ///< processes, by access
    unsigned unnamed = 0;           ///< accesses that do not say whose they are

    guarded_memory(const sc_core::sc_module_name& name, bool direct) : sc_module(name), direct_(direct) {
        socket.register_b_transport(this, &guarded_memory::transport);
        socket.register_get_direct_mem_ptr(this, &guarded_memory::grant);
    }

private:
    using payload = ::tlm::tlm_generic_payload;

    unsigned process_of(const payload& trans) {
        const auto* const pasid = trans.get_extension<pasid_extension>();
        if (pasid == nullptr) ++unnamed;
        return pasid == nullptr ? ~0u : pasid->process;
    }
    void transport(payload& trans, sc_time&) {
        const unsigned process = process_of(trans);
        if (trans.get_address() / part != process || trans.get_address() % part + trans.get_data_length() > part) {
            refused.push_back(process);
            trans.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        unsigned char* const at = &bytes[trans.get_address()];
        if (trans.is_read()) {
            std::memcpy(trans.get_data_ptr(), at, trans.get_data_length());
        } else {
            std::memcpy(at, trans.get_data_ptr(), trans.get_data_length());
        }
        trans.set_dmi_allowed(direct_);
        trans.set_response_status(::tlm::TLM_OK_RESPONSE);
    }
    /// The part of the process that asks.
    bool grant(payload& trans, ::tlm::tlm_dmi& region) {
        const unsigned process = process_of(trans);
        region.init();
        region.set_start_address(std::uint64_t{process} * part);
        region.set_end_address(std::uint64_t{process + 1} * part - 1);
        region.set_dmi_ptr(&bytes[std::size_t{process} * part]);
        region.allow_read_write();
        return direct_;
    }

    bool direct_;
};

/// Two processes, of which each is granted a window onto its own part of memory and, by mistake, one onto the other's.
struct two_processes {
    two_processes(const std::string& name, bool direct)
        : state((name + "_state").c_str()),
          memory((name + "_ram").c_str(), direct),
          processor((name + "_cpu").c_str(), access_style::blocking, sc_core::SC_ZERO_TIME),
          ni((name + "_ni").c_str(), params(), firmware(), nullptr, {.period = period, .number = {}}, state) {
        processor.socket.bind(ni.registers);
        ni.memory.bind(memory.socket);
        processor.interrupt.bind(line);
        processor.program = [this](own_processor& cpu) { run(cpu); };
    }
    static hw::ni::ni_params params() {
        hw::ni::ni_params made;
        made.hosts = 2;
        made.processes = 2;
        return made;
    }
    static hw::ni::processor_factory firmware() {
        return [](const hw::ni::ni_params& interface, hw::ni::processor_bus& bus, hw::ni::observer*) {
            return std::make_unique<hw::ni::native_processor>(hw::ni::native_firmware::load(POLYCAST_FIRMWARE_LIBRARY),
                                                              hw::ni::native_params{}, interface, bus, nullptr);
        };
    }

    void run(own_processor& cpu) {
        for (unsigned process = 0; process < 2; ++process) {
            const std::uint32_t grant = NI_HOST_GRANT_BASE + process * NI_HOST_GRANT_STRIDE;
            cpu.write(grant + NI_HOST_GRANT_QUEUE_LOW, process * part + queue_at);
            cpu.write(grant + NI_HOST_GRANT_QUEUE_ENTRIES, entries);
            const std::uint32_t windows = grant + NI_HOST_GRANT_WINDOW_BASE;
            cpu.write(windows, std::vector<std::uint32_t>{process * part, 0, queue_at, 3});
            cpu.write(windows + NI_HOST_GRANT_WINDOW_STRIDE,
                      std::vector<std::uint32_t>{(1 - process) * part, 0, queue_at, 3});
            cpu.write(grant + NI_HOST_GRANT_RIGHTS,
                      NI_HOST_GRANT_RIGHTS_ENABLE_MASK | NI_HOST_GRANT_RIGHTS_OBSERVE_MASK);
        }
        for (const unsigned process : {0u, 1u, 0u, 1u}) write_counters(cpu, process, own_window);
        std::fill_n(memory.bytes.begin(), queue_at, canary);
        write_counters(cpu, 1, others_window);
        // The other direction: a message out of it.
        command(cpu, 1, {NI_COMMAND_SEND | others_window << 8, 1, 0, 100, 1});
    }
    /// The interface writes its counters into a window.
    void write_counters(own_processor& cpu, unsigned process, unsigned window) {
        command(cpu, process, {NI_COMMAND_STATISTICS | window << 8, 1, 0, 4 * NI_STATISTICS});
    }
    void command(own_processor& cpu, unsigned process, std::vector<std::uint32_t> words) {
        words.resize(NI_COMMAND_WORDS);
        const std::uint32_t page = NI_HOST_PROCESS_BASE + process * NI_HOST_PROCESS_STRIDE;
        cpu.write(page + NI_HOST_PROCESS_COMMAND_BUFFER_BASE, words);
        cpu.write(page + NI_HOST_PROCESS_DOORBELL, 4 * NI_COMMAND_WORDS);
        cpu.pass(sc_time(50, sc_core::SC_US));
    }
    /// Kind and status of the completions of a process.
    std::vector<std::uint32_t> completions(unsigned process) const {
        std::vector<std::uint32_t> found;
        for (std::uint32_t entry = 0; entry < entries; ++entry) {
            std::array<std::uint32_t, NI_COMPLETION_WORDS> words{};
            std::memcpy(words.data(), &memory.bytes[process * part + queue_at + entry * sizeof words], sizeof words);
            if (words[NI_COMPLETION_NUMBER] == entry + 1) found.push_back(words[NI_COMPLETION_KIND] & 0xffff);
        }
        return found;
    }

    static constexpr unsigned char canary = 0xee;
    run_state state;
    guarded_memory memory;
    own_processor processor;
    ni_module ni;
    sc_core::sc_signal<bool> line;
};

TEST(pasid, an_iommu_refuses_one_process_the_memory_of_another) {
    two_processes plain("plain", false);
    two_processes direct("direct", true);
    sc_core::sc_start(sc_time(1, sc_core::SC_MS));
    constexpr std::uint32_t written = NI_COMPLETION_STATISTICS | NI_STATUS_OK << 8;
    constexpr std::uint32_t refused = NI_COMPLETION_FAILED | NI_STATUS_REFUSED << 8;
    for (two_processes* const host : {&plain, &direct}) {
        SCOPED_TRACE(host->ni.name());
        host->state.rethrow_failure();
        EXPECT_TRUE(host->processor.done);
        EXPECT_THAT(host->processor.failures, testing::IsEmpty());
        EXPECT_THAT(host->completions(0), ElementsAre(written, written));
        EXPECT_THAT(host->completions(1), ElementsAre(written, written, refused, refused));
        EXPECT_THAT(host->memory.refused, ElementsAre(1, 1)) << "a write and a read";
        EXPECT_EQ(host->memory.unnamed, 0u);
        EXPECT_THAT(std::span(host->memory.bytes).first(queue_at), testing::Each(two_processes::canary));
        EXPECT_EQ(host->ni.interface().statistics().packets_out, 0u);
        EXPECT_EQ(host->ni.interface().statistics().transfers_refused, 2u);
    }
    EXPECT_EQ(plain.ni.direct_transfers(), 0u);
    EXPECT_GT(direct.ni.direct_transfers(), 4u) << "what is granted to one process is not used for the other";
}

}  // namespace
}  // namespace polycast::tlm::modules
