// SPDX-License-Identifier: Apache-2.0
/// \file Included before what runs in every cycle: the compiler moves messages of failed assertions, which are most of
/// the code otherwise, out of the way of what does not fail.
#pragma once

#include "verilated.h"
#include "verilated_funcs.h"

extern void VL_STOP_MT(const char* filename, int linenum, const char* hier, bool maybe) __attribute__((cold));
#define VL_WRITEF_NX(...) ([&]() __attribute__((noinline, cold)) { VL_WRITEF_NX(__VA_ARGS__); }())
