// SPDX-License-Identifier: Apache-2.0
/// \file A host with a conventional network interface: traffic source and sink with the papers' overheads.
#pragma once

#include <boost/rational.hpp>
#include <cstdint>
#include <memory>
#include <queue>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/traffic/message.h"

namespace polycast::hw::traffic {

/// Times in cycles. Sivaram et al., OSU-CISRC-10/98-TR41, section 5: system parameters.
struct host_params {
    unsigned flit_bytes = 1;
    unsigned header_bytes =
        0;  ///< free header pins: bytes beside a head flit, check word included; 0 where the header is in the flits
    unsigned chunk_flits = 8;               ///< flits of one credit, both directions
    unsigned credits = 80;                  ///< chunks of the switch's input buffer
    std::uint32_t hosts = 32;               ///< hosts of the network = bits of a bit string
    engine::cycle send_overhead = 1000;     ///< t_hs, host processor, per message or copy
    engine::cycle receive_overhead = 1000;  ///< t_hr
    engine::cycle ni_send = 1000;           ///< t_ns, NI processor, per packet copy
    engine::cycle ni_receive = 1000;        ///< t_nr
    boost::rational<std::int64_t> bus_cycles_per_byte{3,
                                                      4};  ///< I/O bus, one for both directions: 266 2/3 MB/s at 5 ns
    bool overlapped = false;  ///< receiving costs the sending side of the NI nothing (the paper's model)
    std::uint64_t payload_seed = 1;
};

/// A chip with one port. A message waits for the host processor (t_hs), crosses the I/O bus, waits for the NI processor
/// (t_ns) and goes out flit by flit. A packet is stored whole in the NI, then takes the NI processor (t_nr), the bus,
/// the host processor (t_hr). Each resource serves in the order of requests. NI memory is unlimited, so chunks are
/// given back as soon as they are full. Latency of a packet of f flits over h switches at zero load, header free: t_hs
/// + DMA + t_ns + (1 + 3h + f - 1) + t_nr + DMA + t_hr.
class host final : public engine::chip {
public:
    /// `source` and `sink` must outlive the host. \throws input_error on a parameter out of range.
    host(std::uint32_t number, const host_params& params, message_source& source, message_sink& sink);

    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override;
    bool idle() const override;
    void probe(engine::chip_probe& probe) const override;

    /// Cycles a DMA of `bytes` bytes occupies the bus.
    engine::cycle dma_cycles(std::uint32_t bytes) const;

private:
    enum class stage : std::uint8_t { create, host_sent, bus_sent, ni_sent, ni_received, bus_received, host_received };

    /// Something that is finished at `when`; `order` keeps equal times in the order of scheduling.
    struct event {
        engine::cycle when;
        std::uint64_t order;
        stage what;
        std::uint64_t item;  ///< message being sent: index in sending_; packet received: ticket
        std::uint16_t bytes;
        bool operator>(const event& other) const {
            return when != other.when ? when > other.when : order > other.order;
        }
    };

    /// A resource that serves one request after the other.
    struct server {
        engine::cycle free_at = 0;
        engine::cycle serve(engine::cycle now, engine::cycle duration) {
            free_at = (now > free_at ? now : free_at) + duration;
            return free_at;
        }
    };

    void fetch();
    void schedule(engine::cycle when, stage what, std::uint64_t item, std::uint16_t bytes);
    void handle(const event& due);
    void receive(engine::cycle now, const engine::pins& in, engine::pins& out);
    void packet_arrived(engine::cycle now);
    bool transmit(engine::pins& out);
    void build_packet(const message& message);

    std::uint32_t number_;
    host_params params_;
    engine::pin_shape shape_;
    message_source& source_;
    message_sink& sink_;

    std::optional<message> upcoming_;  ///< created in the future
    std::queue<message>
        sending_;  ///< created, not yet on the link, in order: every stage serves first come, first served
    std::queue<message> outgoing_;  ///< ready for the link
    std::priority_queue<event, std::vector<event>, std::greater<>> events_;
    std::uint64_t order_ = 0;
    server processor_;
    server bus_;
    server ni_;
    server ni_receive_;  ///< used where the two sides of the NI overlap

    std::uint32_t sequence_ = 0;
    std::vector<std::uint8_t> packet_;         ///< bytes of the packet on the link
    std::vector<std::uint8_t> packet_header_;  ///< its free header
    std::size_t next_byte_ = 0;
    std::uint32_t flit_ = 0;
    std::uint32_t credits_ = 0;

    std::vector<std::uint8_t> arriving_;
    std::vector<std::uint8_t> arriving_header_;
    std::uint32_t arriving_flits_ = 0;
    bool in_packet_ = false;
};

}  // namespace polycast::hw::traffic
