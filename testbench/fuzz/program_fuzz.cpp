// SPDX-License-Identifier: Apache-2.0
/// \file Fuzzes one reader of hw/programs. The command line ends in `-ignore_remaining_args=1 FORMAT`, or `groups` for
/// those of groups in JSON. Whatever the bytes are, a reader takes them or throws input_error with the file's name, in
/// at most 20 bytes of memory for each of the input and 64 MiB. What is taken comes back from both forms of GOAL as it
/// was, is checked, and runs on the reference machine; collectives of traces become messages first.
#include <sanitizer/allocator_interface.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hw/collectives/algorithm_table.h"
#include "hw/collectives/expand.h"
#include "hw/input_error.h"
#include "hw/programs/chakra_groups.h"
#include "hw/programs/check.h"
#include "hw/programs/goal_form.h"
#include "hw/programs/interpreter.h"
#include "hw/programs/loggops.h"
#include "hw/programs/places.h"
#include "hw/programs/program_file.h"
#include "hw/programs/summary.h"
#include "testbench/fuzz/require.h"

namespace {

using namespace polycast::hw;
using namespace polycast::hw::programs;
using polycast::testbench::fuzz::require;

constexpr std::size_t memory_factor = 20, memory_base = std::size_t{64} << 20;
constexpr std::uint64_t most_checked = 10'000;                ///< operations
constexpr std::uint64_t most_interpreted = 16 * 1024 * 1024;  ///< bytes of buffers

// Bytes that are allocated now, and the most since the input began.
std::atomic<std::size_t> allocated{0}, most{0};

void note_malloc(const volatile void*, std::size_t size) {
    most = std::max<std::size_t>(most, allocated += size);
}

void note_free(const volatile void* block) {
    if (block != nullptr) allocated -= __sanitizer_get_allocated_size(const_cast<const void*>(block));
}

std::optional<program_format> format;  // nothing: groups

constexpr std::uint32_t group_ranks = 8;

void read_groups(std::string_view bytes) {
    if (bytes.size() % 2 == 0) {
        for (const auto& [name, members] : chakra::read_groups_file("fuzz", bytes, group_ranks))
            require(members.size() <= group_ranks, "members differ");
        return;
    }
    const auto fail = [](const std::string& problem) { throw input_error("fuzz", {}, problem); };
    for (const auto& [name, members] : chakra::read_groups_inputs(bytes, group_ranks, fail))
        require(std::ranges::is_sorted(members), "members are sorted");
}

/// What traces leave open, by the length of the input.
chakra_options chakra_by(std::size_t size) {
    chakra_options made;
    made.ranks = 1 + static_cast<std::uint32_t>(size % 5);
    made.streams = stream_orders[size % 3].value;
    made.repair = trace_repairs[size % 2].value;
    made.compute = compute_times[size / 2 % 2].value;
    if (size % 7 != 0) made.peak = 1'000'000'007;
    if (size % 11 != 0) made.memory = 2'000'000'003;
    if (size % 13 == 0) made.groups = {"fuzz.json", R"({"0": [], "1": [0, 2]})"};
    return made;
}

const collectives::algorithm& algorithm_for(const collective& of, std::span<const std::uint32_t> /*members*/) {
    static const collectives::algorithm_table table;
    return table.choose(of.kind);
}

/// What a program with buffers computes is known, whatever its bytes are.
void check_buffers(const program& made) {
    std::uint64_t bytes = 0;
    for (std::uint32_t rank = 0; rank < made.ranks(); ++rank)
        for (const std::uint64_t one : made.buffers(rank)) bytes += one;
    if (bytes > most_interpreted) return;
    try {
        const interpretation found = interpret(made, {});
        require(found.buffers.size() == made.ranks(), "every rank has its buffers");
        find_races(made, pair_messages(made));
    } catch (const input_error& refused) {
        require(std::string_view(refused.what()).find("wait for each other in a circle") != std::string_view::npos,
                refused.what());
    }
}

void check_round_trips(const program& made, const read_options& options) {
    for (const program_format other : {program_format::goal, program_format::goal_binary}) {
        std::string bytes;
        write_program(
            made, other, [&](std::string_view piece) { bytes += piece; }, made.unit());
        require(read_program_bytes("again", bytes, options) == made, "what was written is read as it was");
    }
}

/// Whether it ends cannot be told from the check: messages of one kind may overtake each other in their rank.
void check_run(const program& made) {
    const loggops_parameters with;
    check(made, {with.S});
    summarise(made);
    try {
        const loggops_result result = run_loggops(made, with);
        require(result.stuck == (result.waiting != 0) && result.stuck != result.report.empty(), "what waits is told");
    } catch (const input_error& refused) {
        const std::string what = refused.what();
        require(what.starts_with("lengths differ") || what.starts_with("the program takes longer"), what);
    }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
    const std::string name = (*arguments)[*count - 1];
    const auto* const found = std::ranges::find(program_formats, name, [](const auto& one) { return one.name; });
    require(found != std::end(program_formats) || name == "groups", "the last word of the command line is a format");
    if (found != std::end(program_formats)) format = found->value;
    __sanitizer_install_malloc_and_free_hooks(note_malloc, note_free);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    static_cast<void>(detect_program_format(bytes));
    read_options options;
    if (size % 4 != 0) options.nics = size % 2 == 0 ? nic_meaning::one : nic_meaning::hosts;
    options.names = size % 3 != 0;
    if (size % 5 == 0) options.piece = std::uint64_t{1} << 30;
    if (size % 5 == 1) options.slice = 8;
    if (size % 7 == 0) options.type = element_type::bf16;
    options.ignore_range = size % 2 == 0;
    options.chakra = chakra_by(size);
    const std::size_t before = allocated;
    most = before;
    try {
        if (!format) {
            read_groups(bytes);
            require(most - std::min<std::size_t>(before, most) <= memory_factor * size + memory_base,
                    "memory is bounded");
            return 0;
        }
        program made = read_program_bytes("fuzz", bytes, options, format);
        require(most - std::min<std::size_t>(before, most) <= memory_factor * size + memory_base, "memory is bounded");
        if (made.operations() > most_checked || made.ranks() > 1000) return 0;
        if (collectives::has_collectives(made)) {
            made = collectives::expand_collectives(made, algorithm_for).made;
            if (made.operations() > most_checked) return 0;
            require(goal_form(made).dependencies() == made.dependencies(), "all order is kept");
        }
        if (made.has_buffers())
            check_buffers(made);
        else
            check_round_trips(goal_form(made), options);
        check_run(made);
    } catch (const input_error& refused) {
        const std::string what = refused.what();
        require(what.starts_with("fuzz") || what.starts_with("rank ") || what.starts_with("xor is") ||
                    what.starts_with("a slice of"),
                "it names the file, or the option: " + what);
    }
    return 0;
}
