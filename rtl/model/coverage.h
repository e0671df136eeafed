// SPDX-License-Identifier: Apache-2.0
/// \file Coverage of Verilated models, in libraries that are built with POLYCAST_COVERAGE: lines, toggles and cover
/// points of all objects of a library are added up and written to one file of this process,
/// $POLYCAST_COVERAGE_DATA/LIBRARY-PROCESS-TIME.dat, which verilator_coverage reads.
#pragma once

class Vchip;

namespace polycast::rtl {

/// Adds the counters of an object that is about to end, and writes the file anew: what ended before a crash is in it.
/// Does nothing without the environment variable.
void add_coverage(Vchip& chip);

}  // namespace polycast::rtl
