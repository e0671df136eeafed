// SPDX-License-Identifier: Apache-2.0
/// \file A sender and a receiver on every virtual channel of every port of a chip.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "hw/engine/chip.h"
#include "testbench/equivalence/dice.h"
#include "testbench/equivalence/lockstep.h"

namespace polycast::testbench::equivalence {

/// How packets come in and credits go back, whatever is in the packets. Probabilities per cycle or per packet, in
/// 1/1000.
struct link_traffic {
    unsigned start = 300;       ///< an idle sender begins a packet
    unsigned pause = 0;         ///< a sender skips a cycle inside a packet
    unsigned longest = 640;     ///< flits
    unsigned credit_delay = 0;  ///< most cycles until a receiver gives a chunk back
    unsigned stall = 0;         ///< a receiver stops giving credits ..
    unsigned stall_all = 0;     ///< all of them do, and begin again in one cycle ..
    unsigned stall_cycles = 0;  ///< .. for up to so many cycles
    unsigned resets = 0;        ///< resets, per 1,000,000 cycles
    unsigned illegal = 0;       ///< packets (and idle cycles) with something wrong
    bool whole = false;         ///< packets of a port are not mixed, and begin only if the longest fits behind
};

/// What the chip lets its senders do.
struct link_rules {
    hw::engine::pin_shape shape;
    unsigned chunk_flits = 1;  ///< flits of a chunk, the unit of credits
    std::vector<unsigned>
        buffers;                ///< [port] chunks of the buffer of each of its virtual channels, or [port * vcs + vc]
    unsigned packet_limit = 1;  ///< flits
};

/// Senders keep to their credits and receivers give back only what they got, except where `link_traffic::illegal`
/// says so.
class link_stimulus : public traffic_source {
public:
    /// Data and headers of silent ports are random: nobody may look at them.
    void drive(hw::engine::pins& in) override;
    void see(const hw::engine::pins& out) override;
    bool wants_reset() override;

protected:
    link_stimulus(link_rules rules, const link_traffic& traffic, const dice& random);

    /// There is a packet to be sent.
    virtual bool may_begin() { return true; }
    /// Bytes of a header for `port`.
    virtual std::vector<std::uint8_t> make_header(unsigned port) = 0;
    /// Flits that carry it, where it is not free.
    virtual unsigned header_flits(const std::vector<std::uint8_t>& header) const = 0;
    /// A packet as it came about: `bytes` of its flits and more behind, `header` where it is free. May be made anew.
    virtual void finish_packet(std::vector<std::uint8_t>& bytes, std::vector<std::uint8_t>& header, unsigned& flits);
    /// Makes the kind one that does not exist.
    virtual void spoil_kind(std::uint8_t* header) = 0;
    /// Makes the destination one that does not exist. `bytes`: of the header that can be written.
    virtual void spoil_destination(std::uint8_t* header, std::size_t bytes) = 0;

    dice random_;

private:
    struct sender {
        std::vector<std::uint8_t> bytes;   ///< of the packet being sent
        std::vector<std::uint8_t> header;  ///< free header
        unsigned flits = 0;                ///< of that packet; 0 while idle
        unsigned next = 0;
        unsigned stored = 0;  ///< flits of it that the chip has kept
        unsigned credits = 0;
        bool cut = false;  ///< the chip discards the rest
        bool ignores_credits = false;
        unsigned head_again = ~0u;  ///< flit that claims to be a head
    };
    struct receiver {
        std::queue<std::uint64_t> due;  ///< cycles in which a chunk may go back, ascending
        unsigned offset = 0;
        std::uint64_t stalled_until = 0;
    };

    void restart();
    void begin_packet(unsigned port, sender& from);
    void spoil(sender& from);
    void send(unsigned port, hw::engine::pins& in);
    bool send(unsigned port, unsigned vc, hw::engine::pins& in);
    bool fits(const sender& from) const;
    void give_back(unsigned port, hw::engine::pins& in);
    std::size_t at(unsigned port, unsigned vc) const { return std::size_t{port} * rules_.shape.vcs + vc; }
    bool header_free() const { return rules_.shape.header_bytes != 0; }

    link_rules rules_;
    link_traffic traffic_;
    std::uint64_t cycle_ = 0;
    std::vector<sender> senders_;      ///< [port][vc]
    std::vector<receiver> receivers_;  ///< [port][vc]
    std::vector<unsigned> sending_;    ///< [port] the channel whose packet has begun, if packets go whole; vcs: none
};

}  // namespace polycast::testbench::equivalence
