// SPDX-License-Identifier: Apache-2.0
/// \file An interface that keeps its register contract and nothing else: commands are done in the cycle in which they
/// are rung, messages jump from host memory to host memory after a fixed time.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "hw/host/endpoint.h"
#include "hw/host/host_memory.h"
#include "hw/host/host_processor.h"
#include "hw/host/ni_port.h"
#include "hw/host/process.h"
#include "hw/ni/abi/ni_host.h"
#include "hw/ni/abi/ni_registers.h"
#include "hw/ni/timeline.h"

namespace polycast::hw::host {

inline std::uint32_t word_at(std::span<const std::uint8_t> bytes, std::size_t at) {
    return bytes[at] | std::uint32_t{bytes[at + 1]} << 8 | std::uint32_t{bytes[at + 2]} << 16 |
           std::uint32_t{bytes[at + 3]} << 24;
}

class fake_network;

/// One host's interface.
class fake_ni final : public ni_port {
public:
    fake_ni(fake_network& network, std::uint32_t host) : network_(network), host_(host) {}

    bool host_read(cycle, std::uint32_t address, std::span<std::uint8_t> bytes) override;
    bool host_write(cycle when, std::uint32_t address, std::span<const std::uint8_t> bytes) override;

    /// Writes a completion entry for a process and tells it.
    void complete(cycle when, unsigned process, std::vector<std::uint32_t> words);

    struct command {
        unsigned process;
        std::vector<std::uint32_t> words;
    };
    std::vector<command> commands;  ///< all that were rung
    std::uint32_t space = 64;       ///< COMMAND_SPACE of every process; counts down only while `hold`
    bool hold = false;              ///< commands are kept, not done
    void deliver(cycle when, unsigned process, std::uint32_t source, unsigned source_process, const command& sent,
                 std::span<const std::uint8_t> bytes);
    /// Address of the window that the process was granted.
    std::uint64_t window_address(unsigned process, unsigned window);
    /// Registers of the page of a process, and of its grant.
    std::uint32_t reg(unsigned process, std::uint32_t offset) {
        return registers_[NI_HOST_PROCESS_BASE + process * NI_HOST_PROCESS_STRIDE + offset];
    }
    std::uint32_t granted(unsigned process, std::uint32_t offset) {
        return registers_[NI_HOST_GRANT_BASE + process * NI_HOST_GRANT_STRIDE + offset];
    }
    std::size_t buffers(unsigned process) { return posted_[process].size(); }

private:
    void run(cycle when, const command& what);

    fake_network& network_;
    std::uint32_t host_;
    std::map<std::uint32_t, std::uint32_t> registers_;  ///< by address
    std::map<unsigned, std::vector<std::uint8_t>> buffer_;
    std::map<unsigned, std::deque<command>> posted_;
    std::map<unsigned, std::uint32_t> written_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> groups_;
    friend class fake_network;
};

/// Some hosts on one timeline.
class fake_network {
public:
    fake_network(std::uint32_t count, process_params params, unsigned processes = 1) : params_(params) {
        for (std::uint32_t number = 0; number < count; ++number) {
            auto each = std::make_unique<fake_host>(*this, number);
            for (unsigned process_number = 0; process_number < processes; ++process_number) {
                process_params own = params;
                own.host = number;
                own.hosts = count;
                own.process = process_number;
                own.processes = processes;
                each->processes.push_back(
                    std::make_unique<process>(own, time, each->memory, each->processor, each->interface, each->kernel));
            }
            hosts.push_back(std::move(each));
        }
    }

    struct fake_host {
        fake_host(fake_network& network, std::uint32_t number)
            : processor(number, nullptr), interface(network, number), kernel(network.time, interface) {}
        host_memory memory;
        host_processor processor;
        fake_ni interface;
        manager kernel;
        std::vector<std::unique_ptr<process>> processes;
        std::vector<std::unique_ptr<endpoint>> endpoints;
    };

    /// Starts a program in a process.
    endpoint& run(std::uint32_t host, program_function main, unsigned process_number = 0) {
        fake_host& at = *hosts[host];
        at.endpoints.push_back(
            std::make_unique<endpoint>(host_context{*at.processes[process_number], time, told}, std::move(main)));
        at.processes[process_number]->start(*at.endpoints.back());
        at.endpoints.back()->start();
        return *at.endpoints.back();
    }

    /// Calls `what` in cycle `when`.
    void at(cycle when, std::function<void()> what) {
        calls_.push_back(std::make_unique<call>(std::move(what)));
        time.schedule(when, *calls_.back());
    }

    ni::timeline time;
    engine::effects told;
    cycle delay = 10;  ///< from SENT to RECEIVED
    std::vector<std::unique_ptr<fake_host>> hosts;

private:
    struct call final : ni::timeline::task {
        explicit call(std::function<void()> function) : what(std::move(function)) {}
        void due(cycle, std::uint64_t) override { what(); }
        std::function<void()> what;
    };
    process_params params_;
    std::vector<std::unique_ptr<call>> calls_;
};

inline bool fake_ni::host_read(cycle, std::uint32_t address, std::span<std::uint8_t> bytes) {
    if (bytes.size() != 4) return false;
    const bool page = address >= NI_HOST_PROCESS_BASE && address < NI_HOST_GRANT_BASE;
    std::uint32_t value =
        page && address % NI_HOST_PROCESS_STRIDE == NI_HOST_PROCESS_COMMAND_SPACE ? space : registers_[address];
    for (std::uint8_t& byte : bytes) {
        byte = static_cast<std::uint8_t>(value);
        value >>= 8;
    }
    return true;
}

inline bool fake_ni::host_write(cycle when, std::uint32_t address, std::span<const std::uint8_t> bytes) {
    const bool page = address >= NI_HOST_PROCESS_BASE && address < NI_HOST_GRANT_BASE;
    const unsigned process = address / NI_HOST_PROCESS_STRIDE - 1;
    const std::uint32_t offset = address % NI_HOST_PROCESS_STRIDE;
    if (page && offset >= NI_HOST_PROCESS_COMMAND_BUFFER_BASE) {
        buffer_[process].assign(bytes.begin(), bytes.end());
        return true;
    }
    if (bytes.size() != 4) return false;
    registers_[address] = word_at(bytes, 0);
    if (!page || offset != NI_HOST_PROCESS_DOORBELL) return true;
    command what{process, {}};
    for (std::size_t at = 0; at < word_at(bytes, 0); at += 4) what.words.push_back(word_at(buffer_[process], at));
    commands.push_back(what);
    if (hold) {
        --space;
        return true;
    }
    auto* self = this;
    network_.at(when, [self, what, this] { self->run(network_.time.now(), what); });
    return true;
}

inline std::uint64_t fake_ni::window_address(unsigned process, unsigned window) {
    const std::uint32_t at = NI_HOST_GRANT_WINDOW_BASE + window * NI_HOST_GRANT_WINDOW_STRIDE;
    return granted(process, at) | std::uint64_t{granted(process, at + NI_HOST_GRANT_WINDOW_HIGH)} << 32;
}

inline void fake_ni::run(cycle when, const command& what) {
    const std::vector<std::uint32_t>& words = what.words;
    const std::uint32_t to = words[NI_COMMAND_TO] & 0xffffff;
    const auto answer = [&](std::uint32_t kind) {
        complete(when, what.process, {kind, words[NI_COMMAND_COOKIE], 0, words[NI_COMMAND_MESSAGE], 0, 0, 0xffff});
    };
    std::vector<std::uint32_t> receivers;
    switch (words[NI_COMMAND_OPERATION] & 0xff) {
        case NI_COMMAND_RECEIVE: posted_[what.process].push_back(what); return;
        case NI_COMMAND_SET_GROUP:
            groups_[{to, words[NI_COMMAND_GROUP]}].assign(words.begin() + NI_COMMAND_WORDS, words.end());
            answer(NI_COMPLETION_GROUP_SET);
            return;
        case NI_COMMAND_EXTEND_GROUP: {
            auto& children = groups_[{to, words[NI_COMMAND_GROUP]}];
            children.insert(children.end(), words.begin() + NI_COMMAND_WORDS, words.end());
            answer(NI_COMPLETION_GROUP_SET);
            return;
        }
        case NI_COMMAND_CLEAR_GROUP:
            groups_.erase({to, words[NI_COMMAND_GROUP]});
            answer(NI_COMPLETION_GROUP_SET);
            return;
        case NI_COMMAND_STATISTICS: {
            std::vector<std::uint8_t> counters(4 * NI_STATISTICS);
            for (std::size_t word = 0; word < NI_STATISTICS; ++word)
                counters[4 * word] = static_cast<std::uint8_t>(word + 1);
            network_.hosts[host_]->memory.write(window_address(what.process, words[NI_COMMAND_OPERATION] >> 8 & 0xff),
                                                counters);
            answer(NI_COMPLETION_STATISTICS);
            return;
        }
        case NI_COMMAND_SEND: receivers.push_back(to); break;
        case NI_COMMAND_SEND_WORM:
            for (std::uint32_t host = 0; host < network_.hosts.size(); ++host)
                if ((words[NI_COMMAND_WORDS + host / 32] >> host % 32 & 1) != 0) receivers.push_back(host);
            break;
        case NI_COMMAND_SEND_GROUP:
            if (!groups_.contains({to, words[NI_COMMAND_GROUP] & 0xffff})) {
                complete(when, what.process,
                         {NI_COMPLETION_FAILED | NI_STATUS_UNKNOWN_GROUP << 8, words[NI_COMMAND_COOKIE], 0xffffff,
                          words[NI_COMMAND_MESSAGE], 0, 0, 0xffff});
                return;
            }
            receivers = groups_[{to, words[NI_COMMAND_GROUP] & 0xffff}];
            break;
        default: return;
    }
    std::vector<std::uint8_t> bytes(words[NI_COMMAND_LENGTH]);
    const unsigned window = words[NI_COMMAND_OPERATION] >> 8 & 0xff;
    network_.hosts[host_]->memory.read(window_address(what.process, window) + words[NI_COMMAND_OFFSET], bytes);
    answer(NI_COMPLETION_SENT);
    for (const std::uint32_t receiver : receivers)
        network_.at(when + network_.delay, [this, receiver, what, bytes] {
            network_.hosts[receiver]->interface.deliver(network_.time.now(), what.words[NI_COMMAND_TO] >> 24, host_,
                                                        what.process, what, bytes);
        });
}

inline void fake_ni::deliver(cycle when, unsigned process, std::uint32_t source, unsigned source_process,
                             const command& sent, std::span<const std::uint8_t> bytes) {
    const auto fail = [&](std::uint32_t status) {
        complete(when, process,
                 {NI_COMPLETION_ERROR | status << 8 | source_process << 16, 0, source, sent.words[NI_COMMAND_MESSAGE],
                  static_cast<std::uint32_t>(bytes.size()), sent.words[NI_COMMAND_TAG], 0xffff});
    };
    if (posted_[process].empty()) return fail(NI_STATUS_NO_BUFFER);
    const std::vector<std::uint32_t> buffer = posted_[process].front().words;
    if (bytes.size() > buffer[NI_COMMAND_LENGTH]) return fail(NI_STATUS_BUFFER_TOO_SMALL);
    posted_[process].pop_front();
    network_.hosts[host_]->memory.write(
        window_address(process, buffer[NI_COMMAND_OPERATION] >> 8 & 0xff) + buffer[NI_COMMAND_OFFSET], bytes);
    const bool group = (sent.words[NI_COMMAND_OPERATION] & 0xff) == NI_COMMAND_SEND_GROUP;
    complete(when, process,
             {NI_COMPLETION_RECEIVED | source_process << 16, buffer[NI_COMMAND_COOKIE], source,
              sent.words[NI_COMMAND_MESSAGE], static_cast<std::uint32_t>(bytes.size()), sent.words[NI_COMMAND_TAG],
              group ? sent.words[NI_COMMAND_GROUP] & 0xffff : 0xffff});
}

inline void fake_ni::complete(cycle when, unsigned process, std::vector<std::uint32_t> words) {
    words.resize(NI_COMPLETION_WORDS);
    const std::uint32_t entry = written_[process]++;
    words[NI_COMPLETION_NUMBER] = entry + 1;
    std::vector<std::uint8_t> bytes;
    for (const std::uint32_t word : words)
        for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(word >> shift));
    const std::uint64_t queue =
        granted(process, NI_HOST_GRANT_QUEUE_LOW) | std::uint64_t{granted(process, NI_HOST_GRANT_QUEUE_HIGH)} << 32;
    network_.hosts[host_]->memory.write(
        queue + std::uint64_t{entry % granted(process, NI_HOST_GRANT_QUEUE_ENTRIES)} * bytes.size(), bytes);
    network_.hosts[host_]->processes[process]->completion(when);
}

}  // namespace polycast::hw::host
