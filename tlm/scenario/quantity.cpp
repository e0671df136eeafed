// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/quantity.h"

#include <algorithm>
#include <array>

namespace polycast::tlm::scenario {

namespace {

using integer = boost::multiprecision::checked_int128_t;

constexpr int most_digits = 18;    // what a 64-bit integer always holds
constexpr int most_exponent = 18;  // "1e18" and "1e-18" are the last that are read

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

integer power_of_ten(int exponent) {
    integer power = 1;
    for (int i = 0; i < exponent; ++i) power *= 10;
    return power;
}

/// Digits from `text` at `at` on, appended to `value`; counts significant ones in `digits`.
void take_digits(std::string_view text, std::size_t& at, integer& value, int& digits, int& taken) {
    for (; at < text.size() && is_digit(text[at]); ++at) {
        ++taken;
        if (digits > 0 || text[at] != '0') ++digits;
        if (digits <= most_digits) value = value * 10 + (text[at] - '0');
    }
}

/// The number at the start of `text`; `at` is moved behind it.
std::optional<exact> take_number(std::string_view text, std::size_t& at) {
    bool negative = false;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) negative = text[at++] == '-';
    integer value = 0;
    int digits = 0;
    int whole = 0;
    take_digits(text, at, value, digits, whole);
    int behind_point = 0;
    if (at < text.size() && text[at] == '.') {
        ++at;
        take_digits(text, at, value, digits, behind_point);
    }
    if (whole + behind_point == 0 || digits > most_digits || behind_point > 2 * most_digits) return std::nullopt;
    exact number{negative ? integer(-value) : value, power_of_ten(std::min(behind_point, 2 * most_digits))};
    if (at + 1 < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        std::size_t behind = at + 1;
        const bool minus = text[behind] == '-';
        if (minus || text[behind] == '+') ++behind;
        if (behind < text.size() && is_digit(text[behind])) {
            integer exponent = 0;
            int exponent_digits = 0;
            int exponent_taken = 0;
            take_digits(text, behind, exponent, exponent_digits, exponent_taken);
            if (exponent > most_exponent) return std::nullopt;
            const integer power = power_of_ten(static_cast<int>(exponent));
            number *= minus ? exact{1, power} : exact{power, 1};
            at = behind;
        }
    }
    if (at + 1 < text.size() && text[at] == '/' && is_digit(text[at + 1])) {
        std::size_t behind = at + 1;
        integer divisor = 0;
        int divisor_digits = 0;
        int divisor_taken = 0;
        take_digits(text, behind, divisor, divisor_digits, divisor_taken);
        if (divisor == 0 || divisor_digits > most_digits) return std::nullopt;
        number /= divisor;
        at = behind;
    }
    return number;
}

/// A unit in base units: a factor, times (or divided by) one of the sizes in force.
struct unit {
    enum class by { nothing, times_flit_bytes, over_flit_bytes, times_chunk_flits, over_cycle_ns, times_cycle_ns };
    std::string_view name;
    std::string_view alias;  ///< accepted, too
    std::string_view factor;
    by size = by::nothing;
};

struct family {
    dimension what;
    std::vector<unit> units;  ///< base unit first
};

const std::vector<family>& families() {
    using by = unit::by;
    static const std::vector<family> all{
        {dimension::none, {}},
        {dimension::fraction, {{"", "", "1"}, {"%", "", "1/100"}}},
        {dimension::flit_size, {{"B", "byte", "1"}, {"bit", "", "1/8"}}},
        {dimension::flits,
         {{"flit", "flits", "1"},
          {"chunk", "chunks", "1", by::times_chunk_flits},
          {"B", "byte", "1", by::over_flit_bytes},
          {"KiB", "", "1024", by::over_flit_bytes}}},
        {dimension::bytes,
         {{"B", "byte", "1"},
          {"KiB", "", "1024"},
          {"MiB", "", "1048576"},
          {"GiB", "", "1073741824"},
          {"kB", "KB", "1000"},
          {"MB", "", "1000000"},
          {"GB", "", "1000000000"},
          {"flit", "flits", "1", by::times_flit_bytes}}},
        {dimension::cycles,
         {{"cycle", "cycles", "1"},
          {"ns", "", "1", by::over_cycle_ns},
          {"us", "", "1000", by::over_cycle_ns},
          {"ms", "", "1000000", by::over_cycle_ns},
          {"s", "", "1000000000", by::over_cycle_ns}}},
        {dimension::period, {{"ns", "", "1"}, {"ps", "", "1/1000"}, {"us", "", "1000"}}},
        {dimension::bandwidth,
         {{"B/cycle", "", "1"},
          {"MB/s", "", "1/1000", by::times_cycle_ns},
          {"GB/s", "", "1", by::times_cycle_ns},
          {"MiB/s", "", "1048576/1000000000", by::times_cycle_ns},
          {"GiB/s", "", "1073741824/1000000000", by::times_cycle_ns},
          {"Mbit/s", "", "1/8000", by::times_cycle_ns},
          {"Gbit/s", "", "1/8", by::times_cycle_ns}}},
        {dimension::line_rate,
         {{"B/s", "", "1"},
          {"MB/s", "", "1000000"},
          {"GB/s", "", "1000000000"},
          {"Mbit/s", "", "125000"},
          {"Gbit/s", "", "125000000"}}},
        {dimension::load, {{"flit/host/cycle", "flits/host/cycle", "1"}}},
    };
    return all;
}

const family& family_of(dimension what) {
    return *std::find_if(families().begin(), families().end(), [&](const family& f) { return f.what == what; });
}

}  // namespace

std::optional<exact> parse_number(std::string_view text) {
    std::size_t at = 0;
    const std::optional<exact> number = take_number(text, at);
    return at == text.size() ? number : std::nullopt;
}

std::optional<quantity> parse_quantity(std::string_view text) {
    std::size_t at = 0;
    const std::optional<exact> number = take_number(text, at);
    if (!number) return std::nullopt;
    while (at < text.size() && text[at] == ' ') ++at;
    std::size_t end = text.size();
    while (end > at && text[end - 1] == ' ') --end;
    return quantity{*number, std::string(text.substr(at, end - at))};
}

std::string_view base_unit(dimension what) {
    const family& f = family_of(what);
    return f.units.empty() ? std::string_view{} : f.units.front().name;
}

std::vector<std::string> accepted_units(dimension what) {
    std::vector<std::string> names;
    for (const unit& u : family_of(what).units) {
        if (!u.name.empty()) names.emplace_back(u.name);
    }
    return names;
}

std::optional<exact> to_base(const quantity& value, dimension what, const measures& sizes) {
    if (value.unit.empty()) return value.number;
    for (const unit& u : family_of(what).units) {
        if (u.name != value.unit && (u.alias.empty() || u.alias != value.unit)) continue;
        const exact scaled = value.number * *parse_number(u.factor);
        switch (u.size) {
            case unit::by::nothing: return scaled;
            case unit::by::times_flit_bytes: return scaled * sizes.flit_bytes;
            case unit::by::over_flit_bytes: return scaled / sizes.flit_bytes;
            case unit::by::times_chunk_flits: return scaled * sizes.chunk_flits;
            case unit::by::over_cycle_ns: return scaled / sizes.cycle_ns;
            case unit::by::times_cycle_ns: return scaled * sizes.cycle_ns;
        }
    }
    return std::nullopt;
}

std::string to_text(const exact& number) {
    // A quotient is a finite decimal when its divisor has no prime factors but 2 and 5.
    integer rest = number.denominator();
    int twos = 0;
    int fives = 0;
    for (; rest % 2 == 0; ++twos) rest /= 2;
    for (; rest % 5 == 0; ++fives) rest /= 5;
    const int places = std::max(twos, fives);
    if (rest != 1 || places > most_digits) return number.numerator().str() + "/" + number.denominator().str();
    const bool negative = number.numerator() < 0;
    const integer scaled = abs(number.numerator()) * power_of_ten(places) / number.denominator();
    std::string digits = scaled.str();
    if (places > 0) {
        if (digits.size() <= static_cast<std::size_t>(places))
            digits.insert(0, static_cast<std::size_t>(places) + 1 - digits.size(), '0');
        digits.insert(digits.size() - static_cast<std::size_t>(places), ".");
    }
    return (negative ? "-" : "") + digits;
}

}  // namespace polycast::tlm::scenario
