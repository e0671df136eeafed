// SPDX-License-Identifier: Apache-2.0
/// \file What a wave file shall contain.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hw/engine/chip.h"
#include "tlm/trace/wave_writer.h"

namespace polycast::tlm::trace {

/// Options of one wave file.
struct trace_config {
    std::filesystem::path file = "waves.fst";  ///< the GTKWave save file is written beside it, with ending .gtkw
    wave_format format = wave_format::fst;
    std::vector<std::string> chips;            ///< names; empty = all
    hw::engine::cycle from = 0;                ///< first cycle that is recorded
    hw::engine::cycle to = hw::engine::never;  ///< first cycle that is not
    hw::engine::cycle last = 0;  ///< if not 0, only the last so many cycles before the end of the run are kept
    /// If set, only the cycles around one event are kept: the object that detects it calls wave_recorder::trigger().
    struct around {
        hw::engine::cycle before = 200, after = 50;
    };
    std::optional<around> trigger = {};
    bool pins = true;     ///< flits, credits and errors on every port
    bool state = true;    ///< chip_probe: input buffers and outputs
    bool packets = true;  ///< the header of the packet on every port, decoded
    bool clock = false;   ///< signals `clk` and `cycle`; with the default period the time axis counts cycles anyway
    std::uint64_t period_ps = 1000;  ///< one cycle on the time axis, in picoseconds
};

}  // namespace polycast::tlm::trace
