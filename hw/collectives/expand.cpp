// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/expand.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "hw/input_error.h"

namespace polycast::hw::collectives {
namespace {

using programs::operation;
using programs::operation_id;
using programs::operation_kind;

class expander {
public:
    expander(const programs::program& of, const algorithm_choice& choose)
        : of_(of), choose_(choose), made_(of.ranks(), of.has_names()), exits_(of.ranks()) {}

    expanded_program run() {
        made_.set_unit(of_.unit());
        made_.set_interfaces(of_.interfaces());
        made_.set_repaired(of_.repaired());
        for (std::uint16_t i = 0; i < of_.groups().size(); ++i)
            made_.add_group(of_.groups()[i], of_.group_name(static_cast<std::uint16_t>(i + 1)));
        add_operations();
        for (auto& [communicator, ranks] : collectives_) expand_group(communicator, ranks);
        add_dependencies();
        return {made_.finish(), std::move(found_)};
    }

private:
    /// [rank] collectives of a group, in their order.
    using by_rank = std::map<std::uint32_t, std::vector<std::uint32_t>>;

    [[noreturn]] void fail(operation_id at, const std::string& message) const {
        throw input_error(of_.describe(at) + ": " + message);
    }

    /// Collectives become operations that nothing has to be done for, where they start.
    void add_operations() {
        for (std::uint32_t rank = 0; rank < of_.ranks(); ++rank)
            for (std::uint32_t i = 0; i < of_.of_rank(rank).size(); ++i) {
                operation added = of_.at({rank, i});
                if (added.kind == operation_kind::collective) {
                    collectives_[added.communicator][rank].push_back(i);
                    operation entry;
                    entry.cpu = added.cpu;
                    added = entry;
                }
                made_.add(rank, added);
                const programs::operation_name name = of_.name({rank, i});
                made_.name(rank, name.label, name.line);
            }
    }

    std::vector<std::uint32_t> members(std::uint16_t communicator) const {
        if (communicator != 0) return of_.groups()[communicator - 1u];
        std::vector<std::uint32_t> all(of_.ranks());
        std::iota(all.begin(), all.end(), 0u);
        return all;
    }

    void expand_group(std::uint16_t communicator, by_rank& ranks) {
        const std::vector<std::uint32_t> group = members(communicator);
        for (const auto& [rank, own] : ranks)
            if (std::ranges::find(group, rank) == group.end())
                fail({rank, own.front()}, "the rank is no member of group " + std::to_string(communicator));
        const std::uint32_t first = group.front();
        for (const std::uint32_t rank : group) {
            const std::size_t here = ranks[rank].size(), there = ranks[first].size();
            if (here == there) continue;
            const std::uint32_t more = here > there ? rank : first, less = here > there ? first : rank;
            fail({more, ranks[more][std::min(here, there)]},
                 "rank " + std::to_string(less) + " has only " + std::to_string(std::min(here, there)) +
                     " collectives of group " + std::to_string(communicator));
        }
        // Messages of collectives never match receives of the program.
        const std::uint16_t own = made_.add_group(group);
        for (std::size_t k = 0; k < ranks[first].size(); ++k) expand_one(group, ranks, k, communicator, own);
    }

    /// \param own communicator of its messages
    void expand_one(const std::vector<std::uint32_t>& group, by_rank& ranks, std::size_t k, std::uint16_t communicator,
                    std::uint16_t own) {
        const operation_id model{group.front(), ranks[group.front()][k]};
        const operation& what = of_.at(model);
        std::vector<member> members;
        for (const std::uint32_t rank : group) {
            const std::uint32_t index = ranks[rank][k];
            const operation& same = of_.at({rank, index});
            if (same.tag != what.tag || same.length != what.length || same.peer != what.peer)
                fail(model, "is not the same collective as " + of_.describe({rank, index}));
            members.push_back({rank, index, same.cpu, same.channel});
            if (k != 0) made_.irequire(rank, index, ranks[rank][k - 1]);
        }
        collective of;
        of.kind = static_cast<collective_kind>(what.tag);
        of.ranks = static_cast<std::uint32_t>(group.size());
        of.elements = std::max<std::uint64_t>(what.length, 1);
        of.combined = {programs::element_type::u8, programs::reduction::sum};
        if (programs::has_root(of.kind)) {
            const auto root = std::ranges::find(group, what.peer);
            if (root == group.end()) fail(model, "its root is no member of its group");
            of.root = static_cast<std::uint32_t>(root - group.begin());
        }
        const algorithm& by = choose_(of, group);
        if (const std::string reason = why_not(by, of); !reason.empty()) fail(model, reason);
        step_schedule steps(made_, of, static_cast<std::uint32_t>(k), std::move(members), own);
        steps.copy_by(by.scheme);
        by.make(steps);
        expanded_collective made{of, &by, communicator, {}};
        for (std::uint32_t i = 0; i < of.ranks; ++i) {
            const std::uint32_t entry = ranks[group[i]][k];
            made.members.push_back({group[i], entry, steps.ends(i)});
            exits_[group[i]][entry] = made.members.back().ends;
        }
        found_.push_back(std::move(made));
    }

    void add_dependencies() {
        for (std::uint32_t rank = 0; rank < of_.ranks(); ++rank)
            for (std::uint32_t i = 0; i < of_.of_rank(rank).size(); ++i)
                for (const programs::dependent& one : of_.dependents({rank, i})) {
                    const auto exit = exits_[rank].find(i);
                    if (exit == exits_[rank].end() || one.on_start()) {
                        made_.depend(rank, one.index(), i, one.on_start());
                        continue;
                    }
                    for (const std::uint32_t end : exit->second) made_.require(rank, one.index(), end);
                }
        for (std::uint32_t rank = 0; rank < of_.ranks(); ++rank) {
            const std::vector<std::uint32_t> cycle = made_.close(rank);
            if (cycle.empty()) continue;
            const auto known =
                std::ranges::find_if(cycle, [&](std::uint32_t one) { return one < of_.of_rank(rank).size(); });
            fail({rank, *known}, "waits for a collective that its group starts later");
        }
    }

    const programs::program& of_;
    const algorithm_choice& choose_;
    programs::program_builder made_;
    std::map<std::uint16_t, by_rank> collectives_;
    std::vector<expanded_collective> found_;
    std::vector<std::map<std::uint32_t, std::vector<std::uint32_t>>> exits_;  ///< [rank, collective] what ends last
};

}  // namespace

bool has_collectives(const programs::program& of) {
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank)
        for (const operation& one : of.of_rank(rank))
            if (one.kind == operation_kind::collective) return true;
    return false;
}

expanded_program expand_collectives(const programs::program& of, const algorithm_choice& choose) {
    if (of.has_buffers()) throw input_error("collectives of programs with buffers are not expanded");
    return expander(of, choose).run();
}

}  // namespace polycast::hw::collectives
