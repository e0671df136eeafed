// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/algorithm_table.h"

#include <algorithm>

#include "hw/input_error.h"

namespace polycast::hw::collectives {
namespace {

std::string names_of(collective_kind of) {
    std::string names;
    for (const algorithm* one : algorithms())
        if (one->of == of) (names += names.empty() ? "" : ", ") += one->name;
    return names;
}

}  // namespace

std::string_view default_algorithm(collective_kind of) {
    switch (of) {
        case collective_kind::allreduce:
        case collective_kind::allgather:
        case collective_kind::reduce_scatter: return "ring";
        case collective_kind::all_to_all: return "pairwise";
        case collective_kind::barrier: return "dissemination";
        case collective_kind::broadcast:
        case collective_kind::reduce:
        case collective_kind::scatter:
        case collective_kind::gather: break;
    }
    return "binomial";
}

void algorithm_table::set(collective_kind of, std::string_view name) {
    const algorithm* const found = find_algorithm(of, name == "auto" ? default_algorithm(of) : name);
    if (found == nullptr)
        throw input_error("'" + std::string(name_in(programs::collective_kinds, of)) + "' has no algorithm '" +
                              std::string(name) + "'",
                          "there are " + names_of(of) + ", auto");
    told_[static_cast<std::size_t>(of)] = name == "auto" ? nullptr : found;
}

void algorithm_table::set_default(std::string_view name) {
    const bool known =
        name == "auto" || std::ranges::any_of(algorithms(), [&](const algorithm* one) { return one->name == name; });
    if (!known) throw input_error("no collective has an algorithm '" + std::string(name) + "'");
    default_ = name;
}

const algorithm* algorithm_table::named(collective_kind of) const {
    const std::optional<const algorithm*>& told = told_[static_cast<std::size_t>(of)];
    return told ? *told : find_algorithm(of, default_);
}

const algorithm& algorithm_table::choose(collective_kind of) const {
    const algorithm* const told = named(of);
    return told != nullptr ? *told : *find_algorithm(of, default_algorithm(of));
}

algorithm_table algorithms_in(std::string_view text, const std::string& what) {
    algorithm_table made;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view one = text.substr(begin, end - begin), kind = one.substr(0, one.find('='));
        const auto* const found =
            std::ranges::find(programs::collective_kinds, kind, [](const auto& each) { return each.name; });
        if (kind.size() == one.size() || (kind != "default" && found == std::end(programs::collective_kinds))) {
            std::string known = "default";
            for (const auto& each : programs::collective_kinds) (known += ", ") += each.name;
            throw input_error(what + ": expected COLLECTIVE=ALGORITHM, found '" + std::string(one) + "'",
                              "collectives: " + known);
        }
        const std::string_view name = one.substr(kind.size() + 1);
        try {
            if (kind == "default")
                made.set_default(name);
            else
                made.set(found->value, name);
        } catch (const input_error& refused) {
            throw input_error(what + ": " + refused.what());
        }
        begin = end + 1;
    }
    return made;
}

}  // namespace polycast::hw::collectives
