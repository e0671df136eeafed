// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/fit.h"

#include <algorithm>
#include <cmath>

#include "hw/programs/loggops.h"

namespace polycast::hw::collectives {
namespace {

constexpr double most_slow = 1e3;  ///< nanoseconds a byte
constexpr int halvings = 60, turns = 40;

/// The value in [low, high] at which a time that rises with it reaches `wanted`; an end where none does.
template <typename time_at>
double solved(double low, double high, double wanted, const time_at& time) {
    for (int i = 0; i < halvings; ++i) {
        const double middle = (low + high) / 2;
        (time(middle) < wanted ? low : high) = middle;
    }
    return (low + high) / 2;
}

}  // namespace

double nanoseconds_of(const algorithm& by, collective made, std::uint64_t bytes, const fitted_machine& on) {
    made.elements = std::max<std::uint64_t>(bytes / made.element_bytes(), 1);
    programs::loggops_tables tables;
    tables.o = tables.o_receive = on.overhead;
    tables.S = ~std::uint64_t{0};
    const double longest = on.link == 0 ? 0 : static_cast<double>(bytes) / on.link;
    const auto whole =
        static_cast<std::uint64_t>(std::llround(std::min(longest, static_cast<double>(programs::most_loggops))));
    tables.way = tables.gap = programs::time_table({{0, 0}, {std::max<std::uint64_t>(bytes, 1), whole}});
    if (on.reduce != 0) {
        constexpr std::int64_t parts = 1'000'000;
        tables.reduce.emplace(std::max<std::int64_t>(std::llround(on.reduce * parts), 1), parts);
    }
    return static_cast<double>(programs::run_with_tables(make_program(by, made), tables).latest());
}

fitted_machine fit(const algorithm& by, const collective& made, const measured_time& less, const measured_time& more,
                   std::optional<double> link) {
    fitted_machine found;
    if (link) found.link = *link;
    // The overhead decides short ones, the rate long ones: each in turn until both hold.
    for (int turn = 0; turn < turns; ++turn) {
        const fitted_machine before = found;
        const double overhead = solved(0, less.nanoseconds, less.nanoseconds, [&](double value) {
            fitted_machine tried = found;
            tried.overhead = static_cast<std::uint64_t>(value);
            return nanoseconds_of(by, made, less.bytes, tried);
        });
        found.overhead = static_cast<std::uint64_t>(overhead);
        const double each = solved(0, most_slow, more.nanoseconds, [&](double value) {
            fitted_machine tried = found;
            (link ? tried.reduce : tried.link) = 1 / value;
            return nanoseconds_of(by, made, more.bytes, tried);
        });
        (link ? found.reduce : found.link) = 1 / each;
        if (found.overhead == before.overhead && turn != 0) break;
    }
    return found;
}

}  // namespace polycast::hw::collectives
