// SPDX-License-Identifier: Apache-2.0
/// \file The words with which a function refuses its input.
#pragma once

#include <string>

#include "hw/input_error.h"

namespace polycast::testbench::unit {

/// What the hw::input_error that `act` throws says, or "accepted".
template <typename function>
std::string refusal(const function& act) {
    try {
        act();
    } catch (const hw::input_error& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace polycast::testbench::unit
