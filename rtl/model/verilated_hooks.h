// SPDX-License-Identifier: Apache-2.0
/// \file Included before everything in the model library: sends what Verilator's runtime prints to the model it comes
/// from.
#pragma once

extern "C" int polycast_model_print(const char* format, ...) __attribute__((format(printf, 1, 2)));
#define VL_PRINTF polycast_model_print
