// SPDX-License-Identifier: Apache-2.0
/// \file An ideal host at a broadcast router: it sends the packets of its broadcasts as fast as credits allow, sends
/// unicasts beside them, and accepts everything at once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hw/chips/broadcast/broadcast_config.h"
#include "hw/engine/chip.h"
#include "hw/traffic/random.h"
#include "hw/workloads/broadcast/unicast_scoreboard.h"

namespace polycast::hw::broadcast {

/// A message as its host gives it to the network.
struct message_packets {
    unsigned packets = 0;
    unsigned flits = 1;                 ///< of each
    engine::cycle start = 0;            ///< its host does not begin before
    std::vector<std::uint8_t> data;     ///< [packet][flit][byte]
    std::vector<std::uint8_t> headers;  ///< [packet][byte] where the header is free
};

struct unicast_load {
    double rate = 0;         ///< packets per host and cycle, below 1
    unsigned flits = 4;      ///< of each
    std::uint64_t seed = 0;  ///< of times, destinations and bytes
};

/// Where what hosts get goes.
class host_sink {
public:
    virtual ~host_sink() = default;
    /// A flit of a broadcast is on the input pins of a host in cycle `now`.
    virtual void broadcast_came(std::uint32_t node, engine::cycle now, const engine::flit& flit) = 0;
    /// A flit of another packet is.
    virtual void unicast_came(std::uint32_t node, engine::cycle now, const engine::flit& flit) = 0;
};

class broadcast_host final : public engine::chip {
public:
    /// \param pause     cycles between two credits for flits of broadcasts, at least: a host that is slow where not 0
    /// \param unicasts  makes those that the host sends
    broadcast_host(const chips::broadcast_params& params, std::uint32_t node, unsigned pause, const unicast_load& load,
                   unicast_scoreboard& unicasts, host_sink& sink);

    /// Before the first step. `message` must outlive the host.
    void give(const message_packets& message) { messages_.push_back(&message); }
    /// No unicasts begin any more.
    void stop_unicasts() { rate_over_ = true; }

    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override;
    bool idle() const override;
    const void* shared() const override { return &sink_; }

private:
    void receive(engine::cycle now, const engine::pins& in);
    void give_credit(engine::cycle now, engine::pins& out);
    void send_broadcast(engine::pins& out);
    void send_unicast(engine::pins& out);
    void draw_unicasts(engine::cycle now);
    void draw_next(engine::cycle now);
    bool may_give(engine::cycle now) const;
    bool may_send_unicast() const;
    engine::cycle next(engine::cycle now) const;

    chips::broadcast_params params_;
    engine::pin_shape shape_;
    std::uint32_t node_;
    unsigned pause_;
    unicast_load load_;
    unicast_scoreboard& unicasts_;
    host_sink& sink_;
    std::vector<const message_packets*> messages_;

    traffic::random_stream random_;
    std::size_t message_ = 0;  ///< being given
    unsigned packet_ = 0, flit_ = 0;
    unsigned inject_credits_ = 0;
    std::vector<unsigned> credits_;  ///< [vc] of the router
    std::vector<unsigned> owed_;     ///< [vc] credits to be given, the unit's last
    unsigned all_owed_ = 0;
    engine::cycle next_unit_credit_ = 0;
    engine::cycle next_unicast_ = engine::never;
    std::uint64_t waiting_unicasts_ = 0;
    unsigned unicast_vc_ = 0, unicast_flit_ = 0;
    unicast sending_;
    bool rate_over_ = false;
};

}  // namespace polycast::hw::broadcast
