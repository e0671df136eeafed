// SPDX-License-Identifier: Apache-2.0
/// \file Numbers with units ("640 flit", "266 MB/s"), exact: every value is a rational number, no rounding anywhere.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <boost/rational.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace polycast::tlm::scenario {

/// An exact value; throws std::overflow_error where 127 bits are not enough.
using exact = boost::rational<boost::multiprecision::checked_int128_t>;

/// What a number counts. Each has a base unit, which plain numbers mean and in which values are kept.
enum class dimension {
    none,       ///< no unit
    fraction,   ///< 1; "%"
    flit_size,  ///< bytes
    flits,      ///< flits; bytes and chunks by the sizes in force
    bytes,      ///< bytes; flits by the flit size in force
    cycles,     ///< cycles; seconds by the cycle time in force
    period,     ///< nanoseconds
    bandwidth,  ///< bytes per cycle; bytes or bits per second by the cycle time in force
    line_rate,  ///< bytes per second, whatever a cycle is
    load,       ///< flits per host and cycle
};

/// The sizes that convert between flits, chunks and bytes, and between cycles and seconds.
struct measures {
    exact flit_bytes{1};
    exact chunk_flits{8};
    exact cycle_ns{5};
};

/// A number and its unit as written; an empty unit stands for the base unit.
struct quantity {
    exact number{0};
    std::string unit;
};

/// Decimal number with an optional exponent, or a quotient of two whole numbers ("800/3"). At most 18 significant
/// digits and exponents of -18..18. \returns nothing where `text` is no such number
std::optional<exact> parse_number(std::string_view text);

/// "<number> <unit>"; the blank may be left out.
/// \returns nothing where it does not start with a number
std::optional<quantity> parse_quantity(std::string_view text);

/// Unit of plain numbers; empty for numbers without one.
std::string_view base_unit(dimension what);

/// Units that are accepted, base unit first.
std::vector<std::string> accepted_units(dimension what);

/// Value in the base unit. \returns nothing for a unit that does not fit. \throws std::overflow_error
std::optional<exact> to_base(const quantity& value, dimension what, const measures& sizes);

/// Shortest exact text: "12", "0.8", "800/3".
std::string to_text(const exact& number);

}  // namespace polycast::tlm::scenario
