// SPDX-License-Identifier: Apache-2.0
/// \file What a scenario gives for a key, as a value that is checked.
#pragma once

#include <string>

#include "tlm/scenario/document.h"
#include "tlm/scenario/keys.h"
#include "tlm/scenario/quantity.h"

namespace polycast::tlm::scenario {

/// A checked value and how it is written.
struct converted {
    value held;
    node text;
};

/// What a node is, for messages: its text shortened, or its shape.
std::string shape_text(const node& n);

class converter {
public:
    /// `sizes` must outlive it.
    explicit converter(const measures& sizes) : sizes_(sizes) {}

    /// \param path as in messages \throws hw::input_error at the node; std::overflow_error and std::range_error for
    /// numbers that are too large
    converted convert(const key& k, const std::string& path, const node& given) const;

private:
    void number(const key& k, const std::string& path, const node& given, converted& result) const;
    static unsigned one_of(const key& k, const std::string& path, const node& given);
    static void names(const key& k, const std::string& path, const node& given, converted& result);

    const measures& sizes_;
};

}  // namespace polycast::tlm::scenario
