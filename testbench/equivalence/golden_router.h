// SPDX-License-Identifier: Apache-2.0
/// \file hw/chips/router/router.md written down as plainly as possible: a witness beside the core and the RTL that
/// shares no code and no data structure with either. Also the plain router of speed comparisons: it never sleeps.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "hw/chips/router/router_config.h"
#include "hw/engine/chip.h"

namespace polycast::testbench::equivalence {

/// A step does what the page says in the page's order. Flits and decisions carry the cycle in which they were made, so
/// "registered" is a comparison of cycle numbers; credits and output virtual channels change last.
class golden_router final : public hw::engine::chip {
public:
    golden_router(const hw::chips::router_params& params, hw::chips::router_tables tables);

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    /// Counts cycles itself and asks to be stepped in each.
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override;
    bool idle() const override;
    void probe(hw::engine::chip_probe& probe) const override;

private:
    using bytes = std::vector<std::uint8_t>;
    using channels = std::vector<bool>;  ///< [virtual channel]

    struct flit {
        bytes data;
        bool tail = false;
        std::uint64_t written = 0;  ///< cycle
    };
    struct branch {
        unsigned output = 0;
        channels may_use;            ///< at the output
        std::optional<unsigned> vc;  ///< held at the output
        unsigned next = 0;           ///< number of the flit to read
        bool done = false;           ///< has read the tail
    };
    struct packet {
        std::deque<flit> flits;  ///< that are in the buffer
        unsigned gone = 0;       ///< flits before those
        bytes header;            ///< free, or what has come of it
        bool complete = false;   ///< its header
        bool bad = false;
        std::uint64_t routed = 0;  ///< cycle, once the header is complete
        bool dropped = false;
        std::vector<branch> branches;

        unsigned stored() const { return gone + static_cast<unsigned>(flits.size()); }
    };
    struct input_channel {
        std::deque<packet> packets;  ///< front first
        unsigned occupied = 0;       ///< flits
        bool in_packet = false;
        bool discarding = false;
        bool dead = false;
    };
    struct output_channel {
        bool held = false;
        unsigned holder_input = 0;
        unsigned holder_vc = 0;
        unsigned credits = 0;
    };
    struct input_port {
        std::vector<input_channel> vcs;
        unsigned vc_pointer = 0;
        unsigned accept_pointer = 0;    ///< over outputs; iSLIP
        std::vector<bool> random;       ///< shift register, lowest bit first
        std::uint64_t last_routed = 0;  ///< cycle in which a packet was routed
    };
    struct output_port {
        std::vector<output_channel> vcs;
        unsigned input_pointer = 0;
        unsigned vc_pointer = 0;
    };
    /// What is read in a cycle at an input: at most one virtual channel, by some outputs or a drain.
    struct choice {
        bool any = false;
        unsigned vc = 0;
        std::vector<unsigned> outputs;  ///< none: a drain
    };
    /// What leaves on a port in a cycle.
    struct wire {
        bool valid = false;
        bool head = false;
        bool tail = false;
        unsigned vc = 0;
        bytes data;
        bytes header;
    };

    void write(unsigned input, const hw::engine::pins& in, hw::engine::pins& out);
    unsigned header_flits(const packet& last) const;
    bool is_known(const bytes& header) const;
    void route(unsigned input, unsigned vc, hw::engine::pins& out);
    std::vector<branch> decide(unsigned input, const bytes& header, hw::engine::pins& out) const;
    std::vector<branch> route_unicast(const bytes& header) const;
    std::vector<branch> route_broadcast(unsigned input, const bytes& header) const;
    void keep_number(unsigned vc, std::vector<branch>& branches) const;
    void choose(unsigned input, std::vector<branch>& branches);
    unsigned packets_on_their_way_to(unsigned output) const;
    unsigned credits_for(const branch& what) const;
    bool reaches(unsigned dimension, bool up, unsigned source_coordinate, unsigned& hops) const;
    unsigned coordinate(std::uint32_t node, unsigned dimension) const;
    bool ring(unsigned dimension) const { return (tables_.wrap >> dimension & 1) != 0; }
    channels set_of(const bytes& header, bool side0, bool side1) const;

    bool routed(const input_channel& channel) const;
    bool in_buffer(const packet& front, unsigned number) const;
    bool can_go(const packet& front, const branch& what) const;
    bool usable(const output_channel& channel) const;
    std::vector<unsigned> outputs_that_can_go(unsigned input, unsigned vc) const;
    bool drain_can_go(unsigned input, unsigned vc) const;
    std::vector<choice> allocate_separable();
    std::vector<choice> allocate_islip();
    void read(unsigned input, const choice& what, std::vector<wire>& wires, hw::engine::pins& out);
    unsigned assign(unsigned input, unsigned vc, const branch& what);
    static void raise(unsigned port, hw::format::chip_error error, hw::engine::pins& out);

    hw::chips::router_params params_;
    hw::chips::router_tables tables_;
    hw::engine::pin_shape shape_;

    std::uint64_t cycle_ = 0;
    std::vector<input_port> inputs_;
    std::vector<output_port> outputs_;
    std::deque<std::vector<wire>> crossbar_;  ///< oldest first
    bool quiet_ = true;
};

}  // namespace polycast::testbench::equivalence
