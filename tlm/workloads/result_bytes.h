// SPDX-License-Identifier: Apache-2.0
/// \file Results that come from another process.
#pragma once

#include <functional>

#include "tlm/sim/child_process.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

child_process::bytes to_bytes(const run_result& result);
run_result from_bytes(const child_process::bytes& bytes);

/// Does `work` in a process of its own and waits for it.
inline run_result in_child(const std::function<run_result()>& work) {
    return from_bytes(child_process([&] { return to_bytes(work()); }).result());
}

}  // namespace polycast::tlm::sim
