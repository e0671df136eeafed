// SPDX-License-Identifier: Apache-2.0
/// \file What a run decided about packets of each kind, so that a comparison that never came to a case is noticed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hw/chips/switch/switch_config.h"
#include "hw/engine/chip.h"
#include "hw/format/route.h"
#include "testbench/equivalence/held_packets.h"
#include "testbench/equivalence/lockstep.h"

namespace polycast::testbench::equivalence {

/// What may happen to a packet of any kind.
enum class packet_event { forwarded, copied, went_up, came_down, no_route, partial_route, short_header, bad_kind };

/// What may happen to some kinds only. A *stop* is that of an SSR worm, or the next one of a path worm.
enum class worm_case {
    one_flit_header,      ///< of an SSR or path worm, in the flits
    many_flit_header,     ///< the same in several flits
    free_header,          ///< the same beside the head flit
    middle_of_list,       ///< the next stop is neither the first nor the last
    last_stop,            ///< at the last stop of several
    copies_and_onward,    ///< copies at a stop, and an advancing one on a port of its own
    onward_in_string,     ///< the advancing copy leaves on a port of the string
    onward_alone,         ///< the string has no port that goes down
    onward_missing,       ///< copies at a stop, but no way on
    string_names_up,      ///< a stop at this switch whose string has ports that go up ..
    string_names_open,    ///< .. that are open
    string_names_beyond,  ///< .. that the switch does not have
    list_empty,           ///< no stop at all
    list_past_end,        ///< the next stop is behind the end of the list
    list_too_long,        ///< more stops than headers hold
    no_such_switch,       ///< the stop's switch has no entry in the tables
    masked_by_up_bit,     ///< the table has ports, but the packet may only go down
    stop_least_loaded,    ///< a choice among several ports to a switch, by each selection
    stop_round_robin,
    stop_deterministic,
    up_least_loaded,  ///< a choice among several up ports for a tree worm
    up_round_robin,
    up_deterministic,
    tree_up_narrows,       ///< tree_up leaves some of the up ports out
    tree_up_forbids,       ///< a tree worm that would have gone up finds no port in tree_up
    string_kept,           ///< a tree worm goes down and `rewrite` is 0
    others_kept_silently,  ///< the same, with hosts that are not below
    count
};

/// How often each was met.
struct decision_counts {
    static constexpr std::size_t kinds = 5;  ///< unicast, tree, SSR, path, unknown
    static constexpr std::size_t events = 8;

    std::array<std::array<std::uint64_t, events>, kinds> packets{};
    std::array<std::uint64_t, static_cast<std::size_t>(worm_case::count)> cases{};

    void add(const decision_counts& other);
    /// What can happen, with its count: "ssr no_route", "onward_in_string".
    std::vector<std::pair<std::string, std::uint64_t>> list() const;
};

/// Reads along on the pins of one switch. Knows what is decided from the state, and what about from the header; says
/// nothing about whether it is right.
class switch_watch final : public traffic_watch {
public:
    switch_watch(const hw::chips::switch_params& params, const hw::chips::switch_tables& tables);

    /// The switch is reset.
    void reset() override;

    /// After a step: its input pins, the output pins of the next cycle, the state before and after.
    /// \throws std::logic_error when a decision is about no packet
    void see(const hw::engine::pins& in, const hw::engine::pins& out, const hw::engine::chip_probe& before,
             const hw::engine::chip_probe& after) override;

    const decision_counts& counts() const { return counts_; }
    std::map<std::string, std::uint64_t> counted() const override;

private:
    using bytes = std::vector<std::uint8_t>;

    void decided(const bytes& header, std::uint64_t branches, unsigned errors);
    void tree(const bytes& header, std::uint64_t branches);
    void worm(const bytes& header, std::uint64_t branches);
    void at_stop(const hw::format::stop& here, const std::optional<hw::format::stop>& then, bool up,
                 std::uint64_t branches);
    void towards(std::uint32_t number, bool up, std::uint64_t branches);
    std::uint64_t table_entry(std::uint32_t number, bool up) const;
    std::uint64_t leading(hw::format::direction where) const;
    void met(unsigned kind, packet_event event) { ++counts_.packets[kind][static_cast<std::size_t>(event)]; }
    void met(worm_case what) { ++counts_.cases[static_cast<std::size_t>(what)]; }

    hw::chips::switch_params params_;
    hw::chips::switch_tables tables_;
    held_packets packets_;
    decision_counts counts_;
};

}  // namespace polycast::testbench::equivalence
