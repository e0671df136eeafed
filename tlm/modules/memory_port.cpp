// SPDX-License-Identifier: Apache-2.0
#define SC_INCLUDE_DYNAMIC_PROCESSES  // sc_spawn
#include "tlm/modules/memory_port.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <string>
#include <utility>

#include "tlm/modules/pasid_extension.h"

namespace polycast::tlm::modules {

using hw::ni::host_answer;

namespace {

/// A payload that says whose it is. A payload frees the extensions that it still has at its end; this one is not its
/// to free.
class transaction final : public ::tlm::tlm_generic_payload {
public:
    explicit transaction(unsigned process) : pasid_(process) { set_extension(&pasid_); }
    ~transaction() override { clear_extension(&pasid_); }

private:
    pasid_extension pasid_;
};

}  // namespace

memory_port::memory_port(std::function<forward*()> target, std::function<void()> answered,
                         std::function<void(const std::string&)> failed)
    : target_(std::move(target)), answered_(std::move(answered)), failed_(std::move(failed)) {
    for (unsigned direction = 0; direction < jobs_.size(); ++direction)
        sc_core::sc_spawn([this, direction] { work(direction); },
                          direction == 0 ? "reads_of_host_memory" : "writes_of_host_memory");
}

host_answer memory_port::transfer(::tlm::tlm_command command, unsigned process, std::uint64_t address,
                                  std::span<std::uint8_t> bytes) {
    if (bytes.empty()) return host_answer::done;
    job& own = jobs_[command == ::tlm::TLM_WRITE_COMMAND ? 1 : 0];
    if (own.at == job::step::running) return host_answer::later;
    if (own.at == job::step::done && own.process == process && own.address == address &&
        own.bytes.size() == bytes.size())
        return collect(own, bytes);
    if (const place there = direct(command, process, address, bytes.size());
        there.at != nullptr && there.latency == sc_core::SC_ZERO_TIME) {
        move(command, there.at, bytes);
        return host_answer::done;
    }
    own.command = command;
    own.process = process;
    own.address = address;
    own.bytes.assign(bytes.begin(), bytes.end());
    own.at = job::step::running;
    own.late = false;
    own.start.notify();
    // Back in the same moment if the target answers in it, however many delta cycles that takes.
    sc_core::wait(sc_core::sc_get_time_resolution(), own.finished);
    if (own.at == job::step::done) return collect(own, bytes);
    own.late = true;
    return host_answer::later;
}

host_answer memory_port::collect(job& finished, std::span<std::uint8_t> bytes) {
    finished.at = job::step::none;
    if (!finished.good) return host_answer::refused;
    if (finished.command == ::tlm::TLM_READ_COMMAND) std::ranges::copy(finished.bytes, bytes.begin());
    return host_answer::done;
}

void memory_port::work(unsigned direction) {
    job& own = jobs_[direction];
    while (true) {
        sc_core::wait(own.start);
        own.good = perform(own);
        own.at = job::step::done;
        if (own.late) {
            answered_();
        } else {
            own.finished.notify();
        }
    }
}

bool memory_port::perform(job& wanted) {
    if (const place there = direct(wanted.command, wanted.process, wanted.address, wanted.bytes.size());
        there.at != nullptr) {
        move(wanted.command, there.at, wanted.bytes);
        sc_core::wait(there.latency * static_cast<double>(wanted.bytes.size()));
        return true;
    }
    try {
        return transport(wanted);
    } catch (const sc_core::sc_unwind_exception&) {
        throw;  // SystemC ends the thread
    } catch (const std::exception& error) {
        failed_(std::string("host memory: ") + error.what());
        return false;
    }
}

bool memory_port::transport(job& wanted) {
    transaction trans(wanted.process);
    trans.set_command(wanted.command);
    trans.set_address(wanted.address);
    trans.set_data_ptr(wanted.bytes.data());
    trans.set_data_length(static_cast<unsigned>(wanted.bytes.size()));
    trans.set_streaming_width(static_cast<unsigned>(wanted.bytes.size()));
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    target_()->b_transport(trans, delay);
    if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
    ++transported_;
    if (!trans.is_response_ok()) return false;
    if (trans.is_dmi_allowed()) {
        ::tlm::tlm_dmi region;
        if (target_()->get_direct_mem_ptr(trans, region))
            granted_[{wanted.process, region.get_start_address()}] = region;
    }
    return true;
}

void memory_port::forget(std::uint64_t first, std::uint64_t last) {
    std::erase_if(granted_, [&](const auto& entry) {
        return entry.second.get_start_address() <= last && entry.second.get_end_address() >= first;
    });
}

memory_port::place memory_port::direct(::tlm::tlm_command command, unsigned process, std::uint64_t address,
                                       std::size_t count) const {
    const auto after = granted_.upper_bound({process, address});
    if (after == granted_.begin() || std::prev(after)->first.first != process) return {};
    const ::tlm::tlm_dmi& region = std::prev(after)->second;
    const bool read = command == ::tlm::TLM_READ_COMMAND;
    const bool inside = address <= region.get_end_address() && count - 1 <= region.get_end_address() - address;
    const bool allowed = read ? region.is_read_allowed() : region.is_write_allowed();
    if (!inside || !allowed) return {};
    return {region.get_dmi_ptr() + (address - region.get_start_address()),
            read ? region.get_read_latency() : region.get_write_latency()};
}

void memory_port::move(::tlm::tlm_command command, std::uint8_t* memory, std::span<std::uint8_t> bytes) {
    if (command == ::tlm::TLM_READ_COMMAND) {
        std::memcpy(bytes.data(), memory, bytes.size());
    } else {
        std::memcpy(memory, bytes.data(), bytes.size());
    }
    ++direct_;
}

}  // namespace polycast::tlm::modules
