// SPDX-License-Identifier: Apache-2.0
/// \file Makes a collective's program step by step. Algorithms say who sends what in which step; the order within a
/// rank and the operations come from here.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hw/programs/collective.h"
#include "hw/programs/program_builder.h"

namespace polycast::hw::collectives {

using programs::collective;
using programs::collective_buffer;
using programs::collective_kind;
using programs::range;
using programs::region;

/// A rank of a collective in a program that has more than this.
struct member {
    std::uint32_t rank = 0;   ///< of the program
    std::uint32_t entry = 0;  ///< its operation that all others of the collective wait for
    std::uint8_t cpu = 0, channel = 0;
};

/// Of one collective, or of several one after the other. Ranks go through steps, each on its own: all operations of a
/// step run side by side, and begin when those of the rank's step before have ended.
class step_schedule {
public:
    /// \param tag of all messages: those of a pair match in their order
    step_schedule(programs::program_builder& to, const collective& made, std::uint32_t tag);

    /// Part of a program without buffers: operations have lengths only. \param members [rank] where each one's
    /// operations go \param communicator of all messages
    step_schedule(programs::program_builder& to, const collective& made, std::uint32_t tag, std::vector<member> members,
                  std::uint16_t communicator);
    /// What of a rank has to end before the collective has ended there.
    std::vector<std::uint32_t> ends(std::uint32_t rank) const;

    /// What follows belongs to another collective of the same ranks. Its scratch is that of the one before again, as
    /// all steps of that one come first: end it with step().
    void begin(const collective& next, std::uint32_t tag);
    /// Scratch until here stays.
    void keep_scratch();

    const collective& of() const { return of_; }
    std::uint32_t ranks() const { return of_.ranks; }
    /// The rank that is so far from the root.
    std::uint32_t from_root(std::uint32_t relative) const {
        return static_cast<std::uint32_t>((std::uint64_t{of_.root} + relative) % of_.ranks);
    }

    void send(std::uint32_t rank, std::uint32_t to, const region& from);
    void receive(std::uint32_t rank, std::uint32_t from, const region& to);
    /// One multicast from a rank to all others.
    void multicast(std::uint32_t rank, const region& from);
    /// How multicasts from here on are copied: a name of scheme.h that lasts.
    void copy_by(std::string_view how) { scheme_ = how; }
    /// Nothing where both are the same.
    void copy(std::uint32_t rank, const region& to, const region& from);
    /// to = to op from
    void reduce(std::uint32_t rank, const region& to, const region& from);
    /// What is added next to a rank belongs to its next step.
    void step(std::uint32_t rank);
    void step();  ///< of all ranks

    /// A message, and what both ends do next belongs to their next step.
    void pass(std::uint32_t from, const region& source, std::uint32_t to, const region& destination);

    /// New bytes of a rank's own.
    region scratch(std::uint32_t rank, std::uint64_t bytes);

private:
    void add(std::uint32_t rank, programs::operation_kind kind, std::uint32_t peer, std::uint32_t tag,
             const programs::operand_places& at, std::uint64_t bytes);

    /// What a rank has to wait for, and what it does in this step.
    struct progress {
        std::vector<std::uint32_t> before, now;
        std::uint64_t scratch = 0, kept = 0, most = 0;  ///< bytes
    };

    programs::program_builder& to_;
    collective of_;
    std::uint32_t tag_;
    std::vector<progress> ranks_;
    std::vector<member> members_;  ///< [rank]
    std::uint16_t communicator_ = 0;
    std::string_view scheme_;
    bool buffers_ = true;
};

}  // namespace polycast::hw::collectives
