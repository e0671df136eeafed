// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/program/advice_table.h"

#include <algorithm>
#include <optional>

#include "hw/collectives/library.h"
#include "hw/input_error.h"
#include "tlm/scenario/document.h"
#include "tlm/scenario/propose.h"
#include "tlm/scenario/quantity.h"

namespace polycast::tlm::sim {

using scenario::node;

namespace {

std::uint64_t whole(const node& at, bool bytes) {
    if (at.is_scalar() && !at.quoted) {
        if (const auto given = scenario::parse_quantity(at.text)) {
            const auto value =
                given->unit == "flit"
                    ? std::nullopt
                    : scenario::to_base(*given, bytes ? scenario::dimension::bytes : scenario::dimension::none, {});
            if (value && value->denominator() == 1 && *value >= 0 && *value <= scenario::exact(0xffffffffll))
                return value->numerator().convert_to<std::uint64_t>();
        }
    }
    at.fail(bytes ? "expected a size in bytes" : "expected a whole number");
}

const node& entry(const node& of, const char* key) {
    const node* const found = of.find(key);
    if (found == nullptr) of.fail(std::string("'") + key + "' is missing");
    return *found;
}

/// A table of `advise` with what it knows, checked as a whole.
struct table {
    std::uint64_t ranks = 0;
    const node* rows = nullptr;  ///< of the collective that is asked for
};

table read(const node& root, hw::programs::collective_kind kind) {
    if (!root.is_map()) root.fail("a table of `advise -o` is a list of keys", "'ranks: 8', 'allreduce: [..]'");
    table found;
    std::vector<std::string> known{"network", "ranks"};
    for (const auto& each : hw::programs::collective_kinds) known.emplace_back(each.name);
    for (const node::entry& each : root.entries) {
        if (std::ranges::find(known, each.key) == known.end())
            each.value.fail("there is no collective '" + each.key + "'", scenario::propose(each.key, known));
        if (each.key == "ranks") found.ranks = whole(each.value, false);
        if (each.key == hw::name_in(hw::programs::collective_kinds, kind)) found.rows = &each.value;
    }
    entry(root, "ranks");
    return found;
}

}  // namespace

std::string chosen_by_table(const scenario::loaded& scenario, const std::string& path,
                            const hw::programs::collective& made) {
    const node root = scenario::parse_document(scenario.files->text_of(path, "table"), path);
    const table found = read(root, made.kind);
    const std::string kind(hw::name_in(hw::programs::collective_kinds, made.kind));
    if (found.ranks != made.ranks)
        entry(root, "ranks")
            .fail("the table is for " + std::to_string(found.ranks) + " ranks, and the collective has " +
                      std::to_string(made.ranks),
                  "`scripts/polycast advise --collective " + kind + " -o` writes one for them");
    if (found.rows == nullptr)
        root.fail("the table has no '" + kind + "'", "`scripts/polycast advise --collective " + kind + " -o` has");
    if (!found.rows->is_list() || found.rows->items.empty())
        found.rows->fail("expected a list of sizes and algorithms");
    std::string chosen;
    std::optional<std::uint64_t> before;
    for (const node& row : found.rows->items) {
        if (!row.is_map()) row.fail("expected '{from: SIZE, algorithm: NAME}'");
        const std::uint64_t from = whole(entry(row, "from"), true);
        const node& name = entry(row, "algorithm");
        if (before && from <= *before) entry(row, "from").fail("sizes have to rise");
        const hw::collectives::algorithm* const by = hw::collectives::find_algorithm(made.kind, name.text);
        if (by == nullptr) name.fail("'" + kind + "' has no algorithm '" + name.text + "'");
        if (!before || from <= made.bytes()) {
            if (const std::string reason = why_not(*by, made); !reason.empty()) name.fail(reason);
            chosen = name.text;
        }
        before = from;
    }
    return chosen;
}

}  // namespace polycast::tlm::sim
