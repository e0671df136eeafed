// SPDX-License-Identifier: Apache-2.0
/// \file Host memory as a network interface accesses it: through an initiator socket of the base protocol.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "hw/ni/host_side.h"

namespace polycast::tlm::modules {

/// Makes one transfer in each direction at a time, from a thread. What the target answers in the same moment is done at
/// once, whatever delta cycles that took, so DMI, b_transport and a target with phases give the same cycles. A target
/// that takes time is waited for: annotated delay, waits, and the latency of DMI, which counts per byte (IEEE
/// 1666-2011, 11.2.5). Transactions say whose they are (pasid_extension), requests for DMI too.
class memory_port {
public:
    using forward = ::tlm::tlm_fw_transport_if<>;

    /// `target` gives the interface that the socket is bound to, once it is. `answered` is called by a thread, which
    /// may wait in it, when a transfer that was to be asked for `later` may be asked for again; `failed` when the
    /// target throws. Made in the constructor of a module.
    memory_port(std::function<forward*()> target, std::function<void()> answered,
                std::function<void(const std::string&)> failed);

    /// From a thread, which may wait here for one unit of SystemC's time resolution. With `later` it is to be called
    /// again when the memory has answered, with the same process, address and number of bytes.
    hw::ni::host_answer transfer(::tlm::tlm_command command, unsigned process, std::uint64_t address,
                                 std::span<std::uint8_t> bytes);
    /// The target withdraws what it granted between two addresses.
    void forget(std::uint64_t first, std::uint64_t last);

    /// Transfers that went by DMI, and by b_transport.
    std::uint64_t direct_transfers() const { return direct_; }
    std::uint64_t transported_transfers() const { return transported_; }

private:
    /// A transfer that needs more than a copy.
    struct job {
        enum class step : std::uint8_t { none, running, done };

        sc_core::sc_event start;
        sc_core::sc_event finished;
        step at = step::none;
        bool late = false;  ///< its requester has been told so
        ::tlm::tlm_command command = ::tlm::TLM_IGNORE_COMMAND;
        unsigned process = 0;
        std::uint64_t address = 0;
        std::vector<std::uint8_t> bytes;
        bool good = false;
    };
    /// Memory that may be used directly.
    struct place {
        std::uint8_t* at = nullptr;
        sc_core::sc_time latency;
    };

    void work(unsigned direction);
    bool perform(job& wanted);
    bool transport(job& wanted);
    static hw::ni::host_answer collect(job& finished, std::span<std::uint8_t> bytes);
    place direct(::tlm::tlm_command command, unsigned process, std::uint64_t address, std::size_t count) const;
    void move(::tlm::tlm_command command, std::uint8_t* memory, std::span<std::uint8_t> bytes);

    std::function<forward*()> target_;
    std::function<void()> answered_;
    std::function<void(const std::string&)> failed_;
    std::array<job, 2> jobs_;  ///< reads, writes
    /// By process and first address: what one process may access directly another may not.
    std::map<std::pair<unsigned, std::uint64_t>, ::tlm::tlm_dmi> granted_;
    std::uint64_t direct_ = 0;
    std::uint64_t transported_ = 0;
};

}  // namespace polycast::tlm::modules
