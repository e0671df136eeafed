// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/upset_pair.h"

#include <memory>
#include <string>
#include <utility>

#include "hw/faults/faulty_chip.h"
#include "testbench/equivalence/dice.h"
#include "testbench/equivalence/door_run.h"

namespace polycast::testbench::equivalence {

namespace {

constexpr std::uint64_t upset_stream = 6;

template <typename Run>
std::vector<hw::faults::timed_upset> draw_upsets(const Run& run) {
    dice random(run.seed, upset_stream);
    const unsigned pause = random.pick({3, 20, 150});
    std::vector<hw::faults::timed_upset> upsets;
    for (hw::engine::cycle at = random.below(50); at < run.cycles; at += 1 + random.below(pause)) {
        const auto memory = static_cast<hw::format::upset_memory>(random.below(4));
        const hw::chips::memory_shape shape = shape_of(run.params, memory);
        if (shape.words == 0) continue;  // routers have none for reach, most none for routes
        upsets.push_back({at, {memory, random.below(shape.words), random.below(shape.bits)}});
    }
    return upsets;
}

/// \param read makes a run of a line
template <typename Contender, typename Reader>
contender_pair with_upsets(contender_pair made, Contender first, Contender second, Reader read) {
    made.open = [first = std::move(first), second = std::move(second), read](const std::string& line) {
        const auto run = read(line);
        comparison both = compare(run, first, second);
        both.watch = std::make_unique<no_watch>();
        const std::vector<hw::faults::timed_upset> upsets = draw_upsets(run);
        for (std::unique_ptr<hw::engine::chip>& chip : both.chips) {
            std::unique_ptr<hw::chips::upsettable_chip> hit(
                &dynamic_cast<hw::chips::upsettable_chip&>(*chip.release()));
            chip = std::make_unique<hw::faults::faulty_chip>(std::move(hit), upsets);
        }
        return both;
    };
    return made;
}

}  // namespace

contender_pair upset_pair(contender first, contender second, std::vector<hw::chips::switch_params> sets) {
    contender_pair made = switch_pair(first, second, std::move(sets));
    return with_upsets(std::move(made), std::move(first), std::move(second), switch_run_from_line);
}

contender_pair upset_pair(router_contender first, router_contender second, std::vector<hw::chips::router_params> sets) {
    contender_pair made = router_pair(first, second, std::move(sets));
    return with_upsets(std::move(made), std::move(first), std::move(second), router_run_from_line);
}

}  // namespace polycast::testbench::equivalence
