// SPDX-License-Identifier: Apache-2.0
/// \file Processor time, in seconds.
#pragma once

namespace polycast::tlm::sim {

/// Time of the calling thread.
double thread_cpu_seconds();

/// Time of all threads of this process.
double process_cpu_seconds();

/// Time of this process and of its children that have ended.
double family_cpu_seconds();

}  // namespace polycast::tlm::sim
