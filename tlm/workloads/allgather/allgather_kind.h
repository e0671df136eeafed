// SPDX-License-Identifier: Apache-2.0
/// \file Allgathers, as kinds of workloads.
#pragma once

namespace polycast::tlm::sim {

class workload_kind;

/// The kind for hosts with interfaces.
const workload_kind& allgathers();
const workload_kind& ideal_allgathers();

}  // namespace polycast::tlm::sim
