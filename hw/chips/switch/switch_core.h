// SPDX-License-Identifier: Apache-2.0
/// \file The replicating switch as a cycle-exact C++ model. hw/chips/switch/switch.md is its contract, rtl/switch/
/// the RTL.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/chips/chip_upset.h"
#include "hw/chips/found_flips.h"
#include "hw/chips/switch/switch_config.h"
#include "hw/engine/chip.h"
#include "hw/format/memory_code.h"

namespace polycast::hw::chips {

/// Input-buffered cut-through switch with asynchronous replication (Sivaram et al., OSU-CISRC-10/98-TR41).
///
/// A step costs time only for ports on which something happens; a switch in which everything is blocked says `never`
/// and is not stepped until a flit or a credit arrives.
class switch_core final : public upsettable_chip {
public:
    /// \throws input_error if a parameter or a table is outside its range (see hw/chips/switch/switch.md).
    switch_core(const switch_params& params, switch_tables tables);

    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override;
    engine::cycle step_upset(engine::cycle now, const engine::pins& in, engine::pins& out,
                             const chip_upset* what) override;
    bool idle() const override;
    void probe(engine::chip_probe& probe) const override;

    const switch_params& params() const { return params_; }
    const switch_tables& tables() const { return tables_; }

    /// Bytes that this object holds, itself included.
    std::size_t memory_bytes() const;

private:
    enum class phase : std::uint8_t { idle, routing, active, draining };

    /// Positions increase without bound; position % capacity is the slot in the buffer.
    struct input_port {
        std::uint64_t write_position = 0;  ///< where the next flit goes
        std::uint64_t visible = 0;         ///< flits before this position were written in an earlier cycle
        std::uint64_t front_position = 0;  ///< first flit of the packet at the front
        std::uint64_t drain_position = 0;  ///< next flit to drop
        std::uint64_t branches = 0;        ///< outputs that have not read the tail of the packet at the front
        std::uint64_t waiting = 0;         ///< those of them that have not been granted
        std::uint64_t advancing = 0;       ///< of the packet at the front: branch of a path worm to its next stop
        std::uint32_t write_slot = 0;      ///< write_chunk * chunk_flits + write_offset
        std::uint32_t write_chunk = 0;
        std::uint32_t write_offset = 0;
        std::uint32_t front_slot = 0;
        std::uint32_t drain_slot = 0;
        std::uint32_t packet_flits = 0;  ///< flits stored of the packet being written
        std::uint32_t header_flits = 0;  ///< of the packet being written
        std::uint32_t front_header_flits = 0;
        std::uint32_t complete_headers = 0;  ///< headers waiting for the route stage
        std::uint16_t occupied = 0;          ///< chunks in use
        std::uint16_t usable = 0;            ///< chunks that may be in use
        std::uint8_t branch_count = 0;       ///< branches of the packet at the front when it was routed
        std::uint8_t routing_left = 0;       ///< cycles of routing left, this one included
        std::uint8_t selection_pointer = 0;
        std::uint8_t read_pointer = 0;
        phase state = phase::idle;
        bool in_packet = false;
        bool discarding = false;
        bool dead = false;
        bool header_done = false;   ///< of the packet being written
        bool front_bad = false;     ///< the header at the front is cut short
        bool front_masked = false;  ///< tree worm that goes down: bit string is masked per port
        bool sized = false;         ///< header_flits is known
    };

    struct output_port {
        std::uint64_t requests = 0;  ///< inputs with an ungranted branch to this output
        std::uint64_t position = 0;  ///< of the next flit to read
        std::uint32_t slot = 0;
        std::uint32_t chunk = 0;   ///< slot / chunk_flits
        std::uint32_t offset = 0;  ///< slot % chunk_flits
        std::uint32_t index = 0;   ///< flit number in its packet
        std::int32_t credits = 0;  ///< below zero: a bit of the counter has flipped
        std::int32_t credits_full = 0;
        std::uint8_t holder = 0;   ///< input, while the bit in held_ is set
        std::uint8_t pointer = 0;  ///< round-robin arbitration
    };

    /// Headers, oldest first, in memory for as many as there ever were at once.
    struct header_ring {
        std::vector<std::uint8_t> bytes;
        std::uint32_t first = 0;
        std::uint32_t count = 0;
        std::uint32_t room = 0;
    };

    /// A flit of which bits have flipped in the buffer.
    struct hit_flit {
        std::uint32_t port;
        std::uint64_t position;
        format::flipped_bits bits;
    };
    /// A route likewise, numbered as upsets are; only with a code.
    struct hit_route {
        std::uint32_t index;
        format::flipped_bits bits;
    };

    void flip(const chip_upset& what);
    void flip_flit(std::uint32_t index, std::uint32_t bit);
    void flip_route(std::uint32_t index, std::uint32_t bit);
    void flip_reach(std::uint32_t index, std::uint32_t bit);
    void flip_credits(std::uint32_t index, std::uint32_t bit);
    void change_flit(const hit_flit& hit);
    void undo_flips(unsigned port, std::uint64_t front, std::span<std::uint8_t> header) const;
    std::uint64_t read_route(std::uint32_t index, unsigned port, std::uint64_t route);
    std::vector<std::uint32_t> places();
    void find_flits(const std::vector<std::uint32_t>& before);

    unsigned port_of(const input_port& input) const { return static_cast<unsigned>(&input - inputs_.data()); }
    bool write(unsigned port, const engine::pins& in, engine::pins& out);
    void store_free_header(header_ring& ring, const std::uint8_t* header);
    const std::uint8_t* front_header(unsigned port) const {
        const header_ring& ring = headers_[port];
        return &ring.bytes[std::size_t{ring.first} * shape_.header_bytes];
    }
    /// Byte of the restricted string of `port` as a mask of header bits.
    std::uint8_t reach_byte(unsigned port, std::uint32_t byte) const {
        const auto bits = static_cast<std::uint8_t>(tables_.reach_port[port][byte / 8] >> byte % 8 * 8);
        return byte + 1 == string_bytes_ ? bits | pad_ : bits;
    }
    void header_progress(unsigned port, bool tail, const engine::pins& in, engine::pins& out);
    bool is_foreign(unsigned port, const engine::pins& in) const;
    void start_routing(unsigned port);
    void decide(unsigned port, engine::pins& out);
    std::uint64_t route_unicast(input_port& input, const std::uint8_t* header);
    std::uint64_t route_tree(input_port& input, const std::uint8_t* header, bool& partial);
    std::uint64_t route_stop(input_port& input, const std::uint8_t* header, bool& partial);
    std::uint64_t ports_to_switch(const input_port& input, std::uint32_t number, bool may_go_up);
    std::uint64_t select(input_port& input, std::uint64_t candidates, format::selection how) const;
    void grant(unsigned port);
    void read(unsigned port, engine::pins& to, engine::pins& out);
    void read_limited(engine::pins& to, engine::pins& out);
    void drain(unsigned port, engine::pins& out);
    void free_chunk(unsigned port, engine::pins& out);
    void finish(unsigned port, std::uint32_t chunk, std::uint64_t end);
    void rewrite_flit(const input_port& input, const output_port& output, unsigned port, std::uint8_t* flit) const;
    void raise(unsigned port, format::chip_error error, engine::pins& out) const;
    bool can_read(const output_port& output) const;

    switch_params params_;
    switch_tables tables_;
    engine::pin_shape shape_;

    // Derived from the above once.
    std::uint32_t capacity_;      ///< flits of an input buffer
    std::uint32_t header_bytes_;  ///< longest header that the switch reads
    std::uint32_t string_bytes_;  ///< of a tree worm's bit string
    std::uint32_t words_;         ///< 64-bit words of it
    std::uint64_t up_ports_ = 0;
    std::uint64_t down_ports_ = 0;
    std::uint8_t pad_ = 0;  ///< bits of the last byte of a bit string that belong to no host

    // State.
    std::uint64_t held_ = 0;       ///< outputs held by a packet
    std::uint64_t requested_ = 0;  ///< outputs with requests
    std::uint64_t routable_ = 0;   ///< idle inputs with a complete header
    std::uint64_t routing_ = 0;
    std::uint64_t draining_ = 0;
    std::uint64_t busy_ = 0;  ///< inputs that are not idle
    std::vector<input_port> inputs_;
    std::vector<output_port> outputs_;
    std::vector<std::uint8_t> data_;    ///< [input][slot][byte]
    std::vector<std::uint8_t> tails_;   ///< [input][slot]
    std::vector<std::uint8_t> done_;    ///< [input][chunk] branches that have read its last flit
    std::vector<std::uint8_t> bad_;     ///< [input][first chunk of a packet] header cut short
    std::vector<header_ring> headers_;  ///< [input] of the packets in the buffer if the header is free, else of
                                        ///< the one at the front
    std::vector<engine::pins> stages_;  ///< crossbar pipeline, oldest at stage_
    unsigned stage_ = 0;
    unsigned staged_ = 0;  ///< stages that hold a flit
    bool outputs_quiet_ = true;

    // Of upsets, and without them empty.
    std::vector<hit_flit> flits_;    ///< in the buffers, and some that have left
    std::vector<hit_route> routes_;  ///< kept through a reset, as the tables are
    std::uint64_t dead_ = 0;         ///< outputs whose credit counter cannot be corrected
    found_flips found_;              ///< by codes
};

}  // namespace polycast::hw::chips
