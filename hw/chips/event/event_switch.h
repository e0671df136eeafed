// SPDX-License-Identifier: Apache-2.0
/// \file A switch whose packets are events, hw/chips/event/event_switch.md: for networks of `fidelity: event`.
#pragma once

#include <boost/rational.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/format/packet_format.h"
#include "hw/traffic/random.h"

namespace polycast::hw::chips {

struct event_switch_params {
    unsigned ports = 2;         ///< 2..64
    unsigned flit_bytes = 1;    ///< 1..64
    unsigned header_bytes = 0;  ///< of the free header pins; 0: the header is in the flits
    /// Cycles from a head on an input pin to the same head on an output pin, without contention: 1 or more. A
    /// router's are route delay + crossbar delay + flits of the header - 1.
    std::uint32_t delay = 2;
    /// Selection among outputs that lead to the destination; least loaded is the one that is free first.
    format::route_select select = format::route_select::lowest;
    std::uint64_t seed = 0;
    /// [host] ports that lead there, bit p; hosts behind the last entry cannot be reached.
    std::vector<std::uint64_t> routes;
    /// [port] that a flit takes on the link out of that port; 1 where there is no entry. More than one for a link that
    /// is slower than a flit per cycle.
    std::vector<boost::rational<std::int64_t>> cycles_per_flit;

    engine::pin_shape pin_shape() const { return {ports, flit_bytes, header_bytes, 1, 0, 0, ~std::uint64_t{0}}; }
};

/// Statistics of an output.
struct event_output_statistics {
    std::uint64_t packets = 0;
    std::uint64_t flits = 0;
    engine::cycle busy = 0;        ///< cycles that the link out is taken
    engine::cycle waited = 0;      ///< sum over packets: cycles behind others
    engine::cycle waited_max = 0;  ///< of one packet
    std::size_t queued_max = 0;    ///< packets in the queue at once
};

/// Unbounded output queues, one packet after the other, with cut-through if the output is free.
class event_switch final : public engine::chip {
public:
    /// \throws input_error on parameters out of range
    explicit event_switch(const event_switch_params& params);

    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override;
    bool idle() const override { return starts_.empty(); }

    const event_output_statistics& output(unsigned port) const { return outputs_[port].statistics; }

private:
    struct departure {
        engine::cycle start;
        engine::whole_packet packet;
    };
    struct output_state {
        std::deque<departure> queue;
        engine::cycle free = 0;  ///< first cycle in which its pins are free
        event_output_statistics statistics;
    };
    struct departure_time {
        engine::cycle when;
        unsigned port;
        bool operator>(const departure_time& other) const {
            return when != other.when ? when > other.when : port > other.port;
        }
    };

    void arrive(engine::cycle now, unsigned input, const engine::whole_packet& packet, engine::pins& out);
    unsigned choose(std::uint64_t candidates, engine::cycle from);
    engine::cycle cycles_on(unsigned port, std::uint32_t flits) const;

    event_switch_params params_;
    engine::pin_shape shape_;
    std::vector<output_state> outputs_;
    std::priority_queue<departure_time, std::vector<departure_time>, std::greater<>> starts_;
    unsigned first_input_ = 0;  ///< whose packet goes first of those that begin in one cycle
    traffic::random_stream random_;
};

}  // namespace polycast::hw::chips
