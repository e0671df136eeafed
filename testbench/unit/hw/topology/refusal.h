// SPDX-License-Identifier: Apache-2.0
/// \file The words with which a function refuses its input.
#pragma once

#include <string>

#include "hw/input_error.h"

namespace polycast::hw::topology {

template <typename action>
std::string refusal(const action& act) {
    try {
        act();
    } catch (const input_error& error) {
        return error.what();
    }
    return "(accepted)";
}

}  // namespace polycast::hw::topology
