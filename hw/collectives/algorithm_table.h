// SPDX-License-Identifier: Apache-2.0
/// \file Which algorithm a program's collectives are made of, by their kind.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hw/collectives/expand.h"

namespace polycast::hw::collectives {

/// What `auto` takes where no network is known: for any number of ranks, good for long messages.
std::string_view default_algorithm(collective_kind of);

class algorithm_table {
public:
    /// \param name of an algorithm of that kind, or `auto` \throws input_error that lists what there is
    void set(collective_kind of, std::string_view name);
    /// For kinds that nothing is said about: the algorithm of that name where they have one, else `auto`.
    void set_default(std::string_view name);

    /// nullptr: `auto` is to choose.
    const algorithm* named(collective_kind of) const;
    /// With default_algorithm() for `auto`.
    const algorithm& choose(collective_kind of) const;

private:
    /// [collective_kind] Nothing: not told; nullptr: `auto`, whatever the default is.
    std::array<std::optional<const algorithm*>, std::size(programs::collective_kinds)> told_{};
    std::string default_ = "auto";
};

/// "allreduce=ring,default=auto" \param what for messages: "--algorithms" \throws input_error
algorithm_table algorithms_in(std::string_view text, const std::string& what);

}  // namespace polycast::hw::collectives
