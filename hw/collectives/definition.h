// SPDX-License-Identifier: Apache-2.0
/// \file What a collective has to give, from the inputs alone: whole numbers and what is only moved bit for bit, sums
/// of floats within the bound of their additions. No algorithm, no host and no interpreter takes part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/programs/collective.h"
#include "hw/programs/interpreter.h"
#include "hw/programs/program.h"

namespace polycast::hw::collectives {

using programs::collective;

struct wrong_result {
    std::uint32_t rank = 0;
    std::uint64_t index = 0;            ///< of the element in the rank's output
    std::uint64_t got = 0, wanted = 0;  ///< bits; wanted is the sum in the order of ranks where a bound decides
};

struct definition_result {
    std::uint64_t elements = 0, wrong = 0;  ///< of all outputs
    std::optional<wrong_result> first;

    bool good() const { return wrong == 0; }
};

/// Bytes of what a rank gives, or of what it has got.
using vector_of = std::function<std::span<const std::byte>(std::uint32_t rank)>;

/// \param depth most additions that a sum of floats has on one path (programs::depth_of_sums): the error of a sum of
/// floats may be depth u / (1 - depth u) of the sum of magnitudes (Higham, "Accuracy and Stability of Numerical
/// Algorithms", 2002, chapter 4), u = 2^-24 for f32, 2^-8 + 2^-24 for bf16
definition_result compare_with_definition(const collective& of, const vector_of& inputs, const vector_of& outputs,
                                          std::uint32_t depth);

/// Runs the interpreter on inputs of a seed (programs::fill_buffer), and compares what it gives. \param of a program
/// that says what it computes \param found in the end; may be nullptr \throws input_error as programs::interpret()
definition_result interpret_and_compare(const programs::program& of, std::uint64_t seed,
                                        programs::interpretation* found = nullptr);

/// Whether a float is near enough to the exact sum of others. \param values and got: bits
bool within_bound(programs::element_type type, std::span<const std::uint64_t> values, std::uint64_t got,
                  std::uint32_t depth);

/// "rank 3 element 17: got 3f800000, wanted 40000000 (f32)"
std::string wrong_text(const collective& of, const wrong_result& what);

}  // namespace polycast::hw::collectives
