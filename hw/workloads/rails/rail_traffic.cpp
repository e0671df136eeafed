// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/rails/rail_traffic.h"

#include <boost/random/bernoulli_distribution.hpp>
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/uniform_int_distribution.hpp>
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
    if (params.pattern == rail_pattern::hotspot && params.hotspots.empty())
        throw input_error("rails: no node gets the hotspot's messages");
    for (std::uint32_t number = 0; number < params.nodes * params.processes; ++number)
        states_.push_back({traffic::random_stream(params.seed, number), static_cast<double>(params.start), 0});
}

std::optional<cycle> rail_traffic::time_of_next(state& own) const {
    if (params_.pattern == rail_pattern::each_to_each || params_.at_once) {
        const std::uint32_t all = params_.pattern == rail_pattern::each_to_each ? others() : *params_.at_once;
        return own.number < all ? std::optional(params_.start) : std::nullopt;
    }
    own.time += boost::random::exponential_distribution<double>(1 / params_.gap)(own.random);
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
    process_id to;
    const bool hot = params_.pattern == rail_pattern::hotspot &&
                     boost::random::bernoulli_distribution<double>(params_.hotspot_fraction)(own.random);
    if (hot) {
        boost::random::uniform_int_distribution<std::uint32_t> any(
            0, static_cast<std::uint32_t>(params_.hotspots.size()) * params_.processes - 1);
        const std::uint32_t target = any(own.random);
        to = {params_.hotspots[target / params_.processes], target % params_.processes};
        if (to.host != from.host) return to;
    }
    std::uint32_t target = 0;
    if (params_.pattern == rail_pattern::each_to_each) {
        // Everybody begins with another one.
        target = (own.number + from.host * params_.processes + from.process) % others();
    } else {
        target = boost::random::uniform_int_distribution<std::uint32_t>(0, others() - 1)(own.random);
    }
    to = {target / params_.processes, target % params_.processes};
    if (to.host >= from.host) ++to.host;
    return to;
}

std::optional<rail_message> rail_traffic::next(process_id from) {
    state& own = states_[std::size_t{from.host} * params_.processes + from.process];
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
