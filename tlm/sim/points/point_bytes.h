// SPDX-License-Identifier: Apache-2.0
/// \file Results that come from another process.
#pragma once

#include <functional>

#include "tlm/sim/points/child_process.h"
#include "tlm/sim/points/point_result.h"

namespace polycast::tlm::sim {

child_process::bytes to_bytes(const point_result& result);
point_result from_bytes(const child_process::bytes& bytes);

/// Does `work` in a process of its own and waits for it.
inline point_result in_child(const std::function<point_result()>& work) {
    return from_bytes(child_process([&] { return to_bytes(work()); }).result());
}

}  // namespace polycast::tlm::sim
