// SPDX-License-Identifier: Apache-2.0
/// \file For the files that hold the table of keys: how a checked value gets into its member.
#pragma once

#include <charconv>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "tlm/scenario/keys.h"

namespace polycast::tlm::scenario {

/// The parts of the table, in order.
std::vector<key> network_keys();
std::vector<key> link_keys();
std::vector<key> table_keys();
std::vector<key> fault_keys();
std::vector<key> protect_keys();
std::vector<key> switch_keys();
std::vector<key> router_keys();
std::vector<key> host_keys();
std::vector<key> ni_keys();
std::vector<key> workload_keys();
std::vector<key> measurement_keys();

// Conditions on other sections.
extern const condition with_switches, with_routers, with_choices, with_grids, with_rail_networks, without_sites,
    with_sites;
inline const condition with_updown{"network.routing.kind", {"updown"}};
inline const condition with_tables{"network.routing.kind", {"tables"}};
inline const condition with_interfaces{"host.model", {"interface"}};
inline const condition with_ideal_hosts{"host.model", {"ideal"}};

inline constexpr std::string_view coding = "Shalaby et al., IEICE Trans. Inf. & Syst. E98-D(3), 2015";
inline constexpr std::string_view lane_broadcasts = "Chiba, Endo and Matsuoka, CCGrid 2007";
inline constexpr std::string_view multirail = "Coll et al., Static Allocation of Multirail Networks, LANL";
inline constexpr std::string_view truncation =
    "White, Cobb and Spratt, A comparison of five steady-state truncation heuristics, WSC 2000";
inline constexpr std::string_view pipelined = "Zhang and Deng, IEEE TPDS 2012";
inline constexpr std::string_view tr41 = "Sivaram et al., OSU-CISRC-10/98-TR41";

/// Takes a checked number into a member's type. \throws std::overflow_error, which the loader reports as "too large"
template <class number>
number narrow(const boost::multiprecision::checked_int128_t& wide) {
    if (wide < std::numeric_limits<number>::min() || wide > std::numeric_limits<number>::max())
        throw std::overflow_error("too large");
    return wide.convert_to<number>();
}

inline void assign(bool& member, const value& v) {
    member = v.flag;
}
inline void assign(std::string& member, const value& v) {
    member = v.text;
}
inline void assign(std::vector<std::string>& member, const value& v) {
    member = v.names;
}
inline void assign(std::vector<unsigned>& member, const value& v) {
    member.clear();
    for (const std::string& text : v.names)
        std::from_chars(text.data(), text.data() + text.size(), member.emplace_back());
}
inline void assign(double& member, const value& v) {
    member = v.number.numerator().convert_to<double>() / v.number.denominator().convert_to<double>();
}
inline void assign(ratio& member, const value& v) {
    member = {narrow<std::int64_t>(v.number.numerator()), narrow<std::int64_t>(v.number.denominator())};
}

template <class number>
requires std::is_integral_v<number>
void assign(number& member, const value& v) {
    member = narrow<number>(v.number.numerator());
}

template <class choices>
requires std::is_enum_v<choices>
void assign(choices& member, const value& v) {
    member = static_cast<choices>(v.choice);
}

template <class choices>
void assign(std::map<std::string, choices>& member, const value& v) {
    member.clear();
    for (const auto& [name, chosen] : v.map) member[name] = static_cast<choices>(chosen);
}

template <class inner>
void assign(std::optional<inner>& member, const value& v) {
    member.reset();
    if (!v.word) assign(member.emplace(), v);
}

/// Stores into the member that the pointers lead to.
template <auto... path>
void into(settings& s, const value& v) {
    assign((s.*....*path), v);
}

/// A member whose values have a table of names.
template <const auto& names, auto... path>
void into_named(settings& s, const value& v) {
    (s.*....*path) = names[v.choice].value;
}
template <const auto& names, auto... path>
void into_workload_named(settings& s, const value& v) {
    (s.workloads.back().*....*path) = names[v.choice].value;
}

/// The choices of a table, behind `first`.
template <class table>
std::vector<choice> choices_of(const table& names, std::vector<choice> first = {}) {
    for (const auto& each : names) first.push_back({each.name, each.doc});
    return first;
}
/// A member without a value for the first choice, which is not in the table.
template <const auto& names, auto... path>
void into_optional(settings& s, const value& v) {
    auto& member = (s.*....*path);
    member.reset();
    if (v.choice > 0) member = names[v.choice - 1].value;
}

template <const auto& names, auto... path>
void into_workload_optional(settings& s, const value& v) {
    auto& member = (s.workloads.back().*....*path);
    member.reset();
    if (v.choice > 0) member = names[v.choice - 1].value;
}

template <auto... path>
void into_workload(settings& s, const value& v) {
    assign((s.workloads.back().*....*path), v);
}

}  // namespace polycast::tlm::scenario
