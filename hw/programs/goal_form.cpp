// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/goal_form.h"

#include <map>
#include <utility>

#include "hw/input_error.h"
#include "hw/programs/program_builder.h"

namespace polycast::hw::programs {
namespace {

bool is_message(const operation& of) {
    return of.kind == operation_kind::send || of.kind == operation_kind::receive;
}

/// Whether GOAL lacks something that can be said otherwise.
bool is_other(const program& of) {
    if (of.has_buffers()) return false;
    bool other = !of.groups().empty();
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank)
        for (const operation& one : of.of_rank(rank)) {
            if (one.any_tag || one.kind == operation_kind::collective) return false;
            other = other || (!is_message(one) && one.kind != operation_kind::calc);
        }
    return other;
}

}  // namespace

program goal_form(program of) {
    if (!of.multicasts().empty())
        throw input_error("GOAL has no multicasts, and " +
                              of.describe({of.multicasts().front().rank, of.multicasts().front().first}) +
                              " is part of one",
                          "take algorithms of messages alone");
    if (!is_other(of)) return of;
    program_builder made(of.ranks(), of.has_names());
    made.reserve(of.operations(), of.dependencies());
    made.set_unit(of.unit());
    made.set_interfaces(of.interfaces());
    made.set_repaired(of.repaired());
    std::map<std::pair<std::uint16_t, std::uint32_t>, std::uint32_t> tags;
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
        const auto own = of.of_rank(rank);
        for (std::uint32_t i = 0; i < own.size(); ++i) {
            operation added = own[i];
            if (is_message(added)) {
                added.tag = tags.try_emplace({added.communicator, added.tag}, static_cast<std::uint32_t>(tags.size()))
                                .first->second;
                added.communicator = 0;
            } else if (added.kind != operation_kind::calc) {
                added = {};
                added.kind = operation_kind::calc;
                added.cpu = own[i].cpu;
            }
            made.add(rank, added);
            const operation_name name = of.name({rank, i});
            made.name(rank, name.label, name.line);
        }
        for (std::uint32_t i = 0; i < own.size(); ++i)
            for (const dependent& one : of.dependents({rank, i})) made.depend(rank, one.index(), i, one.on_start());
        made.close(rank);
    }
    return made.finish();
}

}  // namespace polycast::hw::programs
