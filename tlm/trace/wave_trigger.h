// SPDX-License-Identifier: Apache-2.0
/// \file Detects the event around which waves are recorded.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "hw/engine/network.h"
#include "tlm/trace/packet_database.h"
#include "tlm/trace/packet_log.h"
#include "tlm/trace/trigger_config.h"

namespace polycast::tlm::trace {

/// The network that a trigger watches.
struct triggered_network {
    logged_network description;
    std::vector<hw::engine::pin_shape> shapes;  ///< of the chips' pins, by number
    hw::format::header_shape headers;
    std::uint32_t chunk_flits = 1;  ///< flits of one unit of chip_probe::input::occupied
};

/// Watches the pins of all chips, so that the trigger is the same for every fidelity and any recorded chips. Events
/// of one cycle are taken when all chips have been stepped. A packet that comes into an input and does not leave is
/// dropped when an error pin of that input says so, or, if none does, when one that came after it leaves.
class wave_trigger final : public hw::engine::observer, private packet_store {
public:
    /// `fire` is called once with the cycle, in or after the one that is being simulated. Events outside `window` are
    /// ignored.
    wave_trigger(const trigger_config& config, triggered_network network, const log_window& window,
                 std::function<void(hw::engine::cycle)> fire);

    void stepped(hw::engine::chip_id id, hw::engine::cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                 const hw::engine::chip& chip) override;

    /// Takes what has happened before cycle `end`, the first that is not simulated.
    void finish(hw::engine::cycle end);

    /// Such events so far, the one that fired included; none are counted after it.
    std::uint64_t count() const { return count_; }
    std::uint64_t packets() const { return heads_.size(); }

private:
    /// A packet that has come into an input buffer, or is on the link to it.
    struct waiting {
        std::uint32_t packet = 0;
        hw::engine::cycle arrives = 0;
    };
    struct input_lane {
        unsigned port = 0;
        std::uint8_t vc = 0;
        std::deque<waiting> packets;
    };
    struct watched_chip {
        bool switching = false;  ///< a switch or router
        bool host = false;
        bool cable = false;
        bool hung = false;                              ///< a processor of the host stands still
        std::vector<const logged_chip::cable*> cables;  ///< [port]; null if there is none
        std::vector<std::uint32_t> most;                ///< [port] occupied units with which a packet can still begin
        std::vector<input_lane> inputs;
        std::vector<hw::engine::cycle> full_since;  ///< [port and virtual channel]
    };
    struct raised_error {
        hw::engine::chip_id chip = 0;
        unsigned port = 0;
        std::uint16_t errors = 0;
        hw::engine::cycle when = 0;
    };

    void add(const logged_packet& packet) override;
    void add(const passage& passage) override;
    void begun(const passage& sofar, hw::engine::cycle when) override;

    void end_cycle(hw::engine::cycle next);
    void leave_input(const passage& sofar, hw::engine::cycle when);
    void take_error(const raised_error& error);
    void watch_buffers(hw::engine::chip_id id, hw::engine::cycle when, const hw::engine::chip& chip);
    void watch_wires(hw::engine::chip_id id, const hw::engine::chip& chip);
    void watch_host(hw::engine::chip_id id, const hw::engine::chip& chip);
    bool wanted(hw::engine::chip_id chip) const { return !config_.chip || *config_.chip == chip; }
    void consider(std::uint32_t packet, hw::engine::chip_id chip, hw::engine::cycle when);
    void happened(hw::engine::cycle when);

    trigger_config config_;
    triggered_network network_;
    log_window window_;
    std::function<void(hw::engine::cycle)> fire_;
    bool fired_ = false;
    std::uint64_t count_ = 0;
    hw::engine::cycle now_ = hw::engine::never;
    std::vector<watched_chip> chips_;
    std::unique_ptr<packet_log> log_;       ///< of events of packets
    std::vector<hw::engine::cycle> heads_;  ///< [packet] of its first passage
    std::optional<std::uint32_t> chosen_;   ///< number of the packet, where it was chosen by its source
    std::vector<raised_error> raised_;      ///< in the cycle being watched
    unsigned struck_ = 0;                   ///< wires on which faults began in the cycle being watched
    unsigned hung_ = 0;                     ///< hosts that stand still from the next cycle on
    hw::engine::chip_probe probe_;
    std::set<std::pair<hw::engine::cycle, std::uint64_t>> full_;  ///< buffers without room: since when, chip and entry
};

}  // namespace polycast::tlm::trace
