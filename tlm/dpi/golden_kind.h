// SPDX-License-Identifier: Apache-2.0
/// \file The kinds of chips that have a model behind DPI: how each is made from parameters and registers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hw/chips/chip_pins.h"
#include "hw/engine/chip.h"
#include "hw/format/header.h"
#include "tlm/dpi/register_map.h"

namespace polycast::tlm::dpi {

/// A chip of certain parameters.
class golden_kind {
public:
    virtual ~golden_kind() = default;

    virtual std::vector<hw::chips::chip_pin> pins() const = 0;
    /// Without side wires, which depend on registers.
    virtual hw::engine::pin_shape shape() const = 0;
    virtual hw::format::header_shape headers() const { return {}; }
    virtual const std::vector<register_table>& registers() const = 0;
    /// A write there flips a stored bit of the RTL, which the model does not follow.
    virtual bool is_upset(std::uint32_t address) const = 0;
    /// A chip in reset state; null: its registers say that it is off. \throws hw::input_error if they do not fit it
    virtual std::unique_ptr<hw::engine::chip> make(const register_image& image) const = 0;
};

/// \param parameters a JSON object; names are those of C++ or of the RTL
/// \throws hw::input_error for an unknown chip, an unknown parameter or a value out of range
std::unique_ptr<golden_kind> golden_kind_of(const std::string& chip, const nlohmann::json& parameters);

}  // namespace polycast::tlm::dpi
