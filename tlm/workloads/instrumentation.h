// SPDX-License-Identifier: Apache-2.0
/// \file Instrumentation of a run: what it records besides its results.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/engine/network.h"
#include "tlm/scenario/scenario.h"
#include "tlm/trace/packet_log.h"
#include "tlm/trace/trace_config.h"

namespace polycast::tlm::sim {

/// Instrumentation of the firmware of one host, whose interface runs it on `iss`.
struct tool_request {
    std::string host;
    std::filesystem::path profile;       ///< file for cycles by function and the depth of the stack; empty: none
    std::filesystem::path instructions;  ///< file for a line per instruction; empty: none
    std::optional<std::uint16_t> gdb;    ///< port on the loopback address that gdb is waited for, 0: any free one

    /// Lines of the instruction file, at most.
    static constexpr std::uint64_t most_instructions = 1'000'000;
};

/// Waves of one of a run's networks.
struct wave_request {
    std::uint64_t message = 0;  ///< which of the single multicasts; 0 otherwise
    trace::trace_config config;
    std::optional<scenario::trigger_settings> trigger = {};  ///< only around an event
};

/// A log of all packets of a network.
struct packet_log_request {
    std::filesystem::path file;
    std::string workload;  ///< its name
    trace::log_window window;
};

/// All instrumentation of a run. If the run has single multicasts, everything except waves records the first one.
struct instrumentation {
    std::optional<wave_request> waves = {};
    std::optional<packet_log_request> packets = {};
    bool activity = false;
    std::vector<tool_request> tools = {};
    hw::engine::observer* beside = nullptr;              ///< is shown all steps; outlives the run
    trace::packet_store* passages = nullptr;             ///< is given all passages of packets; outlives the run
    std::function<void(const std::string&)> doing = {};  ///< words that are shown with the progress told next
    std::function<void(double)> progress = {};  ///< called from time to time with the part that is done, 0 to 1
};

}  // namespace polycast::tlm::sim
