// SPDX-License-Identifier: Apache-2.0
#include "hw/rails/rail_traffic.h"

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
    for (std::uint32_t number = 0; number < params.nodes * params.processes; ++number)
        states_.push_back({traffic::random_stream(params.seed, number), static_cast<double>(params.start), 0});
}

std::optional<rail_message> rail_traffic::next(process_id from) {
    state& own = states_[std::size_t{from.host} * params_.processes + from.process];
    own.time += boost::random::exponential_distribution<double>(1 / params_.gap)(own.random);
    if (own.time >= static_cast<double>(params_.end)) return std::nullopt;
    rail_message message;
    message.created = static_cast<cycle>(own.time);
    const double length = std::ceil(boost::random::exponential_distribution<double>(1 / params_.bytes)(own.random));
    message.bytes = length >= params_.longest ? params_.longest : std::max(1u, static_cast<std::uint32_t>(length));
    boost::random::uniform_int_distribution<std::uint32_t> other(0, (params_.nodes - 1) * params_.processes - 1);
    const std::uint32_t target = other(own.random);
    message.to.host = target / params_.processes;
    if (message.to.host >= from.host) ++message.to.host;
    message.to.process = target % params_.processes;
    message.number = own.number++;
    return message;
}

}  // namespace polycast::hw::rails
