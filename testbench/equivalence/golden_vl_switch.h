// SPDX-License-Identifier: Apache-2.0
/// \file hw/chips/vl_switch/vl_switch.md written down as plainly as possible: a witness beside the core and the RTL
/// that shares no code and no data structure with either. Slow, allocates freely, never sleeps.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "hw/chips/vl_switch/vl_switch_config.h"
#include "hw/engine/chip.h"
#include "hw/engine/waiting_ports.h"

namespace polycast::testbench::equivalence {

/// A step does what the page says. Flits carry the cycle in which they were written and packets the one in which they
/// came to the front, so "registered" is a comparison of cycle numbers; grants come before reads, credits change last.
class golden_vl_switch final : public hw::engine::chip, public hw::engine::waiting_ports {
public:
    golden_vl_switch(const hw::chips::vl_switch_params& params, hw::chips::vl_switch_tables tables);

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    /// Counts cycles itself and asks to be stepped in each.
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override;
    bool idle() const override;
    void probe(hw::engine::chip_probe& probe) const override;
    std::uint64_t xmit_wait() const override { return xmit_wait_; }

private:
    using bytes = std::vector<std::uint8_t>;

    struct flit {
        bytes data;
        bool tail = false;
        std::uint64_t written = 0;  ///< cycle
    };
    struct branch {
        unsigned output = 0;
        unsigned vl = 0;  ///< on which it leaves
        bool granted = false;
        unsigned next = 0;  ///< number of the flit to read
        bool done = false;  ///< has read the tail
    };
    struct packet {
        std::vector<flit> flits;
        bytes header;                  ///< free, or what has come of it
        bool complete = false;         ///< its header
        bool bad = false;              ///< it is short
        std::uint64_t routed = 0;      ///< cycle, once the header is complete
        std::uint64_t front = 0;       ///< first cycle at the front; 0: not yet
        std::vector<branch> branches;  ///< none once it is routed: it is dropped
        unsigned drained = 0;          ///< flits
        unsigned freed = 0;            ///< chunks
    };
    struct input_lane {
        std::deque<packet> packets;  ///< front first
        unsigned occupied = 0;       ///< chunks
        unsigned owed = 0;           ///< credits
        bool in_packet = false;
        bool discarding = false;
        bool dead = false;
    };
    struct input_port {
        std::vector<input_lane> lanes;
        unsigned read_pointer = 0;
        unsigned credit_pointer = 0;
    };
    struct output_lane {
        unsigned credits = 0;
        unsigned pointer = 0;  ///< over input lanes
    };
    /// A table of VL arbitration in use.
    struct turns {
        unsigned entry = 0;  ///< the current one
        int left = 0;        ///< of its weight
    };
    struct output_port {
        std::vector<output_lane> lanes;
        bool held = false;
        unsigned holder = 0;  ///< input lane
        unsigned vl = 0;      ///< on which the packet leaves
        unsigned vl_pointer = 0;
        turns high, low;
        int budget = 0;
        bool by_high = false;  ///< the table of the packet that holds it
    };
    /// What leaves on a port in a cycle.
    struct wire {
        bool valid = false;
        bool head = false;
        bool tail = false;
        unsigned vl = 0;
        bytes data;
        bytes header;
    };

    void write(unsigned port, const hw::engine::pins& in, hw::engine::pins& out);
    unsigned header_flits(const packet& last) const;
    void route(unsigned port, hw::engine::pins& out);
    std::vector<branch> decide(unsigned port, const bytes& header, hw::engine::pins& out) const;
    bool open(unsigned port) const;
    bool exists(unsigned port, unsigned vl) const;

    input_lane& lane(unsigned number) { return inputs_[number / params_.vls].lanes[number % params_.vls]; }
    bool at_front(const input_lane& which) const;
    bool in_buffer(const packet& front, unsigned number) const;
    branch* branch_to(unsigned number, unsigned output);
    std::vector<unsigned> candidates(unsigned output, unsigned vl);
    void arbitrate(unsigned output);
    bool choose_vl(unsigned output, const std::vector<bool>& possible, unsigned& vl);
    bool choose_weighted(unsigned output, const std::vector<bool>& possible, unsigned& vl);
    bool wants_to_send(unsigned output);
    void read(unsigned port, std::vector<wire>& wires);
    void read(unsigned number, branch& what, wire& to);
    void account(unsigned output, std::size_t flits);
    void drain(input_lane& which);
    void lose(input_lane& which, hw::engine::pins& out);
    void free(input_lane& which);
    void repay(unsigned port, hw::engine::pins& out);
    static void raise(unsigned port, hw::format::chip_error error, hw::engine::pins& out);

    hw::chips::vl_switch_params params_;
    hw::chips::vl_switch_tables tables_;
    hw::engine::pin_shape shape_;
    unsigned lanes_;  ///< of all inputs

    std::uint64_t cycle_ = 0;
    std::vector<input_port> inputs_;
    std::vector<output_port> outputs_;
    std::deque<std::vector<wire>> crossbar_;  ///< oldest first
    std::uint64_t xmit_wait_ = 0;
    bool quiet_ = true;
};

}  // namespace polycast::testbench::equivalence
