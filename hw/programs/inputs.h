// SPDX-License-Identifier: Apache-2.0
/// \file What ranks have in their input buffers at first, made from (seed, rank, element).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/programs/element.h"

namespace polycast::hw::programs {

/// Whole numbers take any value; floats are normal numbers of both signs over 2^-8 to 2^8, so that the order of
/// additions shows. \param to whole elements, the first of them number `first` of the rank
void make_inputs(element_type type, std::uint64_t seed, std::uint32_t rank, std::uint64_t first,
                 std::span<std::byte> to);

}  // namespace polycast::hw::programs
