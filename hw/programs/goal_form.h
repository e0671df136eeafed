// SPDX-License-Identifier: Apache-2.0
/// \file What GOAL can hold of a program that comes from elsewhere.
#pragma once

#include "hw/programs/program.h"

namespace polycast::hw::programs {

/// The same messages without communicators: each communicator's tags become tags that no other has. Copies and
/// reductions, which take no time on the reference machine, become calcs of no time, and so does what only waits: it
/// waits for its processor then, too. Programs with buffers, and with receives of any tag, stay as they are.
program goal_form(program of);

}  // namespace polycast::hw::programs
