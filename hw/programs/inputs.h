// SPDX-License-Identifier: Apache-2.0
/// \file What ranks have in their input buffers at first, made from (seed, rank, element).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/programs/element.h"
#include "hw/programs/program.h"

namespace polycast::hw::programs {

/// Whole numbers take any value; floats are normal numbers of both signs over 2^-8 to 2^8, so that the order of
/// additions shows. \param to whole elements, the first of them number `first` of the rank
void make_inputs(element_type type, std::uint64_t seed, std::uint32_t rank, std::uint64_t first,
                 std::span<std::byte> to);

/// What a buffer of a rank holds before the program begins. Where it is known what the program computes, its inputs,
/// and bytes that look like no result everywhere else; else elements of `type` in all of the input.
void fill_buffer(const program& of, element_type type, std::uint64_t seed, std::uint32_t rank, std::uint32_t buffer,
                 std::span<std::byte> to);

}  // namespace polycast::hw::programs
