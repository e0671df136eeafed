// SPDX-License-Identifier: Apache-2.0
#include "hw/traffic/workload.h"

#include <algorithm>
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <numeric>
#include <string>

#include "hw/input_error.h"

namespace polycast::hw::traffic {

namespace {

std::uint32_t draw_below(std::uint32_t count, random_stream& random) {
    return boost::random::uniform_int_distribution<std::uint32_t>(0, count - 1)(random);
}

/// A random permutation without a fixed point: shuffles until there is none (on average e times).
std::vector<std::uint32_t> derangement(std::uint32_t count, random_stream random) {
    std::vector<std::uint32_t> order(count);
    bool fixed = true;
    while (fixed) {
        std::iota(order.begin(), order.end(), 0u);
        for (std::uint32_t last = count - 1; last > 0; --last)
            std::swap(order[last], order[draw_below(last + 1, random)]);
        fixed = false;
        for (std::uint32_t index = 0; index < count; ++index) fixed = fixed || order[index] == index;
    }
    return order;
}

void check(const workload_params& p) {
    const auto require_host = [&](std::uint32_t host, const std::string& what) {
        if (host >= p.hosts)
            throw input_error(what + " " + std::to_string(host) + " does not exist",
                              "hosts are 0.." + std::to_string(p.hosts - 1));
    };
    if (p.hosts < 2)
        throw input_error("workload: a network of " + std::to_string(p.hosts) + " hosts has nobody to talk to");
    if (p.bytes == 0) throw input_error("workload: a message has at least one byte");
    if (p.messages == 0) throw input_error("workload: there must be at least one message");
    if (!(p.gap >= 0) || !std::isfinite(p.gap))
        throw input_error("workload: the mean gap between messages must be a positive number of cycles");
    if (p.source) require_host(*p.source, "source");
    for (const std::uint32_t host : p.hotspots) require_host(host, "hotspot");
    if (p.kind == workload_kind::unicast) {
        if (p.pattern == unicast_pattern::hotspot && p.hotspots.empty())
            throw input_error("workload: hotspot traffic needs at least one hotspot");
        if (!(p.hotspot_fraction >= 0 && p.hotspot_fraction <= 1))
            throw input_error("workload: the hotspot fraction must be 0..1");
        return;
    }
    std::vector<std::uint32_t> sorted = p.destinations;
    std::ranges::sort(sorted);
    for (const std::uint32_t host : sorted) require_host(host, "destination");
    if (std::ranges::adjacent_find(sorted) != sorted.end()) throw input_error("workload: a destination is given twice");
    if (p.source && std::ranges::binary_search(sorted, *p.source)) {
        throw input_error("workload: source " + std::to_string(*p.source) + " is among the destinations",
                          "leave it out");
    }
    if (sorted.size() == p.hosts)
        throw input_error("workload: all hosts are destinations, so nobody is left to send", "leave the source out");
    if (sorted.empty() && (p.degree == 0 || p.degree >= p.hosts)) {
        throw input_error("workload: " + std::to_string(p.degree) + " destinations cannot be drawn from " +
                              std::to_string(p.hosts - 1) + " other hosts",
                          "choose a degree of 1.." + std::to_string(p.hosts - 1));
    }
}

}  // namespace

workload::workload(const workload_params& params) : params_(params) {
    check(params_);
    std::ranges::sort(params_.destinations);
    random_stream common(params_.seed, ~std::uint64_t{0});
    if (params_.pattern == unicast_pattern::permutation) permutation_ = derangement(params_.hosts, common);
    if (params_.kind == workload_kind::multicast && params_.gap == 0) {
        for (std::uint32_t count = 0; count < params_.messages; ++count) {
            std::uint32_t source = params_.source.value_or(0);
            while (!params_.source) {
                source = draw_below(params_.hosts, common);
                if (!std::ranges::binary_search(params_.destinations, source)) break;
            }
            single_sources_.push_back(source);
        }
    }
    for (std::uint32_t host = 0; host < params_.hosts; ++host)
        states_.push_back({random_stream(params_.seed, host), static_cast<double>(params_.start), 0, {}, {}});
}

std::optional<message> workload::next(std::uint32_t host) {
    host_state& state = states_[host];
    if (state.copies.empty() && !begin_message(host, state)) return std::nullopt;
    return next_copy(state);
}

/// Takes the next copy of the message begun.
std::optional<message> workload::next_copy(host_state& state) {
    message copy = state.current;
    if (copy.kind == format::packet_kind::tree) {
        copy.destinations.assign(state.copies.rbegin(), state.copies.rend());
        state.copies.clear();
    } else {
        copy.destinations.assign(1, state.copies.back());
        state.copies.pop_back();
    }
    return copy;
}

/// Decides time and destinations of the next message of `host`. \returns false if there is none.
bool workload::begin_message(std::uint32_t host, host_state& state) {
    const bool multicast = params_.kind == workload_kind::multicast;
    const bool single = params_.gap == 0;
    engine::cycle created = params_.start;
    if (single) {
        if (multicast) {
            while (state.count < single_sources_.size() && single_sources_[state.count] != host) ++state.count;
            if (state.count == single_sources_.size()) return false;
        } else {
            if (params_.source && *params_.source != host) return false;
            if (state.count >=
                (params_.pattern == unicast_pattern::each_to_each ? params_.hosts - 1 : params_.messages))
                return false;
        }
    } else {
        state.time += boost::random::exponential_distribution<double>(1.0 / params_.gap)(state.random);
        created = static_cast<engine::cycle>(std::ceil(state.time));
    }
    if (created >= params_.end) return false;
    state.current = {created,
                     std::uint64_t{host} << 40 | state.count,
                     multicast && params_.scheme == multicast_scheme::tree ? format::packet_kind::tree
                                                                           : format::packet_kind::unicast,
                     {},
                     params_.bytes};
    if (multicast) {
        state.copies = draw_destinations(host, state.random);
        if (state.copies.empty()) return false;
        std::ranges::reverse(state.copies);
    } else {
        switch (params_.pattern) {
            case unicast_pattern::uniform: state.copies = {draw_other(host, state.random)}; break;
            case unicast_pattern::permutation: state.copies = {permutation_[host]}; break;
            case unicast_pattern::each_to_each:
                state.copies = {
                    static_cast<std::uint32_t>((host + 1 + state.count % (params_.hosts - 1)) % params_.hosts)};
                break;
            case unicast_pattern::hotspot: {
                const bool hot = boost::random::uniform_01<double>()(state.random) < params_.hotspot_fraction;
                std::uint32_t target =
                    hot ? params_
                              .hotspots[draw_below(static_cast<std::uint32_t>(params_.hotspots.size()), state.random)]
                        : host;
                if (target == host) target = draw_other(host, state.random);
                state.copies = {target};
                break;
            }
        }
    }
    ++state.count;
    return true;
}

std::uint32_t workload::draw_other(std::uint32_t host, random_stream& random) const {
    const std::uint32_t drawn = draw_below(params_.hosts - 1, random);
    return drawn < host ? drawn : drawn + 1;
}

/// Ascending; the given set without the sender, or a random one of the wanted degree.
std::vector<std::uint32_t> workload::draw_destinations(std::uint32_t host, random_stream& random) const {
    std::vector<std::uint32_t> chosen = params_.destinations;
    if (!chosen.empty()) {
        std::erase(chosen, host);
        return chosen;
    }
    // Selection sampling (Knuth, TAOCP 3.4.2, algorithm S): every set of the wanted size is equally likely.
    std::uint32_t wanted = params_.degree;
    std::uint32_t left = params_.hosts - 1;
    for (std::uint32_t candidate = 0; wanted != 0; ++candidate) {
        if (candidate == host) continue;
        if (draw_below(left--, random) >= wanted) continue;
        chosen.push_back(candidate);
        --wanted;
    }
    return chosen;
}

}  // namespace polycast::hw::traffic
