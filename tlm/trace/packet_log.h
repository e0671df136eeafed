// SPDX-License-Identifier: Apache-2.0
/// \file Where every packet was in each cycle: its passages over links, for tables, charts and the command `why`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/engine/network.h"
#include "hw/format/header.h"
#include "tlm/trace/packet_tracker.h"

namespace polycast::tlm::trace {

/// A packet as first seen. Copies that switches and interfaces make of it are the same packet: they keep its source
/// and sequence number.
struct logged_packet {
    std::uint32_t number = 0;  ///< from 0, in the order of the headers seen in the network
    std::uint32_t source = 0;
    std::uint32_t sequence = 0;
    std::string label;         ///< packet_tracker::label()
    std::uint32_t header = 1;  ///< flits with which the header is complete; 1 for packets that move as events
};

/// A packet leaves a chip by a port. It is on the output pins from cycle `head` to cycle `tail`, and on the input pins
/// at the other end of the link its delay later.
struct passage {
    std::uint32_t packet = 0;  ///< number
    std::uint32_t chip = 0;
    std::uint8_t port = 0;
    std::uint8_t vc = 0;
    hw::engine::cycle head = 0;
    hw::engine::cycle tail = 0;
    std::uint32_t flits = 0;

    bool operator==(const passage&) const = default;
};

/// Stores what packet_log finds, in the order in which it finds it.
class packet_store {
public:
    virtual ~packet_store() = default;
    virtual void add(const logged_packet& packet) = 0;
    /// A passage; its packet was added before.
    virtual void add(const passage& passage) = 0;
    /// The header of a packet, added before, is complete on the output pins of a port in cycle `when`. `sofar`: the
    /// passage that begins; its tail follows later.
    virtual void begun(const passage& sofar, hw::engine::cycle when) {
        static_cast<void>(sofar);
        static_cast<void>(when);
    }
};

/// The cycles whose packets are logged: passages that end in them.
struct log_window {
    hw::engine::cycle from = 0;
    hw::engine::cycle to = hw::engine::never;  ///< the first that is not logged
};

/// Watches the output pins of all chips, so that core, SystemC module, Verilated RTL and packets as events give the
/// same kind of log. What happens in one cycle is logged by chip and port, in whatever order the chips were stepped.
/// Packets whose headers are not complete when their tail passes are not logged.
class packet_log final : public hw::engine::observer {
public:
    /// \param shapes of the chips' pins, by number \param headers of the network's packets. `store` must outlive it.
    packet_log(const std::vector<hw::engine::pin_shape>& shapes, const hw::format::header_shape& headers,
               const log_window& window, packet_store& store);

    void stepped(hw::engine::chip_id id, hw::engine::cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                 const hw::engine::chip& chip) override;

    /// Logs what happened in the last cycle: its end is known when the next one begins, or by this call.
    void finish();

    std::uint64_t packets() const { return numbers_.size(); }
    std::uint64_t passages() const { return passages_; }

private:
    static constexpr std::uint32_t unknown = 0xffffffffu;

    /// The packet on a virtual channel of a port.
    struct lane {
        packet_tracker tracker;
        hw::engine::cycle head = 0;
        std::uint32_t flits = 0;
        std::uint32_t packet = unknown;
        bool complete = false;  ///< the header has passed
    };
    /// In the cycle being watched: a header is complete, a tail passes, or both.
    struct happening {
        std::uint64_t order = 0;
        lane* at = nullptr;
        bool header = false;
        bool tail = false;
        hw::engine::cycle when = 0;
        passage passed;  ///< without the packet's number
    };
    struct chip_lanes {
        hw::engine::pin_shape shape;
        std::vector<lane> lanes;  ///< [port and virtual channel]
    };

    void flit(hw::engine::chip_id id, unsigned port, hw::engine::cycle when, const hw::engine::pins& out);
    void whole(hw::engine::chip_id id, unsigned port, hw::engine::cycle when, const hw::engine::whole_packet& packet);
    std::uint32_t number_of(const lane& at);
    void keep(const passage& passed);

    log_window window_;
    packet_store& store_;
    std::vector<chip_lanes> chips_;
    hw::engine::cycle now_ = hw::engine::never;
    std::vector<happening> happenings_;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  ///< by source and sequence
    std::uint64_t passages_ = 0;
};

}  // namespace polycast::tlm::trace
