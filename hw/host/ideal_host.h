// SPDX-License-Identifier: Apache-2.0
/// \file An ideal host at a port of a router: a source with an unbounded queue and a sink that takes everything at
/// once. The model of hw/fabric/terminals.h as a chip with pins and bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/fabric/fabric_config.h"
#include "hw/format/header.h"
#include "hw/host/source_vcs.h"

namespace polycast::hw::host {

/// What the ideal hosts of a network send, and what they do with arrivals: one object for all of them. Every call is
/// about one host in one cycle; the cycles of a host are in order, hosts within a cycle in any order. Within a cycle
/// the order is arrived(), act(), then sending.
class ideal_work {
public:
    virtual ~ideal_work() = default;

    /// A flit is on the input pins of a host. Its credit goes back at once.
    virtual void arrived(engine::cycle now, std::uint32_t host, const engine::flit& flit) = 0;

    /// The actions of a host before it sends. \returns the next cycle, after `now`, in which it acts even if nothing
    /// arrives and nothing can be sent; engine::never if none
    virtual engine::cycle act(engine::cycle now, std::uint32_t host) = 0;

    /// Class of the next packet to send; nothing if none is ready.
    virtual std::optional<unsigned> waiting(std::uint32_t host) const = 0;

    /// That packet has got virtual channel `vc`, its head is on the output pins in now + 1. Fills in `packet`: all
    /// bytes of at least one flit, and the header pins.
    virtual void depart(engine::cycle now, std::uint32_t host, unsigned vc, engine::packet_bytes& packet) = 0;
};

/// The free header of a packet whose flits are all payload.
struct ideal_header {
    std::uint32_t source = 0;       ///< terminal
    std::uint32_t destination = 0;  ///< terminal; of a broadcast a host port of all nodes
    std::uint32_t sequence = 0;     ///< of its source, from 0
    std::uint8_t service_class = 0;
    bool broadcast = false;
    format::transport_header transport = {};  ///< `total` is filled in
};

/// Writes header pins of `pin_bytes` bytes for the flits of `packet`. Lengths above 65535 bytes are written as 65535:
/// routers do not read them.
void write_header(const ideal_header& header, std::size_t pin_bytes, engine::packet_bytes& packet);

class ideal_host final : public engine::chip {
public:
    /// `work` must outlive the chip.
    ideal_host(const fabric::fabric_params& params, std::uint32_t number, ideal_work& work);

    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override;
    bool idle() const override { return packet_.flits.empty() && !work_->waiting(number_); }
    void probe(engine::chip_probe& probe) const override;
    const void* shared() const override { return work_; }

private:
    bool send(engine::cycle now, engine::pins& out);
    bool can_send() const;

    engine::pin_shape shape_;
    std::uint32_t number_;
    unsigned vc_flits_, reserve_;
    std::array<chips::vc_set, 8> class_vcs_;
    ideal_work* work_;

    // State.
    source_vcs vcs_;
    std::vector<unsigned> credits_;  ///< [VC]
    engine::packet_bytes packet_;    ///< that is being sent; no flits: none
    std::size_t sent_ = 0;           ///< bytes of it
};

}  // namespace polycast::hw::host
