// SPDX-License-Identifier: Apache-2.0
// A host of one's own in the network of a scenario: traffic as data, played by a plain TLM-2.0 initiator.
//
//     script -- registers --> ni_module of host0 <-- links --> the network of own_host.yaml, seven hosts of polycast's
//     memory <-- DMI ---------/      \-- interrupt --> script
//
// host2 multicasts 300 bytes to host0, host4 and host7; host0 waits for its copy, then sends 200 bytes to host5.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "hw/input_error.h"
#include "hw/ni/abi/ni_host.h"
#include "hw/ni/abi/ni_registers.h"
#include "tlm/network/scenario_network.h"

namespace network = polycast::tlm::network;

namespace {

/// Host memory that grants DMI.
class ram final : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<ram> socket{"socket"};
    std::vector<unsigned char> bytes = std::vector<unsigned char>(0x10000);

    explicit ram(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.register_b_transport(this, &ram::transport);
        socket.register_get_direct_mem_ptr(this, &ram::grant);
    }
    std::uint32_t word(std::uint32_t address) const {
        std::uint32_t value = 0;
        std::memcpy(&value, &bytes.at(address), sizeof value);
        return value;
    }

private:
    void transport(tlm::tlm_generic_payload& trans, sc_core::sc_time&) {
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

/// One line of a script.
struct step {
    enum class kind { write, expect, expect_memory, wait_for_interrupt, call };
    kind what;
    std::uint32_t address = 0;
    std::vector<std::uint32_t> words = {};
    std::function<void()> function = {};
};
step write(std::uint32_t address, std::vector<std::uint32_t> words) {
    return {step::kind::write, address, std::move(words)};
}
step expect(std::uint32_t address, std::uint32_t word) {
    return {step::kind::expect, address, {word}};
}
step expect_memory(std::uint32_t address, std::vector<std::uint32_t> words) {
    return {step::kind::expect_memory, address, std::move(words)};
}
step wait_for_interrupt() {
    return {step::kind::wait_for_interrupt};
}
step call(std::function<void()> function) {
    return {step::kind::call, 0, {}, std::move(function)};
}

/// Plays a script, by b_transport.
class player final : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(player);

    tlm_utils::simple_initiator_socket<player> socket{"socket"};
    sc_core::sc_in<bool> interrupt{"interrupt"};
    unsigned done = 0, wrong = 0;

    player(const sc_core::sc_module_name& name, std::vector<step> script, const ram& memory)
        : sc_module(name), script_(std::move(script)), memory_(memory) {
        SC_THREAD(play);
    }

private:
    void play() {
        for (const step& line : script_) {
            switch (line.what) {
                case step::kind::write: transport(tlm::TLM_WRITE_COMMAND, line.address, line.words); break;
                case step::kind::expect: {
                    std::vector<std::uint32_t> words(line.words.size());
                    transport(tlm::TLM_READ_COMMAND, line.address, words);
                    compare(line, words);
                    break;
                }
                case step::kind::expect_memory: {
                    std::vector<std::uint32_t> words;
                    for (std::uint32_t at = 0; at < line.words.size(); ++at)
                        words.push_back(memory_.word(line.address + 4 * at));
                    compare(line, words);
                    break;
                }
                case step::kind::wait_for_interrupt:
                    if (!interrupt.read()) wait(interrupt.posedge_event());
                    break;
                case step::kind::call: line.function(); break;
            }
            ++done;
        }
    }
    template <typename words>
    void transport(tlm::tlm_command command, std::uint32_t address, words& data) {
        tlm::tlm_generic_payload trans;
        trans.set_command(command);
        trans.set_address(address);
        trans.set_data_ptr(reinterpret_cast<unsigned char*>(const_cast<std::uint32_t*>(data.data())));
        trans.set_data_length(static_cast<unsigned>(4 * data.size()));
        trans.set_streaming_width(trans.get_data_length());
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(trans, delay);
        wait(delay + sc_core::sc_time(20, sc_core::SC_NS));  // what an access over a host's bus takes
        if (trans.is_response_ok()) return;
        ++wrong;
        std::cout << sc_core::sc_time_stamp() << ": " << trans.get_response_string() << " at 0x" << std::hex << address
                  << std::dec << "\n";
    }
    void compare(const step& line, const std::vector<std::uint32_t>& words) {
        if (words == line.words) return;
        ++wrong;
        std::cout << sc_core::sc_time_stamp() << ": step " << done << ", address 0x" << std::hex << line.address << ":";
        for (std::size_t i = 0; i < words.size(); ++i)
            std::cout << " 0x" << words[i] << (words[i] == line.words[i] ? "" : " (wrong)");
        std::cout << std::dec << "\n";
    }

    std::vector<step> script_;
    const ram& memory_;
};

constexpr std::uint32_t page = NI_HOST_PROCESS_BASE, grant = NI_HOST_GRANT_BASE;   // of process 0
constexpr std::uint32_t queue_at = 0x1000, send_at = 0x2000, receive_at = 0x3000;  // in host memory

int run() {
    const std::string folder = POLYCAST_EXAMPLES;
    network::scenario_network net(
        {.file = folder + "/own_host.yaml", .own = {"host0"}, .overrides = {"ni.firmware=" POLYCAST_FIRMWARE_FOLDER}});
    const std::uint32_t self = net.number_of("host0"), news = net.number_of("host2"), friendly = net.number_of("host5");
    ram memory("memory");
    std::vector<std::uint8_t> letter(200);
    std::iota(letter.begin(), letter.end(), std::uint8_t{7});

    const auto cycle = [&] { return static_cast<std::uint64_t>(sc_core::sc_time_stamp() / net.period()); };
    const std::vector<step> script{
        expect(NI_HOST_ID, NI_HOST_ID_RESET),
        // What a kernel does: a queue for eight completions, a window onto all of host memory, to read and to write.
        write(grant + NI_HOST_GRANT_QUEUE_LOW, {queue_at}),
        write(grant + NI_HOST_GRANT_QUEUE_ENTRIES, {8}),
        write(grant + NI_HOST_GRANT_WINDOW_BASE, {0, 0, 0x10000, 3}),
        write(grant + NI_HOST_GRANT_RIGHTS, {NI_HOST_GRANT_RIGHTS_ENABLE_MASK}),
        // What a process does, in its own page.
        write(page + NI_HOST_PROCESS_QUEUE_INTERRUPT, {1}),
        // A buffer of 1,000 bytes, cookie 42.
        write(page + NI_HOST_PROCESS_COMMAND_BUFFER_BASE, {NI_COMMAND_RECEIVE, 42, receive_at, 1000, 0, 0, 0, 0}),
        write(page + NI_HOST_PROCESS_DOORBELL, {32}),
        wait_for_interrupt(),
        expect(page + NI_HOST_PROCESS_QUEUE_WRITTEN, 1),
        expect_memory(queue_at, {NI_COMPLETION_RECEIVED, 42, news, 0, 300}),
        call([&] { net.board().delivered(cycle(), self, news, 0, std::span(memory.bytes).subspan(receive_at, 300)); }),
        write(page + NI_HOST_PROCESS_QUEUE_READ, {1}),
        // 200 bytes to host5, message 0, cookie 43.
        call([&] {
            std::ranges::copy(letter, memory.bytes.begin() + send_at);
            net.board().sending(self, 0, {friendly}, letter);
        }),
        write(page + NI_HOST_PROCESS_COMMAND_BUFFER_BASE, {NI_COMMAND_SEND, 43, send_at, 200, friendly, 0, 0, 0}),
        write(page + NI_HOST_PROCESS_DOORBELL, {32}),
        wait_for_interrupt(),
        expect(page + NI_HOST_PROCESS_QUEUE_WRITTEN, 2),
        expect_memory(queue_at + 32, {NI_COMPLETION_SENT, 43}),
        write(page + NI_HOST_PROCESS_QUEUE_READ, {2}),
        call([&] { net.finish("host0"); }),
    };
    player host("player", script, memory);
    sc_core::sc_signal<bool> line;
    auto& ni = net.own_host("host0");
    host.socket.bind(ni.registers);
    ni.memory.bind(memory.socket);
    ni.interrupt[0].bind(line);
    host.interrupt.bind(line);

    const polycast::hw::system::run_outcome outcome = net.run();
    const bool complete = outcome.ended == polycast::hw::system::run_outcome::kind::complete;
    for (const std::string& fault : net.faults()) std::cout << fault << "\n";
    if (!complete) std::cout << outcome.diagnosis << "\n";
    const auto own = net.board().counts();
    const auto all = net.board().others().counts().messages;
    std::cout << host.done << " of " << script.size() << " steps, " << host.wrong << " wrong; " << own.delivered
              << " of " << own.expected << " messages of the script and " << all.delivered << " of " << all.expected
              << " of the scenario delivered, every byte checked; " << ni.direct_transfers()
              << " host transfers by DMI, " << ni.transported_transfers() << " by b_transport; " << outcome.cycles
              << " cycles\n";
    const bool good =
        complete && net.board().passed() && net.faults().empty() && host.wrong == 0 && host.done == script.size();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int sc_main(int, char**) {
    try {
        return run();
    } catch (const polycast::hw::input_error& bad) {
        std::cerr << "error: " << bad.what() << "\n";
        return 2;
    }
}
