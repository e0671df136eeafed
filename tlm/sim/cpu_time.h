// SPDX-License-Identifier: Apache-2.0
/// \file Processor time, in seconds.
#pragma once

namespace polycast::tlm::sim {

/// Of the calling thread.
double thread_cpu_seconds();

/// Of all threads of this process.
double process_cpu_seconds();

/// Of this process and of its children that have ended.
double family_cpu_seconds();

}  // namespace polycast::tlm::sim
