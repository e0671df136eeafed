// SPDX-License-Identifier: Apache-2.0
/// \file Programs, as a kind of workload.
#pragma once

namespace polycast::tlm::sim {

class workload_kind;

const workload_kind& programs();

}  // namespace polycast::tlm::sim
