// SPDX-License-Identifier: Apache-2.0
/// \file Workloads of several jobs at once, as a kind of workload.
#pragma once

namespace polycast::tlm::sim {

class workload_kind;

const workload_kind& jobs();

}  // namespace polycast::tlm::sim
