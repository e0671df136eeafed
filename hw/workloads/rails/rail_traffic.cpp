// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/rails/rail_traffic.h"

#include <boost/random/exponential_distribution.hpp>
#include <cmath>
#include <string>

#include "hw/input_error.h"

namespace polycast::hw::rails {

rail_traffic::rail_traffic(const rail_traffic_params& params) : params_(params) {
    if (params.nodes < 2) throw input_error("rails: traffic needs two nodes or more");
    if (params.processes == 0) throw input_error("rails: a node has at least one process");
    if (!(params.bytes >= 1)) throw input_error("rails: messages have a byte or more on average");
    if (params.longest == 0) throw input_error("rails: the longest message has at least a byte");
    if (!(params.gap > 0)) throw input_error("rails: the mean gap between messages is more than no time");
    where_ = make_pattern(params.pattern, {params.nodes, params.processes, params.seed});
    for (std::uint32_t number = 0; number < params.nodes * params.processes; ++number)
        states_.push_back({traffic::random_stream(params.seed, number), static_cast<double>(params.start), 0});
}

std::optional<cycle> rail_traffic::time_of_next(state& own) const {
    const bool each = traffic::pattern_kind_of(params_.pattern.name).rate == traffic::pattern_kind::load::none;
    if (each || params_.at_once) {
        const std::uint32_t all = each ? (params_.nodes - 1) * params_.processes : *params_.at_once;
        return own.number < all ? std::optional(params_.start) : std::nullopt;
    }
    const double rate = 1 / params_.gap;
    own.time += own.number == 0 ? where_->first_gap(rate, own.random) : where_->gap(rate, own.random);
    if (own.time >= static_cast<double>(params_.end)) return std::nullopt;
    return static_cast<cycle>(own.time);
}

std::uint32_t rail_traffic::length(state& own) const {
    const double drawn =
        params_.fixed ? std::round(params_.bytes)
                      : std::ceil(boost::random::exponential_distribution<double>(1 / params_.bytes)(own.random));
    return drawn >= params_.longest ? params_.longest : std::max(1u, static_cast<std::uint32_t>(drawn));
}

process_id rail_traffic::destination(process_id from, state& own) const {
    const std::uint32_t source = from.host * params_.processes + from.process;
    const traffic::draws random{own.random};
    std::uint32_t to = where_->destination(source, own.number, random);
    if (to / params_.processes == from.host) to = where_->uniform(source, random);
    return {to / params_.processes, to % params_.processes};
}

std::optional<rail_message> rail_traffic::next(process_id from) {
    const std::uint32_t source = from.host * params_.processes + from.process;
    if (where_->silent(source)) return std::nullopt;
    state& own = states_[source];
    const std::optional<cycle> when = time_of_next(own);
    if (!when) return std::nullopt;
    rail_message message;
    message.created = *when;
    message.bytes = length(own);
    message.to = destination(from, own);
    message.number = own.number++;
    return message;
}

}  // namespace polycast::hw::rails
