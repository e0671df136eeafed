// SPDX-License-Identifier: Apache-2.0
/// \file What is behind polycast_dpi.h: a core whose pins are vectors, and the comparison of a device's pins with its.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/engine/chip.h"
#include "tlm/dpi/golden_kind.h"
#include "tlm/dpi/link_end_chip.h"
#include "tlm/dpi/pin_layout.h"
#include "tlm/verilated/packet_difference.h"

namespace polycast::tlm::dpi {

/// Every function throws hw::input_error for what its caller got wrong. Registers take effect in the next step; the
/// core is made anew then, so they can only be written before the first traffic since the last reset.
class model {
public:
    /// \param parameters, tables JSON, the latter also the path of a file, or empty
    model(const std::string& chip, std::string name, const std::string& parameters, const std::string& tables);

    const pin_layout& layout() const { return layout_; }
    const std::string& name() const { return name_; }
    hw::engine::cycle now() const { return now_; }

    bit_vector& inputs() { return inputs_; }
    /// In the present cycle.
    const bit_vector& outputs();
    /// Output pins of the device in the present cycle.
    bit_vector& device() { return device_; }

    void write(std::uint32_t address, std::uint32_t data);
    void reset();
    /// The clock edge at the end of the present cycle.
    void step();
    /// \returns true from the first difference to the next reset
    bool compare(bool probes);
    /// The first difference, as far as the flits up to now tell; empty if there is none.
    std::string difference() const;
    /// State in words.
    std::string state();

private:
    struct found_difference {
        hw::engine::cycle when;
        std::string pin;
    };
    void build();
    void forget_outputs();
    void write(std::uint32_t address, std::uint32_t data, bool strict);
    void take_write(bool traffic);
    void take_sides();
    void show_sides();
    void pack_extras(bit_vector& to) const;
    void pack_probes(bit_vector& to) const;
    void pack_entries(bit_vector& to) const;
    std::string bits_difference(bool probes);
    bool is_compared(const placed_pin& pin, bool probes) const;

    std::string name_;
    std::unique_ptr<golden_kind> kind_;
    hw::format::header_shape headers_;
    pin_layout layout_;
    register_image image_;
    bit_vector inputs_, outputs_, device_, scratch_;
    std::unique_ptr<hw::engine::chip> chip_;
    link_end_chip* link_ = nullptr;  ///< `chip_`, if it is one
    hw::engine::pin_shape shape_;
    pin_codec codec_in_, codec_out_;
    hw::engine::pins in_, expected_, tested_;
    std::vector<hw::engine::side_state> sides_in_;
    hw::engine::side_state shown_;  ///< the chip's side wires
    hw::engine::cycle now_ = 0;
    hw::engine::cycle wake_ = 0;
    bool stale_ = true;    ///< registers were written since the chip was made
    bool fresh_ = true;    ///< no traffic since reset
    bool packed_ = false;  ///< `outputs_` are those of the present cycle
    std::optional<packet_difference> packets_;
    std::optional<found_difference> difference_;
};

}  // namespace polycast::tlm::dpi
