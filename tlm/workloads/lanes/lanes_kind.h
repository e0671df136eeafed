// SPDX-License-Identifier: Apache-2.0
/// \file Broadcasts over lanes, and streams between sites, as a kind of workload.
#pragma once

namespace polycast::tlm::sim {

class workload_kind;

const workload_kind& lanes();

}  // namespace polycast::tlm::sim
