// SPDX-License-Identifier: Apache-2.0
/// \file Pipelined broadcasts, as a kind of workload.
#pragma once

namespace polycast::tlm::sim {

class workload_kind;

const workload_kind& broadcasts();

}  // namespace polycast::tlm::sim
