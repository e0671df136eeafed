// SPDX-License-Identifier: Apache-2.0
/// \file Traffic whose outcome does not depend on how firmware is run.
#pragma once

#include "testbench/ni/star_bench.h"

namespace polycast::testbench::ni {

/// Unicasts of many sizes, worms, FPFS and FCFS groups of hosts and of worms, everything that firmware has to refuse or
/// drop, and in the end firmware's statistics of every host. For six hosts with three processes.
///
/// Order that depends on timing by right (who comes first where two messages meet, which of two processes' completions
/// is written first) is kept out of it: in each phase a link is used by one message after the other, a process either
/// sends or receives, and one multicast is under way at a time.
void all_traffic(star_bench& bench);

/// Where two observations of the same traffic differ, in words; nothing where they are the same and nothing was left
/// unfinished.
std::vector<std::string> differences(const hw::ni::ni_params& params, const observation& one, const observation& other);

}  // namespace polycast::testbench::ni
