// SPDX-License-Identifier: Apache-2.0
/// \file Messages on several rails, as a kind of workload.
#pragma once

namespace polycast::tlm::sim {

class workload_kind;

const workload_kind& rails();

}  // namespace polycast::tlm::sim
