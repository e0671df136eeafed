// SPDX-License-Identifier: Apache-2.0
/// \file hw/chips/switch/switch.md written down as plainly as possible: a witness beside the core and the RTL that
/// shares no code and no data structure with either. Slow, allocates freely, never sleeps.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "hw/chips/switch/switch_config.h"
#include "hw/engine/chip.h"

namespace polycast::testbench::equivalence {

/// Every cycle starts from a copy of all registers; decisions read the copy and write the original. Flits and headers
/// carry the cycle in which they were written, so "in the buffer, registered" is a comparison of cycle numbers.
class golden_switch final : public hw::engine::chip {
public:
    golden_switch(const hw::chips::switch_params& params, hw::chips::switch_tables tables);

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    /// Counts cycles itself and asks to be stepped in each.
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override;
    bool idle() const override;
    void probe(hw::engine::chip_probe& probe) const override;

private:
    using bytes = std::vector<std::uint8_t>;

    struct flit {
        bytes data;
        bool tail = false;
        std::uint64_t written = 0;  ///< cycle
    };
    struct packet {
        std::deque<flit> flits;
        bytes free_header;
        bool header_complete = false;
        bool bad = false;
        std::vector<unsigned> chunk_readers;  ///< [chunk] branches that have read its last flit
    };
    enum class phase { idle, routing, active, draining };

    /// Registers of an input, without the buffer itself.
    struct input_registers {
        phase state = phase::idle;
        unsigned routing_left = 0;
        unsigned occupied = 0;
        bool in_packet = false;
        bool discarding = false;
        bool dead = false;
        std::vector<bool> waiting;     ///< [output] branch without grant
        std::vector<bool> unfinished;  ///< [output] branch that has not read the tail
        unsigned branches = 0;
        bool masked = false;        ///< tree worm going down whose header is rewritten
        unsigned advancing = 0;     ///< output of a path worm's copy to its next stop; the number of ports: none
        unsigned header_flits = 0;  ///< of the packet at the front
        unsigned drained = 0;
        unsigned selection_pointer = 0;
        unsigned read_pointer = 0;
    };
    struct output_registers {
        bool held = false;
        unsigned holder = 0;
        unsigned next_flit = 0;
        unsigned credits = 0;
        unsigned pointer = 0;
    };
    struct registers {
        std::vector<input_registers> inputs;
        std::vector<output_registers> outputs;
    };
    /// What leaves on a port in a cycle.
    struct wire {
        bool valid = false;
        bool head = false;
        bool tail = false;
        bytes data;
        bytes header;
    };

    void write(unsigned input, const hw::engine::pins& in, const registers& old, hw::engine::pins& out);
    void route(unsigned input, const registers& old, hw::engine::pins& out);
    void decide(unsigned input, const registers& old, hw::engine::pins& out);
    std::vector<bool> allowed(const hw::chips::port_sets& table, unsigned entry, bool up) const;
    std::vector<bool> route_unicast(unsigned input, const bytes& header, const registers& old, hw::engine::pins& out);
    std::vector<bool> route_tree(unsigned input, const bytes& header, const registers& old, hw::engine::pins& out);
    std::vector<bool> route_path(unsigned input, const bytes& header, const registers& old, hw::engine::pins& out);
    std::vector<bool> route_stop(unsigned input, const bytes& header, unsigned stop, std::optional<unsigned> then,
                                 const registers& old, hw::engine::pins& out);
    unsigned select(unsigned input, const std::vector<bool>& candidates, hw::format::selection how,
                    const registers& old);
    void arbitrate(unsigned output, const registers& old);
    void read(unsigned input, const registers& old, std::vector<wire>& wires);
    wire copy_of(unsigned input, unsigned output, unsigned index) const;
    void drain(unsigned input, const registers& old);
    void read_end_of_chunk(unsigned input, unsigned index, bool tail);
    unsigned header_flits_of(const packet& front) const;
    bytes header_of(const packet& front) const;
    bool in_buffer(const packet& front, unsigned index) const;
    bool leads(unsigned port, hw::format::direction direction) const {
        return tables_.port_direction[port] == direction;
    }
    static void raise(unsigned port, hw::format::chip_error error, hw::engine::pins& out);

    hw::chips::switch_params params_;
    hw::chips::switch_tables tables_;
    hw::engine::pin_shape shape_;

    std::uint64_t cycle_ = 0;
    registers now_;
    std::vector<std::deque<packet>> buffers_;  ///< [input], front first
    std::deque<std::vector<wire>> crossbar_;   ///< oldest first
    std::vector<bool> freed_;                  ///< [input] in this cycle
    bool quiet_ = true;
};

}  // namespace polycast::testbench::equivalence
