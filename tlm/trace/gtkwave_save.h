// SPDX-License-Identifier: Apache-2.0
/// \file GTKWave save files: which signals to show, grouped and named for people.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tlm/trace/chip_signals.h"
#include "tlm/trace/trace_config.h"

namespace polycast::tlm::trace {

/// What the save file says about a chip.
struct save_chip {
    const chip_signals* signals;
    std::string title;
    std::vector<std::string> peers;  ///< [port] what is at the other end; may be empty
    std::uint64_t seen_in = 0;       ///< ports that flits came in through
    std::uint64_t seen_out = 0;      ///< ports that flits left through
};

/// Writes a save file beside `config.file`, ending .gtkw, and for VCD translate filters beside it. The view begins a
/// little before `first` (the first activity) with a marker there; `end` is the end of the recording, both in cycles.
/// Groups of a chip: packets on the ports in use, input buffers, outputs and credits, then every port in full; the
/// packets of the chips with traffic are open, everything else is closed.
/// \returns the save file. \throws hw::input_error when a file cannot be written.
std::filesystem::path write_gtkwave_save(const trace_config& config, const network_signals& network,
                                         const std::vector<save_chip>& chips, hw::engine::cycle first,
                                         hw::engine::cycle end);

}  // namespace polycast::tlm::trace
