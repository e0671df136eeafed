// SPDX-License-Identifier: Apache-2.0
/// \file The VL switch as a cycle-exact C++ model. hw/chips/vl_switch/vl_switch.md is its contract, rtl/vl_switch/ the
/// RTL.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/chips/vc_framing.h"
#include "hw/chips/vl_switch/vl_arbiter.h"
#include "hw/chips/vl_switch/vl_switch_config.h"
#include "hw/engine/waiting_ports.h"

namespace polycast::hw::chips {

/// Input-buffered switch with forwarding tables and virtual lanes, as InfiniBand has them; packets are copied from one
/// buffer, by a reader for each output.
///
/// Lane numbers are port * vls + vl, of inputs and outputs alike. A step costs time only for lanes on which something
/// happens; a switch in which everything is blocked says `never`.
class vl_switch_core final : public engine::chip, public engine::waiting_ports {
public:
    /// \throws input_error if a parameter or a table is outside its range (see hw/chips/vl_switch/vl_switch.md)
    vl_switch_core(const vl_switch_params& params, vl_switch_tables tables);

    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override;
    bool idle() const override;
    void probe(engine::chip_probe& probe) const override;
    std::uint64_t xmit_wait() const override { return waits_; }

    const vl_switch_params& params() const { return params_; }
    const vl_switch_tables& tables() const { return tables_; }

    /// Bytes that this object holds, itself included, without tables that switches share.
    std::size_t memory_bytes() const;

private:
    enum class phase : std::uint8_t { none, active, draining };

    /// Where a packet goes; it waits in the order of its lane. Without ports the packet is dropped.
    struct decision {
        std::uint64_t ports = 0;
        std::uint8_t sl = 0;
    };
    /// A decision on its way through the route pipeline.
    struct routing {
        std::uint16_t lane = 0;
        std::uint16_t errors = 0;
        decision where;
    };

    /// A lane of an input. Positions increase without bound; position % capacity is the slot in the buffer.
    struct input_lane {
        std::uint64_t write_position = 0;  ///< where the next flit goes
        std::uint64_t visible = 0;         ///< flits before this position were written in an earlier cycle
        std::uint64_t front_position = 0;  ///< first flit of the packet at the front
        std::uint64_t drain_position = 0;
        std::uint64_t waiting = 0;   ///< outputs that have not granted the packet at the front
        std::uint64_t branches = 0;  ///< outputs that have not read its tail, those included
        engine::cycle since = 0;     ///< first cycle in which it is at the front
        std::uint32_t write_slot = 0;
        std::uint32_t write_offset = 0;
        std::uint32_t front_slot = 0;
        std::uint32_t drain_slot = 0;
        std::uint32_t header_chunk = 0;  ///< first chunk of the packet being written
        std::uint32_t first_decision = 0;
        std::uint32_t decisions = 0;
        vc_framing frame;
        std::uint16_t occupied = 0;     ///< chunks in use
        std::uint16_t owed = 0;         ///< credits that have not left
        std::uint8_t readers = 0;       ///< branches of the packet at the front that were not lost
        std::uint8_t header_flits = 0;  ///< of the packet being written
        bool header_done = false;       ///< likewise
        phase state = phase::none;
    };

    struct output_port {
        std::uint64_t position = 0;  ///< of the next flit to read
        std::uint32_t slot = 0;
        std::uint32_t offset = 0;  ///< in its chunk
        std::uint32_t index = 0;   ///< in its packet
        std::uint16_t lane = 0;    ///< input lane, while the output is held
        std::uint16_t wanted = 0;  ///< bit w: a packet waits to leave on VL w
        std::uint16_t able = 0;    ///< bit w: VL w has credits for the longest packet
        std::uint8_t vl = 0;       ///< on which the packet leaves, while the output is held
        std::uint8_t turn = 0;     ///< VL at which the search begins
    };
    struct output_lane {
        std::uint32_t credits = 0;
        std::uint16_t pointer = 0;  ///< input lane at which the search begins
    };

    void write(unsigned port, engine::cycle now, const engine::pins& in, engine::pins& out);
    bool take_header(unsigned lane, input_lane& input, const std::uint8_t* flit);
    bool is_foreign(const std::uint8_t* header, unsigned port) const;
    routing route(unsigned lane, const std::uint8_t* header) const;
    void routed(const routing& done, engine::pins& out);
    void grant(unsigned port);
    bool can_read(const output_port& output) const { return output.position < inputs_[output.lane].visible; }
    void read_limited(engine::pins& to);
    void read(unsigned port, engine::pins& to);
    void drain(unsigned lane);
    void free_chunk(unsigned lane);
    void finish(unsigned lane, std::uint64_t end, std::uint32_t next_slot);
    void lose_old(engine::cycle now, engine::pins& out);
    void lose(unsigned lane, engine::pins& out);
    void load(unsigned lane, engine::cycle now);
    void repay(engine::pins& out);
    void add_request(unsigned lane, unsigned port, unsigned vl);
    void drop_request(unsigned lane, unsigned port, unsigned vl);
    unsigned vl_of(unsigned input, unsigned output, unsigned sl) const {
        return (*tables_.sl2vl)[std::size_t{input} * params_.ports + output] >> 4 * sl & 15;
    }
    /// Input lanes whose front packet waits for a lane of an output, a bit each.
    std::uint64_t* requests(unsigned port, unsigned vl) {
        return &requests_[(std::size_t{port} * params_.vls + vl) * lane_words_];
    }
    engine::cycle next_step(engine::cycle now) const;

    vl_switch_params params_;
    vl_switch_tables tables_;
    engine::pin_shape shape_;

    // Derived from the above once.
    unsigned lanes_;                     ///< of all inputs
    unsigned lane_words_;                ///< 64-bit words of a set of them
    std::uint32_t capacity_;             ///< flits of the buffer of a lane
    std::uint32_t reserve_;              ///< chunks of the longest packet
    std::uint64_t open_ = 0;             ///< ports without a lane
    std::vector<std::uint16_t> exists_;  ///< [output] bit w: there is VL w

    // State.
    std::uint64_t held_ = 0;       ///< outputs held by a packet
    std::uint64_t requested_ = 0;  ///< outputs that a packet waits for
    std::uint64_t owing_ = 0;      ///< inputs that owe credits
    std::uint64_t read_ = 0;       ///< outputs that have read in this cycle
    std::uint64_t waits_ = 0;      ///< pins xmit_wait
    std::vector<input_lane> inputs_;
    std::vector<output_port> outputs_;
    std::vector<output_lane> output_lanes_;
    std::vector<vl_weight_arbiter> weights_;     ///< [output], if it is weighted
    std::vector<std::uint64_t> requests_;        ///< see requests()
    std::vector<std::uint8_t> read_pointers_;    ///< [input]
    std::vector<std::uint8_t> credit_pointers_;  ///< [input]
    std::vector<std::uint16_t> draining_;        ///< lanes that drop the packet at their front
    std::vector<std::uint16_t> loading_;         ///< lanes whose next packet may come to the front
    std::vector<std::uint8_t> data_;             ///< [lane][slot][byte]
    std::vector<std::uint8_t> tails_;            ///< [lane][slot]
    std::vector<std::uint8_t> done_;             ///< [lane][chunk] branches that have read its last flit
    std::vector<decision> decisions_;            ///< [lane][ring of chunks]
    std::vector<std::uint8_t> headers_;  ///< [lane][first chunk][byte] if the header is free, else of the one being
                                         ///< written, [lane][byte]
    std::array<std::vector<routing>, 16> routing_;  ///< [cycle in which it is routed % 16]
    unsigned routing_slots_ = 0;                    ///< those that are not empty
    std::vector<engine::pins> stages_;              ///< crossbar pipeline, oldest at stage_
    unsigned stage_ = 0;
    unsigned staged_ = 0;  ///< stages that hold a flit
    bool outputs_quiet_ = true;
};

}  // namespace polycast::hw::chips
