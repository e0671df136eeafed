// SPDX-License-Identifier: Apache-2.0
// Two network interfaces back to back, each driven by a host that knows nothing but TLM-2.0: with and without DMI,
// blocking and non-blocking. All four ways must end with the same bytes at the same time.
#include "tlm/modules/ni_module.h"

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "firmware/include/ni_host.h"
#include "firmware/include/ni_registers.h"
#include "hw/ni/native_processor.h"
#include "tlm/modules/link_module.h"

namespace polycast::tlm::modules {
namespace {

using sc_core::sc_time;

const sc_time period(5, sc_core::SC_NS);
constexpr std::uint32_t queue_at = 0x1000, window_at = 0x4000, window_bytes = 0x4000, message_bytes = 1000;

/// Host memory, with or without direct access.
class ram final : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<ram> socket{"socket"};
    std::vector<unsigned char> bytes = std::vector<unsigned char>(0x10000);
    unsigned transports = 0;

    ram(const sc_core::sc_module_name& name, bool direct) : sc_module(name), direct_(direct) {
        socket.register_b_transport(this, &ram::transport);
        socket.register_get_direct_mem_ptr(this, &ram::grant);
    }

private:
    void transport(::tlm::tlm_generic_payload& trans, sc_time&) {
        ++transports;
        if (trans.get_address() + trans.get_data_length() > bytes.size()) {
            trans.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        unsigned char* const at = bytes.data() + trans.get_address();
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
        region.set_dmi_ptr(bytes.data());
        region.set_end_address(bytes.size() - 1);
        region.allow_read_write();
        return direct_;
    }

    bool direct_;
};

/// A processor with the program of one side: sends one message, or receives one.
class cpu final : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(cpu);

    tlm_utils::simple_initiator_socket<cpu> socket{"socket"};
    sc_core::sc_in<bool> interrupt{"interrupt"};
    std::array<std::uint32_t, NI_COMPLETION_WORDS> completion{};
    sc_time done;

    cpu(const sc_core::sc_module_name& name, ram& memory, bool sender, bool blocking)
        : sc_module(name), memory_(memory), sender_(sender), blocking_(blocking) {
        socket.register_nb_transport_bw(this, &cpu::response);
        SC_THREAD(program);
    }

private:
    ::tlm::tlm_sync_enum response(::tlm::tlm_generic_payload&, ::tlm::tlm_phase& phase, sc_time&) {
        if (phase != ::tlm::BEGIN_RESP) return ::tlm::TLM_ACCEPTED;
        answered_.notify(sc_core::SC_ZERO_TIME);
        return ::tlm::TLM_COMPLETED;
    }

    void transport(::tlm::tlm_command command, std::uint32_t address, void* data, unsigned count) {
        // Non-blocking transactions have a life of their own, and need a memory manager's counter only where they
        // outlive the call: this one is waited for.
        ::tlm::tlm_generic_payload trans;
        trans.set_command(command);
        trans.set_address(address);
        trans.set_data_ptr(static_cast<unsigned char*>(data));
        trans.set_data_length(count);
        trans.set_streaming_width(count);
        sc_time delay = sc_core::SC_ZERO_TIME;
        if (blocking_) {
            socket->b_transport(trans, delay);
        } else {
            struct no_memory final : ::tlm::tlm_mm_interface {
                void free(::tlm::tlm_generic_payload*) override {}
            } keeper;
            trans.set_mm(&keeper);
            trans.acquire();
            ::tlm::tlm_phase phase = ::tlm::BEGIN_REQ;
            const ::tlm::tlm_sync_enum state = socket->nb_transport_fw(trans, phase, delay);
            if (state != ::tlm::TLM_COMPLETED) wait(answered_);
            trans.release();
        }
        ASSERT_TRUE(trans.is_response_ok()) << std::hex << address;
    }

    void write(std::uint32_t offset, std::uint32_t value) {
        transport(::tlm::TLM_WRITE_COMMAND, NI_HOST_PROCESS_BASE + offset, &value, 4);
    }
    std::uint32_t read(std::uint32_t offset) {
        std::uint32_t value = 0;
        transport(::tlm::TLM_READ_COMMAND, NI_HOST_PROCESS_BASE + offset, &value, 4);
        return value;
    }
    void command(std::array<std::uint32_t, NI_COMMAND_WORDS> words) {
        transport(::tlm::TLM_WRITE_COMMAND, NI_HOST_PROCESS_BASE + NI_HOST_PROCESS_COMMAND_BUFFER_BASE, words.data(),
                  sizeof words);
        write(NI_HOST_PROCESS_DOORBELL, sizeof words);
    }

    void program() {
        write(NI_HOST_PROCESS_QUEUE_LOW, queue_at);
        write(NI_HOST_PROCESS_QUEUE_ENTRIES, 16);
        write(NI_HOST_PROCESS_QUEUE_INTERRUPT, 1);
        write(NI_HOST_PROCESS_WINDOW_BASE + NI_HOST_PROCESS_WINDOW_LOW, window_at);
        write(NI_HOST_PROCESS_WINDOW_BASE + NI_HOST_PROCESS_WINDOW_BYTES, window_bytes);
        write(NI_HOST_PROCESS_WINDOW_BASE + NI_HOST_PROCESS_WINDOW_ALLOW,
              NI_HOST_PROCESS_WINDOW_ALLOW_READ_MASK | NI_HOST_PROCESS_WINDOW_ALLOW_WRITE_MASK);
        if (sender_) {
            wait(sc_time(1, sc_core::SC_US));
            std::iota(memory_.bytes.begin() + window_at, memory_.bytes.begin() + window_at + message_bytes,
                      static_cast<unsigned char>(3));
            command({NI_COMMAND_SEND, 41, 0, message_bytes, 1, 0, 9, 77});
        } else {
            command({NI_COMMAND_RECEIVE, 42, 0x100, 2000});
        }
        if (!interrupt.read()) wait(interrupt.posedge_event());
        done = sc_core::sc_time_stamp();
        std::memcpy(completion.data(), memory_.bytes.data() + queue_at, sizeof completion);
        EXPECT_EQ(read(NI_HOST_PROCESS_QUEUE_WRITTEN), 1u);
        write(NI_HOST_PROCESS_QUEUE_READ, 1);
        wait(interrupt.negedge_event());
    }

    ram& memory_;
    bool sender_, blocking_;
    sc_core::sc_event answered_;
};

/// One host with its interface.
struct node {
    node(const std::string& name, std::uint32_t host, bool direct, bool blocking, run_state& state)
        : memory((name + "_ram").c_str(), direct),
          processor((name + "_cpu").c_str(), memory, host == 0, blocking),
          ni((name + "_ni").c_str(), params(host), native(), nullptr, {.period = period, .number = {}}, state) {
        processor.socket.bind(ni.registers);
        ni.memory.bind(memory.socket);
        ni.interrupt[0].bind(line);
        processor.interrupt.bind(line);
    }

    static hw::ni::ni_params params(std::uint32_t host) {
        hw::ni::ni_params made;
        made.host = host;
        made.hosts = 2;
        return made;
    }
    static hw::ni::processor_factory native() {
        return [](const hw::ni::ni_params& interface, hw::ni::processor_bus& bus) {
            hw::ni::native_params times;
            times.cycles[NI_OPERATION_SEND] = times.cycles[NI_OPERATION_RECEIVE] = 100;
            return std::make_unique<hw::ni::native_processor>(hw::ni::native_firmware::load(POLYCAST_FIRMWARE_LIBRARY),
                                                              times, interface, bus, nullptr);
        };
    }

    ram memory;
    cpu processor;
    ni_module ni;
    sc_core::sc_signal<bool> line;
};

struct pair {
    pair(const std::string& name, bool direct, bool blocking)
        : state((name + "_state").c_str()),
          a(name + "_a", 0, direct, blocking, state),
          b(name + "_b", 1, direct, blocking, state),
          link((name + "_link").c_str(), {.delay = 1, .chunk_flits = 8}, period, state) {
        link.join(a.ni, 0, b.ni, 0);
    }

    run_state state;
    node a, b;
    link_module link;
};

TEST(ni_module, any_initiator_and_any_memory_give_the_same) {
    std::vector<std::unique_ptr<pair>> pairs;
    for (const bool direct : {false, true}) {
        for (const bool blocking : {false, true})
            pairs.push_back(std::make_unique<pair>("pair" + std::to_string(pairs.size()), direct, blocking));
    }
    sc_core::sc_start();
    for (const auto& p : pairs) {
        p->state.rethrow_failure();
        const auto& received = p->b.processor.completion;
        EXPECT_EQ(received[NI_COMPLETION_KIND] & 0xffff, NI_COMPLETION_RECEIVED | NI_STATUS_OK << 8);
        EXPECT_EQ(received[NI_COMPLETION_COOKIE], 42u);
        EXPECT_EQ(received[NI_COMPLETION_SOURCE] & 0xffffff, 0u);
        EXPECT_EQ(received[NI_COMPLETION_MESSAGE], 9u);
        EXPECT_EQ(received[NI_COMPLETION_LENGTH], message_bytes);
        EXPECT_EQ(received[NI_COMPLETION_TAG], 77u);
        EXPECT_EQ(received[NI_COMPLETION_NUMBER], 1u);
        EXPECT_EQ(p->a.processor.completion[NI_COMPLETION_COOKIE], 41u);
        EXPECT_TRUE(std::equal(p->a.memory.bytes.begin() + window_at,
                               p->a.memory.bytes.begin() + window_at + message_bytes,
                               p->b.memory.bytes.begin() + window_at + 0x100));
        EXPECT_EQ(p->b.processor.done, pairs[0]->b.processor.done);
        EXPECT_EQ(p->a.processor.done, pairs[0]->a.processor.done);
        EXPECT_GT(p->b.processor.done, sc_time(1, sc_core::SC_US) + 8 * 100 * period);
    }
    EXPECT_EQ(pairs[0]->b.ni.direct_transfers(), 0u);
    EXPECT_EQ(pairs[0]->b.memory.transports, pairs[0]->b.ni.transported_transfers());
    // With DMI all but the first transfer go past the socket.
    EXPECT_EQ(pairs[2]->b.memory.transports, 1u);
    EXPECT_EQ(pairs[2]->b.ni.direct_transfers() + 1, pairs[0]->b.ni.transported_transfers());
}

}  // namespace
}  // namespace polycast::tlm::modules
