// SPDX-License-Identifier: Apache-2.0
/// \file Makes programs. Readers fill rank after rank and close each, so that only one is held twice; who makes a
/// collective may add to any rank at any time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hw/programs/program.h"

namespace polycast::hw::programs {

/// All functions throw std::invalid_argument for ranks, operations and buffers that there are not: whoever reads files
/// checks them before, and says where they stand.
class program_builder {
public:
    /// \param ranks 1 to most_ranks \param names whether name() keeps anything
    explicit program_builder(std::uint32_t ranks, bool names = false);

    /// Room for so many, at once. Only for numbers that a file's size bears out.
    void reserve(std::uint64_t operations, std::uint64_t dependencies);

    /// Room in one rank, likewise.
    void reserve_rank(std::uint32_t rank, std::uint64_t operations, std::uint64_t dependencies);

    /// Appends an operation to a rank. \returns its number within the rank
    std::uint32_t add(std::uint32_t rank, const operation& added);
    /// The name of the operation that was added last to a rank.
    void name(std::uint32_t rank, std::string_view label, std::uint32_t line);

    /// `waiting` starts after `on` has ended.
    void require(std::uint32_t rank, std::uint32_t waiting, std::uint32_t on) { depend(rank, waiting, on, false); }
    /// `waiting` starts after `on` has started.
    void irequire(std::uint32_t rank, std::uint32_t waiting, std::uint32_t on) { depend(rank, waiting, on, true); }
    void depend(std::uint32_t rank, std::uint32_t waiting, std::uint32_t on, bool on_start);

    /// Sends [first, first + count) of a rank become one multicast. \param scheme a name that lasts
    /// \throws std::invalid_argument where they are none; close() does where they do not wait for the same
    void make_multicast(std::uint32_t rank, std::uint32_t first, std::uint32_t count, std::string_view scheme);

    /// \returns the number of a buffer of a rank
    std::uint32_t add_buffer(std::uint32_t rank, std::uint64_t bytes);
    void resize_buffer(std::uint32_t rank, std::uint32_t buffer, std::uint64_t bytes);
    /// Where the bytes of the operation that was added last to a rank lie.
    void put(std::uint32_t rank, const operand_places& places);

    /// \returns the number of a communicator
    std::uint16_t add_group(std::vector<std::uint32_t> members, std::string_view name = {});
    std::span<const std::uint32_t> group(std::uint16_t communicator) const {
        return made_.groups_.at(communicator - 1u);
    }
    void set_repaired(const repair_counts& counts) { made_.repaired_ = counts; }
    void set_collective(const collective& what) { made_.computes_ = what; }
    /// \param picoseconds one unit of time
    void set_unit(std::uint64_t picoseconds) { made_.unit_ = picoseconds; }
    void set_wire(wire_format of_messages) { made_.wire_ = of_messages; }
    void set_interfaces(std::uint32_t of_each_rank) { made_.interfaces_ = of_each_rank; }

    std::uint32_t operations(std::uint32_t rank) const;

    /// Nothing more comes of this rank: its rows are packed. \returns the operations of a cycle of dependencies, each
    /// waiting for the next and the last for the first; the shortest one; empty where there is none, as there must be
    std::vector<std::uint32_t> close(std::uint32_t rank);

    /// Closes what is open. The builder is empty afterwards. \throws std::invalid_argument for a cycle
    program finish();

private:
    struct edge {
        std::uint32_t on;
        dependent waiting;
    };
    struct open_rank {
        std::vector<operation> operations;
        std::vector<edge> edges;
        std::vector<operand_places> places;
        std::vector<std::uint32_t> lines, label_ends;
        std::string labels;
        std::vector<multicast> multicasts;
        bool forward = true;  ///< all dependencies are on earlier operations, so that there is no cycle
        bool closed = false;

        void clear();
    };

    open_rank& open(std::uint32_t rank);
    open_rank& take_spare(std::uint32_t rank);
    static void check_multicasts(const open_rank& of);

    program made_;
    std::vector<open_rank> open_;
    open_rank spare_;  ///< memory of a closed rank for the next one
    bool names_;
};

/// The shortest cycle of dependencies among operations of one rank, as program_builder::close() gives it.
/// \param rows [operation] of those that wait for it
std::vector<std::uint32_t> shortest_cycle(std::span<const operation> operations, std::span<const dependent> dependents);

}  // namespace polycast::hw::programs
