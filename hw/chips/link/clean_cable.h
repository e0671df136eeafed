// SPDX-License-Identifier: Apache-2.0
/// \file A cable whose wires nobody spoils, for speed.
#pragma once

#include <array>
#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <memory>

#include "hw/chips/link/cable.h"
#include "hw/chips/link/flit_store.h"
#include "hw/chips/link/link_end_core.h"
#include "hw/engine/chip.h"

namespace polycast::hw::chips {

/// The same as cable_core without faults, in every cycle: frames and sets arrive as a whole in the cycle of their last
/// symbol, without check words and without steps for the symbols before. Where somebody watches, who would see the
/// symbols, it is a cable_core.
class clean_cable final : public engine::chip {
public:
    /// `config` is that of end 0. \throws input_error as checked() does
    explicit clean_cable(const link_config& config);

    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override;
    bool idle() const override;
    void probe(engine::chip_probe& probe) const override;
    engine::chip_report report() const override;
    void watch() override { symbols_ = std::make_unique<cable_core>(config_); }

    const link_end_core& end(unsigned which) const { return symbols_ ? symbols_->end(which) : *sides_[which].end; }

private:
    struct flit_mark {
        bool head = false;
        bool tail = false;
        std::uint8_t vc = 0;
    };
    struct arrival {
        engine::cycle when = 0;  ///< its last symbol is on the pins
        link_item item;
    };
    struct side {
        explicit side(const link_config& config);

        std::unique_ptr<link_end_core> end;
        engine::cycle sends = 0;                      ///< its transmitter has to choose
        engine::cycle choice = 0;                     ///< the same, or a set of its receiver is due
        engine::cycle arrives = engine::never;        ///< the first of `arrivals`
        engine::cycle wake = 0;                       ///< of the end, or of the wire towards it
        boost::circular_buffer<arrival> arrivals{8};  ///< on the wire towards it
        flit_queue<flit_mark> flits;                  ///< of these, and of the frame that is being sent
        unsigned messages = 0;                        ///< message frames, likewise
    };

    void send(engine::cycle now, unsigned port);
    unsigned take(const engine::pins& in, unsigned port);
    void receive(engine::cycle now, side& to);
    void leave(engine::cycle now, unsigned port, engine::pins& out);
    void step_end(engine::cycle now, unsigned port, const engine::pins& in, engine::pins& out);

    link_config config_;
    engine::pin_shape shape_;
    std::array<side, 2> sides_;
    std::unique_ptr<cable_core> symbols_;  ///< null: nobody watches
};

}  // namespace polycast::hw::chips
