// SPDX-License-Identifier: Apache-2.0
/// \file GTKWave save files: which signals to show, grouped and named for people.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
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
    std::uint64_t differed = 0;      ///< ports that differed from the reference in the first cycle in which any did
    std::uint64_t followed = 0;      ///< and others that did so later
    std::uint64_t errors = 0;        ///< ports with an error, of the chip or of the reference
    bool spoilt = false;             ///< a fault began on a wire of the cable
};

/// Cycles.
struct save_view {
    hw::engine::cycle begin = 0, end = 0;   ///< of the recording
    hw::engine::cycle first = 0;            ///< of the first activity
    std::optional<hw::engine::cycle> mark;  ///< the event of interest; nothing: the first activity
    bool differs = false;                   ///< the mark is the first difference from a reference
};

/// Writes a save file beside `config.file`, ending .gtkw, and for VCD translate filters beside it. The marker is at the
/// mark, shown with the cycles before it, or at the first activity, with the cycles after it; a difference from a
/// reference is in the middle of few cycles, in which data can be read.
/// Groups of a chip: pins beside those of the reference at the ports that differed first, packets on the ports in use,
/// input buffers, outputs and credits, then every port in full; differences and the packets of the chips with traffic
/// are open, everything else is closed. A file ending .sucl has the open groups and the marker for Surfer. \returns the
/// save file. \throws hw::input_error when a file cannot be written.
std::filesystem::path write_gtkwave_save(const trace_config& config, const network_signals& network,
                                         const std::vector<save_chip>& chips, const save_view& view);

}  // namespace polycast::tlm::trace
