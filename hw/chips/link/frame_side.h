// SPDX-License-Identifier: Apache-2.0
/// \file A link end between its chip and wires that carry frames and sets as a whole.
#pragma once

#include <memory>

#include "hw/chips/link/frame_wire.h"
#include "hw/chips/link/link_end_core.h"
#include "hw/chips/link/link_wire.h"
#include "hw/engine/chip.h"

namespace polycast::hw::chips {

/// The same as link_end_core between link_wires, in every cycle. Faults that hit a wire for a cycle are known before
/// something is sent into them: what they hit, and what follows until the far end is sure to tell the frames apart
/// again, is sent symbol by symbol, and spoilt by the sender.
class alignas(64) frame_side {
public:
    explicit frame_side(const link_config& config);

    /// Before the first step. \param faults of the wire on which it sends, which change no signal and nothing in a
    /// cycle that their next() leaves out; outlives it \param start where they put what they make of the wire before
    /// what is chosen first can arrive; null: somebody else does
    void attach(wire_faults& faults, frame_wire* start);
    /// That alone. \param delay of the wire \returns the first cycle behind it in which they do something
    static engine::cycle spoil_start(wire_faults& faults, unsigned delay, frame_wire* wire);
    /// Its step has to be called next, if nothing arrives before.
    engine::cycle wake() const { return wake_; }
    /// One clock edge at the end of cycle `now`. `port` has the pins of its chip.
    void step(engine::cycle now, const engine::pins& in, unsigned port, engine::pins& out, frame_wire& from,
              frame_wire& to);
    /// The next step flips a stored bit, at its end.
    void upset(const link_upset& what);

    const link_end_core& end() const { return *end_; }

private:
    void send(engine::cycle now, frame_wire& to);
    void begin(engine::cycle now);
    void send_symbol(engine::cycle now, const link_choice& choice, frame_wire& to);
    unsigned take(const engine::pins& in, unsigned port);
    void receive(engine::cycle now, frame_wire& from);
    void receive_symbol(engine::cycle now, const link_symbol& symbol);
    void leave(engine::cycle now, unsigned port, engine::pins& out);
    engine::cycle arrival_of(engine::cycle choice) const { return choice + 1 + config().delay; }
    engine::cycle choice_of(engine::cycle arrival) const {
        return arrival == engine::never ? engine::never : arrival - 1 - config().delay;
    }
    const link_config& config() const { return end_->config(); }

    // What most steps look at, in one line of the cache.
    std::unique_ptr<link_end_core> end_;
    engine::cycle sends_ = 0;   ///< its transmitter has to choose
    engine::cycle choice_ = 0;  ///< the same, or a set of its receiver is due, or a fault strikes
    engine::cycle wake_ = 0;
    engine::cycle strikes_ = engine::never;  ///< the choice whose symbol faults spoil next
    wire_faults* faults_ = nullptr;          ///< null: none
    bool parses_ = false;                    ///< symbols arrive, or have left a part of a frame or set
    bool symbols_ = false;                   ///< of the item under way are sent one by one
    bool unsure_ = false;                    ///< whether the far parser is between frames
    bool flips_ = false;                     ///< a stored bit, as `upset_` says

    link_upset upset_;
    engine::cycle struck_ = 0;  ///< the last strike, if `unsure_`
    engine::cycle began_ = 0;   ///< the item under way
    engine::cycle said_ = 0;    ///< the last choice that was not idle, or was spoilt
};

}  // namespace polycast::hw::chips
