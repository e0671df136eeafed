// SPDX-License-Identifier: Apache-2.0
/// \file Where the pins of a chip lie in the vectors of its inputs and outputs, and how they become engine::pins.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hw/chips/chip_pins.h"
#include "hw/engine/chip.h"
#include "tlm/dpi/bit_vector.h"

namespace polycast::tlm::dpi {

struct placed_pin : hw::chips::chip_pin {
    std::size_t first = 0;

    std::size_t width() const { return std::size_t{number} * bits; }
    std::size_t place(std::size_t index) const { return first + index * bits; }
};

class pin_layout {
public:
    explicit pin_layout(const std::vector<hw::chips::chip_pin>& pins);

    const std::vector<placed_pin>& inputs() const { return inputs_; }
    const std::vector<placed_pin>& outputs() const { return outputs_; }
    std::size_t input_bits() const { return input_bits_; }
    std::size_t output_bits() const { return output_bits_; }
    /// Null: there is no such pin.
    const placed_pin* find(std::string_view name) const;

private:
    std::vector<placed_pin> inputs_;
    std::vector<placed_pin> outputs_;
    std::size_t input_bits_ = 0;
    std::size_t output_bits_ = 0;
};

/// Flits and credits of one direction, errors and events, as far as the chip has such pins.
class pin_codec {
public:
    /// \param suffix "_i" or "_o"
    pin_codec(const pin_layout& layout, const hw::engine::pin_shape& shape, std::string_view suffix);

    /// `to` comes in cleared. Side wires are not among them.
    void unpack(const bit_vector& from, hw::engine::pins& to) const;
    /// Data without valid and the like become zero. `to` comes in zero.
    void pack(const hw::engine::pins& from, bit_vector& to) const;

private:
    void unpack_events(const bit_vector& from, hw::engine::pins& to) const;
    void pack_events(const hw::engine::pins& from, bit_vector& to) const;

    hw::engine::pin_shape shape_;
    const placed_pin *valid_, *head_, *tail_, *vc_, *data_, *header_, *credit_, *credit_vc_, *errors_;
    const placed_pin *event_valid_, *event_code_, *event_context_, *event_index_, *event_source_;
};

/// Calls `use(index)` for each bit of a set.
template <class Use>
void for_each_bit(std::uint64_t set, Use&& use) {
    for (; set != 0; set &= set - 1) use(static_cast<unsigned>(std::countr_zero(set)));
}

}  // namespace polycast::tlm::dpi
