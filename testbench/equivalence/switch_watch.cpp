// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/switch_watch.h"

#include <bit>
#include <stdexcept>

namespace polycast::testbench::equivalence {

using hw::engine::chip_probe;
using hw::engine::pins;
using hw::format::chip_error;
using hw::format::direction;
using hw::format::packet_kind;
using hw::format::stop;

namespace {

constexpr unsigned unicast = 0;
constexpr unsigned unknown = 4;

unsigned kind_of(const std::vector<std::uint8_t>& header) {
    return std::min(header[0] & 0xfu, unknown);
}

bool pin(std::uint64_t mask, unsigned port) {
    return (mask >> port & 1) != 0;
}

bool has(unsigned errors, chip_error error) {
    return (errors & static_cast<unsigned>(error)) != 0;
}

/// Whether packets of a kind may meet an event.
bool possible(unsigned kind, packet_event event) {
    switch (event) {
        case packet_event::copied:
        case packet_event::partial_route: return kind != unicast && kind != unknown;
        case packet_event::bad_kind: return kind == unknown;
        default: return kind != unknown;
    }
}

worm_case chosen_by(hw::format::selection how, worm_case first) {
    return static_cast<worm_case>(static_cast<unsigned>(first) + static_cast<unsigned>(how));
}

}  // namespace

void decision_counts::add(const decision_counts& other) {
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        for (std::size_t event = 0; event < events; ++event) packets[kind][event] += other.packets[kind][event];
    }
    for (std::size_t index = 0; index < cases.size(); ++index) cases[index] += other.cases[index];
}

std::vector<std::pair<std::string, std::uint64_t>> decision_counts::list() const {
    constexpr std::array<const char*, kinds> kind_names{"unicast", "tree", "ssr", "path", "unknown"};
    constexpr std::array<const char*, events> event_names{"forwarded", "copied",        "went_up",      "came_down",
                                                          "no_route",  "partial_route", "short_header", "bad_kind"};
    constexpr std::array<const char*, static_cast<std::size_t>(worm_case::count)> case_names{
        "one_flit_header",   "many_flit_header",    "free_header",       "middle_of_list",   "last_stop",
        "copies_and_onward", "onward_in_string",    "onward_alone",      "onward_missing",   "string_names_up",
        "string_names_open", "string_names_beyond", "list_empty",        "list_past_end",    "list_too_long",
        "no_such_switch",    "masked_by_up_bit",    "stop_least_loaded", "stop_round_robin", "stop_deterministic",
        "up_least_loaded",   "up_round_robin",      "up_deterministic",  "tree_up_narrows",  "tree_up_forbids",
        "string_kept",       "others_kept_silently"};
    static_assert(case_names.back() != nullptr, "every case has a name");
    std::vector<std::pair<std::string, std::uint64_t>> found;
    for (unsigned kind = 0; kind < kinds; ++kind) {
        for (unsigned event = 0; event < events; ++event) {
            if (!possible(kind, static_cast<packet_event>(event))) continue;
            found.emplace_back(std::string(kind_names[kind]) + " " + event_names[event], packets[kind][event]);
        }
    }
    for (std::size_t index = 0; index < cases.size(); ++index) found.emplace_back(case_names[index], cases[index]);
    return found;
}

switch_watch::switch_watch(const hw::chips::switch_params& params, const hw::chips::switch_tables& tables)
    : params_(params), tables_(tables), packets_(params.pin_shape(), params.header_bytes()) {}

std::map<std::string, std::uint64_t> switch_watch::counted() const {
    const auto all = counts_.list();
    return {all.begin(), all.end()};
}

void switch_watch::reset() {
    packets_.reset();
}

void switch_watch::see(const pins& in, const pins& out, const chip_probe& before, const chip_probe& after) {
    for (unsigned port = 0; port < params_.ports; ++port) {
        if (const held_packets::packet* bad = packets_.arrive(port, in, out))
            met(kind_of(bad->header), packet_event::short_header);
        std::deque<held_packets::packet>& waiting = packets_.waiting(port);
        const unsigned then = before.inputs[port].state;
        const unsigned now = after.inputs[port].state;
        if (then < 2 && now >= 2) {
            if (waiting.empty()) throw std::logic_error("a packet is routed that never came");
            const held_packets::packet& front = waiting.front();
            if (!front.bad)
                decided(front.header, after.inputs[port].waiting, pin(out.error, port) ? out.errors[port] : 0);
        } else if (then >= 2 && now < 2) {
            waiting.pop_front();
        }
    }
}

std::uint64_t switch_watch::leading(direction where) const {
    std::uint64_t ports = 0;
    for (unsigned port = 0; port < params_.ports; ++port) {
        if (tables_.port_direction[port] == where) ports |= std::uint64_t{1} << port;
    }
    return ports;
}

void switch_watch::decided(const bytes& header, std::uint64_t branches, unsigned errors) {
    const unsigned kind = kind_of(header);
    if (std::popcount(branches) == 1) met(kind, packet_event::forwarded);
    if (std::popcount(branches) > 1) met(kind, packet_event::copied);
    if ((branches & leading(direction::up)) != 0) met(kind, packet_event::went_up);
    if ((branches & leading(direction::down)) != 0 && hw::format::up_of(header.data()))
        met(kind, packet_event::came_down);
    if (has(errors, chip_error::no_route)) met(kind, packet_event::no_route);
    if (has(errors, chip_error::partial_route)) met(kind, packet_event::partial_route);
    if (has(errors, chip_error::bad_kind)) met(kind, packet_event::bad_kind);
    if (kind == static_cast<unsigned>(packet_kind::tree)) tree(header, branches);
    if (kind == static_cast<unsigned>(packet_kind::ssr) || kind == static_cast<unsigned>(packet_kind::path))
        worm(header, branches);
}

void switch_watch::tree(const bytes& header, std::uint64_t branches) {
    bool uncovered = false;
    for (unsigned host = 0; host < params_.max_hosts; ++host) {
        const std::size_t byte = hw::format::common_header_bytes + host / 8;
        const bool carried = params_.header_free || byte < std::size_t{tables_.tree_header_flits} * params_.flit_bytes;
        if (!carried || byte >= header.size() || (header[byte] >> (host % 8) & 1) == 0) continue;
        if ((tables_.reach_total[host / 64] >> (host % 64) & 1) == 0) uncovered = true;
    }
    const bool up = hw::format::up_of(header.data());
    const std::uint64_t up_ports = leading(direction::up);
    const std::uint64_t usable = up_ports & tables_.tree_up;
    if (up && uncovered && up_ports != 0) {
        if (usable == 0) met(worm_case::tree_up_forbids);
        if (usable != 0 && usable != up_ports) met(worm_case::tree_up_narrows);
        if (std::popcount(usable) > 1) met(chosen_by(tables_.up_selection, worm_case::up_least_loaded));
    }
    if ((branches & leading(direction::down)) == 0 || tables_.rewrite) return;
    met(worm_case::string_kept);
    if (uncovered && !up) met(worm_case::others_kept_silently);
}

std::uint64_t switch_watch::table_entry(std::uint32_t number, bool up) const {
    const hw::chips::port_sets& table = up ? tables_.switch_up : tables_.switch_down;
    return number < table.size() ? table[number] : 0;
}

void switch_watch::towards(std::uint32_t number, bool up, std::uint64_t branches) {
    const std::uint64_t listed = table_entry(number, up);
    const std::uint64_t usable = listed & (leading(direction::down) | (up ? leading(direction::up) : std::uint64_t{0}));
    if (number >= params_.max_switches) met(worm_case::no_such_switch);
    if (!up && branches == 0 && usable == 0 && (listed & leading(direction::up)) != 0) met(worm_case::masked_by_up_bit);
    if (std::popcount(usable) > 1) met(chosen_by(tables_.selection, worm_case::stop_least_loaded));
}

void switch_watch::worm(const bytes& header, std::uint64_t branches) {
    const bool up = hw::format::up_of(header.data());
    if (params_.header_free) {
        met(worm_case::free_header);
    } else {
        const unsigned length = hw::format::header_bytes_of(params_.header_shape(), header.data());
        met(length <= params_.flit_bytes ? worm_case::one_flit_header : worm_case::many_flit_header);
    }
    std::size_t next = 0;
    if (kind_of(header) == static_cast<unsigned>(packet_kind::path)) {
        const unsigned count = hw::format::path_stops_of(header.data());
        next = hw::format::path_next_of(header.data());
        if (count == 0) met(worm_case::list_empty);
        if (count > params_.header_stops) met(worm_case::list_too_long);
        if (count != 0 && count <= params_.header_stops && next >= count) met(worm_case::list_past_end);
        if (next >= count || count > params_.header_stops) return;
        if (next != 0 && next + 1 < count) met(worm_case::middle_of_list);
    }
    const std::vector<stop> stops = hw::format::stops_of(params_.header_shape(), header);
    const stop& here = stops.at(next);
    if (here.chip != tables_.switch_number) {
        towards(here.chip, up, branches);
        return;
    }
    if (next != 0 && next + 1 == stops.size()) met(worm_case::last_stop);
    at_stop(here, next + 1 < stops.size() ? std::optional(stops[next + 1]) : std::nullopt, up, branches);
}

void switch_watch::at_stop(const stop& here, const std::optional<stop>& then, bool up, std::uint64_t branches) {
    const std::uint64_t down = leading(direction::down);
    const std::uint64_t beyond = params_.ports == 64 ? 0 : ~std::uint64_t{0} << params_.ports;
    if ((here.ports & leading(direction::up)) != 0) met(worm_case::string_names_up);
    if ((here.ports & leading(direction::open)) != 0) met(worm_case::string_names_open);
    if ((here.ports & beyond) != 0) met(worm_case::string_names_beyond);
    if (!then) return;
    towards(then->chip, up, branches);
    const std::uint64_t usable =
        table_entry(then->chip, up) & (down | (up ? leading(direction::up) : std::uint64_t{0}));
    const std::uint64_t copies = here.ports & down;
    if (usable == 0) {
        if (copies != 0) met(worm_case::onward_missing);
    } else if (copies == 0) {
        met(worm_case::onward_alone);
    } else {
        met(branches == copies ? worm_case::onward_in_string : worm_case::copies_and_onward);
    }
}

}  // namespace polycast::testbench::equivalence
