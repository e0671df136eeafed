// SPDX-License-Identifier: Apache-2.0
/// \file Runs of cables as pairs of polycast-soak.
#pragma once

#include <string>
#include <vector>

#include "testbench/equivalence/link_end_run.h"
#include "testbench/equivalence/soak.h"

namespace polycast::testbench::equivalence {

/// How replay lines of cables begin.
inline constexpr const char* link_line = "link_end ";

/// A run of a replay line, and the sizes of the model that it was drawn for.
struct link_line_run {
    link_end_run run;
    hw::chips::link_end_params sizes;
};

/// \param upsets stored bits flip \throws hw::input_error for a line that is none
link_line_run link_run_from_line(const std::string& line, bool upsets = false);

/// Makes a third model of a cable's ends.
using sized_link_end_maker =
    std::function<std::unique_ptr<link_end_model>(const hw::chips::link_config&, const hw::chips::link_end_params&)>;

/// Core and golden model, and the third with them if there is one. Runs with `sets` in turn, drawn ones without any.
contender_pair link_pair(sized_link_end_maker third = {}, std::vector<hw::chips::link_end_params> sets = {});

/// Core and `other`, while the same stored bits of both flip.
contender_pair link_upset_pair(sized_link_end_maker other, std::vector<hw::chips::link_end_params> sets = {});

}  // namespace polycast::testbench::equivalence
