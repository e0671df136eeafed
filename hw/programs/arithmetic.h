// SPDX-License-Identifier: Apache-2.0
/// \file What hosts compute: destination = destination op source, element by element, with the machine's own numbers.
///
/// Sums of floats are IEEE-754, rounded to nearest even, without contraction and without flush to zero; bf16 is added
/// in f32 and rounded at every step. Whole numbers wrap. Of zeros the negative one is the lesser. What is not a number
/// becomes the quiet NaN 0x7fc00000 (0x7fc0). reference_arithmetic.h is the same without any of this file.
#pragma once

#include <cstddef>
#include <span>

#include "hw/programs/element.h"

namespace polycast::hw::programs {

/// Both have the same length, whole elements. They are the same bytes, or do not overlap.
void combine(combination with, std::span<std::byte> destination, std::span<const std::byte> source);

}  // namespace polycast::hw::programs
