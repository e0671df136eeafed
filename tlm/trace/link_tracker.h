// SPDX-License-Identifier: Apache-2.0
/// \file The frames and ordered sets on one direction of a cable's wire, read from the symbols that pass.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "hw/engine/chip.h"

namespace polycast::tlm::trace {

/// What ended last on a wire. Ordered sets have the numbers of chips::set_type, frames follow.
enum class link_item : std::uint8_t {
    none,
    init,
    init_echo,
    ack,
    nack,
    cf_update,
    frame,
    cc_update,
    cut,
    bad_set,    ///< its check is wrong
    bad_frame,  ///< of a type that there is not
};

/// In their order; without spaces, for wave files.
inline constexpr std::array<std::string_view, 11> link_item_names = {
    "-", "init", "init_echo", "ack", "nack", "cf_update", "frame", "cc_update", "cut", "bad_set", "bad_frame"};

/// Reads trailers and ordered sets; where flits have less than 8 bytes, they come in several symbols.
class link_tracker {
public:
    /// \param beside trailers and sets are on wires of their own
    link_tracker(unsigned flit_bytes, bool beside);

    /// What the wire carries in this cycle; of kind 0 if it says nothing.
    void see(const hw::engine::chip_probe::link_symbol& symbol);

    /// chips::symbol_kind, or what is none
    unsigned kind() const { return kind_; }
    link_item item() const { return item_; }
    /// Sequence number of the frame; number of the set.
    std::uint32_t number() const { return number_; }
    /// "frame 17", "nack 16", "cf_update vc2 40"; empty before the first.
    std::string label() const;

private:
    void judge_set();
    void judge_frame();

    unsigned flit_bytes_;
    bool beside_;
    unsigned parts_;  ///< symbols of a trailer or set
    unsigned kind_ = 0;
    unsigned seen_ = 0;       ///< of these symbols
    std::uint64_t word_ = 0;  ///< what they said
    link_item item_ = link_item::none;
    std::uint32_t number_ = 0;
    unsigned vc_ = 0;
};

}  // namespace polycast::tlm::trace
