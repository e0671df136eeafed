// SPDX-License-Identifier: Apache-2.0
/// \file Unicasts and multicasts, as kinds of workloads.
#pragma once

namespace polycast::tlm::sim {

class workload_kind;

/// The kind for hosts with interfaces.
const workload_kind& messages();
/// Unicasts of ideal hosts.
const workload_kind& ideal_messages();

}  // namespace polycast::tlm::sim
