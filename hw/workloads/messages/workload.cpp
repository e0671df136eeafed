// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/messages/workload.h"

#include <algorithm>
#include <boost/random/exponential_distribution.hpp>
#include <cmath>
#include <stdexcept>
#include <string>

#include "hw/host/process.h"
#include "hw/input_error.h"

namespace polycast::hw::traffic {

namespace {

void check_list(const workload_params& p) {
    if (p.list.empty()) throw input_error("workload: a list of no messages");
    for (const listed_message& one : p.list) {
        const std::string from = "workload: a message of host " + std::to_string(one.source);
        for (const std::uint32_t host : one.destinations)
            if (host >= p.hosts || host == one.source)
                throw input_error(from + " cannot go to host " + std::to_string(host),
                                  "take another of 0.." + std::to_string(p.hosts - 1));
        if (one.source >= p.hosts) throw input_error(from + ", which does not exist");
        if (one.bytes == 0) throw input_error(from + " has no byte");
        if (one.destinations.empty() || (one.destinations.size() > 1 && !one.address))
            throw input_error(from + " goes to " + std::to_string(one.destinations.size()) + " hosts",
                              "give it one, or the address of a group");
    }
}

void check(const workload_params& p) {
    const auto require_host = [&](std::uint32_t host, const std::string& what) {
        if (host >= p.hosts)
            throw input_error(what + " " + std::to_string(host) + " does not exist",
                              "hosts are 0.." + std::to_string(p.hosts - 1));
    };
    if (p.hosts < 2)
        throw input_error("workload: a network of " + std::to_string(p.hosts) + " hosts has nobody to talk to");
    if (p.payload_bytes == 0) throw input_error("workload: a packet has at least one byte");
    if (p.kind == workload_kind::list) return check_list(p);
    if (p.bytes == 0) throw input_error("workload: a message has at least one byte");
    if (p.messages == 0) throw input_error("workload: there must be at least one message");
    if (!(p.gap >= 0) || !std::isfinite(p.gap))
        throw input_error("workload: the mean gap between messages must be a positive number of cycles");
    if (p.source) require_host(*p.source, "source");
    if (p.kind == workload_kind::unicast) return;
    std::vector<std::uint32_t> sorted = p.destinations;
    std::ranges::sort(sorted);
    for (const std::uint32_t host : sorted) require_host(host, "destination");
    if (std::ranges::adjacent_find(sorted) != sorted.end()) throw input_error("workload: a destination is given twice");
    if (p.group) {
        if (sorted.size() < 2) throw input_error("workload: a group of less than two hosts");
        if (p.source && !std::ranges::binary_search(sorted, *p.source))
            throw input_error("workload: source " + std::to_string(*p.source) + " is not in the group");
        return;
    }
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

workload::workload(const workload_params& params, planner plan)
    : params_(params), plan_(plan ? std::move(plan) : collectives::tree_plan) {
    check(params_);
    sorted_ = params_.destinations;
    std::ranges::sort(sorted_);
    random_stream common(params_.seed, ~std::uint64_t{0});
    if (params_.kind == workload_kind::unicast) {
        where_ = make_pattern(params_.pattern, {.hosts = params_.hosts, .seed = params_.seed});
        const bool each = pattern_kind_of(params_.pattern.name).rate == pattern_kind::load::none;
        if (each) params_.messages = params_.hosts - 1;
    }
    if (params_.kind == workload_kind::multicast && params_.gap == 0) {
        for (std::uint32_t count = 0; count < params_.messages; ++count) {
            std::uint32_t source = params_.source.value_or(0);
            if (params_.group && !params_.source)
                source = sorted_[draws{common}.below(static_cast<std::uint32_t>(sorted_.size()))];
            while (!params_.source && !params_.group) {
                source = draws{common}.below(params_.hosts);
                if (!std::ranges::binary_search(sorted_, source)) break;
            }
            single_sources_.push_back(source);
        }
    }
    for (std::uint32_t host = 0; host < params_.hosts; ++host)
        states_.push_back({random_stream(params_.seed, host), static_cast<double>(params_.start), 0, {}, {}});
    if (params_.kind == workload_kind::list) {
        listed_.resize(params_.hosts);
        for (const listed_message& one : params_.list) listed_[one.source].push_back(&one);
        for (auto& of_host : listed_) std::ranges::stable_sort(of_host, {}, &listed_message::at);
    }
    if (!params_.shared()) return;
    for (std::uint32_t host = 0; host < params_.hosts; ++host) {
        upcoming_.push_back(draw(host));
        if (upcoming_.back()) order_.emplace(upcoming_.back()->created, host);
    }
}

std::optional<message> workload::next(std::uint32_t host) {
    const std::scoped_lock alone(asked_);
    host_state& state = states_[host];
    while (state.messages.empty()) {
        if (!advance(host)) return std::nullopt;
    }
    message next = std::move(state.messages.front());
    state.messages.pop_front();
    return next;
}

std::optional<group_setup> workload::next_group(std::uint32_t host) {
    const std::scoped_lock alone(asked_);
    host_state& state = states_[host];
    if (upcoming_.empty()) return std::nullopt;
    while (state.groups.empty()) {
        if (!advance(host)) return std::nullopt;
    }
    group_setup next = std::move(state.groups.front());
    state.groups.pop_front();
    return next;
}

/// Makes the next message of `host`, or where others than the source send the next of all hosts. \returns false if
/// there is none.
bool workload::advance(std::uint32_t host) {
    if (upcoming_.empty()) {
        const std::optional<drawn_message> drawn = draw(host);
        if (drawn) emit(host, *drawn);
        return drawn.has_value();
    }
    if (order_.empty()) return false;
    const std::uint32_t first = order_.top().second;
    order_.pop();
    emit(first, *upcoming_[first]);
    upcoming_[first] = draw(first);
    if (upcoming_[first]) order_.emplace(upcoming_[first]->created, first);
    return true;
}

/// Gives a message its form.
void workload::emit(std::uint32_t host, const drawn_message& drawn) {
    message made;
    made.created = drawn.created;
    made.transfer = std::uint64_t{host} << 40 | drawn.count;
    made.bytes = params_.bytes;
    made.reliable = params_.reliable;
    made.copies = static_cast<std::uint32_t>(drawn.destinations.size());
    if (params_.kind == workload_kind::multicast) return emit_multicast(host, drawn, std::move(made));
    made.destinations = drawn.destinations;
    if (drawn.listed != nullptr) made.bytes = drawn.listed->bytes;
    if (drawn.listed != nullptr && drawn.listed->address) {
        made.kind = message_kind::worm;
        made.worm = format::packet_kind::lid;
        made.stops = {*drawn.listed->address};
    }
    states_[host].messages.push_back(std::move(made));
}

/// A multicast of this source has made its groups, and all have the same.
bool workload::known_groups(std::uint32_t source) {
    const bool keeps = params_.reliable && !params_.destinations.empty();
    return keeps && !kept_groups_.try_emplace({source, source}).second;
}

/// Numbers of the groups whose members acknowledge the worms that a host sends; none where it sends unicasts.
std::vector<std::uint16_t> workload::acknowledging(const group_setup& multicast,
                                                   const collectives::participant& sender) {
    std::vector<std::uint16_t> numbers;
    if (!params_.reliable || sender.sends.empty() || sender.sends.front().kind == format::packet_kind::unicast)
        return numbers;
    const bool keeps = !params_.destinations.empty();
    const auto kept = kept_groups_.find({multicast.root, sender.host});
    if (kept != kept_groups_.end()) return kept->second;
    for (const collectives::transmission& send : sender.sends) {
        group_setup part;
        part.when = multicast.when;
        part.root = sender.host;
        part.group = states_[sender.host].next_group++;
        part.how = forwarding::nobody;
        part.transfer = multicast.transfer;
        numbers.push_back(part.group);
        for (collectives::receipt_place& place : collectives::receipts_in_turn(sender.host, send.hosts)) {
            part.member = place.host != sender.host;
            std::deque<group_setup>& told = states_[place.host].groups;
            part.receipts = std::move(place);
            told.push_back(part);
        }
    }
    if (keeps) kept_groups_.emplace(std::pair(multicast.root, sender.host), numbers);
    return numbers;
}

/// Tells all participants of a multicast what they have to do.
void workload::emit_multicast(std::uint32_t host, const drawn_message& drawn, message base) {
    const collectives::multicast_plan plan = plan_(host, drawn.destinations);
    const bool by_interfaces = traffic::by_interfaces(params_.how);
    group_setup part;
    part.when = drawn.created;
    part.root = host;
    part.how = params_.how;
    part.transfer = base.transfer;
    if (by_interfaces) {
        const std::uint64_t number = params_.reliable && !params_.destinations.empty() ? 0 : drawn.count;
        base.group = part.group = static_cast<std::uint16_t>(number % format::no_group);
    } else if (params_.how == forwarding::programs) {
        base.tag = part.tag = next_tag_++;
    }
    std::vector<collectives::receipt_place> receipts;
    if (by_interfaces && params_.reliable) receipts = collectives::receipts_of(plan, host::most_receipt_children);
    const bool known = by_interfaces && known_groups(host);
    for (std::size_t i = 0; i < plan.participants.size() && !known; ++i) {
        const collectives::participant& each = plan.participants[i];
        part.member = each.host != host;
        if (!by_interfaces && part.member) part.groups = acknowledging(part, each);
        if (!receipts.empty()) part.receipts = std::move(receipts[i]);
        // Programs without anything to send on need not know, and the source's sends what it is given.
        if (!by_interfaces && (!part.member || each.sends.empty())) continue;
        if (params_.how == forwarding::nobody) throw std::logic_error("workload: nobody carries out the plan");
        part.sends = each.sends;
        states_[each.host].groups.push_back(part);
    }
    std::deque<message>& messages = states_[host].messages;
    const std::vector<collectives::transmission>& sends = plan.participants.front().sends;
    if (!by_interfaces) {
        const std::vector<std::uint16_t> groups = acknowledging(part, plan.participants.front());
        for (std::size_t i = 0; i < sends.size(); ++i) {
            messages.push_back(sent_as(base, sends[i]));
            if (!groups.empty()) messages.back().group = groups[i];
        }
        return;
    }
    base.kind = message_kind::group;
    base.worm = sends.front().kind;
    base.destinations = drawn.destinations;
    base.hops = hops_of(plan);
    messages.push_back(std::move(base));
}

std::optional<workload::drawn_message> workload::next_listed(std::uint32_t host) {
    host_state& state = states_[host];
    if (state.count == listed_[host].size()) return std::nullopt;
    const listed_message* const one = listed_[host][state.count];
    return drawn_message{one->at, state.count++, one->destinations, one};
}

/// Decides time and destinations of the next message of `host`; nothing if there is none.
std::optional<workload::drawn_message> workload::draw(std::uint32_t host) {
    if (params_.kind == workload_kind::list) return next_listed(host);
    host_state& state = states_[host];
    const bool multicast = params_.kind == workload_kind::multicast;
    const bool single = params_.gap == 0;
    drawn_message drawn;
    drawn.created = params_.start;
    if (single) {
        if (multicast) {
            while (state.count < single_sources_.size() && single_sources_[state.count] != host) ++state.count;
            if (state.count == single_sources_.size()) return std::nullopt;
        } else {
            if (params_.source && *params_.source != host) return std::nullopt;
            if (state.count >= params_.messages) return std::nullopt;
        }
    } else {
        const double rate = 1.0 / params_.gap;
        state.time += multicast          ? boost::random::exponential_distribution<double>(rate)(state.random)
                      : state.count == 0 ? where_->first_gap(rate, state.random)
                                         : where_->gap(rate, state.random);
        drawn.created = static_cast<engine::cycle>(std::ceil(state.time));
    }
    if (drawn.created >= params_.end) return std::nullopt;
    drawn.count = state.count;
    if (multicast) {
        if (params_.group && !std::ranges::binary_search(sorted_, host)) return std::nullopt;
        drawn.destinations = draw_destinations(host, state.random);
        if (drawn.destinations.empty()) return std::nullopt;
    } else {
        if (where_->silent(host)) return std::nullopt;
        const draws random{state.random};
        const std::uint32_t to = where_->destination(host, static_cast<std::uint32_t>(state.count), random);
        drawn.destinations = {to != host ? to : where_->uniform(host, random)};
    }
    ++state.count;
    return drawn;
}

/// The given set without the sender, or a random one of the wanted degree, ascending.
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
        if (draws{random}.below(left--) >= wanted) continue;
        chosen.push_back(candidate);
        --wanted;
    }
    return chosen;
}

}  // namespace polycast::hw::traffic
