// SPDX-License-Identifier: Apache-2.0
/// \file A program: what the ranks of an application send, receive and compute, and in which order. Readers of every
/// format and the library of collectives make the same graph; nothing behind them knows a format. programs.md says what
/// operations mean.
///
/// Within a rank, operations depend on others' end (requires) or start (irequires); across ranks there are messages
/// only. A program is immutable and has no cycle of dependencies: program_builder sees to that. It takes 24 bytes for
/// an operation and 4 for a dependency; places in buffers and names are columns of their own, which cost nothing where
/// they are not wanted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hw/names.h"
#include "hw/programs/collective.h"
#include "hw/programs/place.h"

namespace polycast::hw::programs {

inline constexpr std::uint32_t most_ranks = 65'536;
inline constexpr std::uint32_t most_operations_of_rank = (std::uint32_t{1} << 31) - 1;
/// Of all ranks together, so that a number of 32 bits names an operation.
inline constexpr std::uint64_t most_operations = (std::uint64_t{1} << 32) - 2;
inline constexpr std::uint64_t most_bytes = 0xffffffff;                   ///< of a message
inline constexpr std::uint64_t most_time = (std::uint64_t{1} << 53) - 1;  ///< of a calc, in the program's unit
inline constexpr std::uint64_t default_unit = 1000;                       ///< picoseconds: that of GOAL

enum class operation_kind : std::uint8_t { send, receive, calc, copy, reduce, collective, none };

inline constexpr named<operation_kind> operation_kinds[] = {
    {operation_kind::send, "send", "a message to another rank, or to its own"},
    {operation_kind::receive, "receive", "takes the message that fits"},
    {operation_kind::calc, "calc", "keeps a processor for a time"},
    {operation_kind::copy, "copy", "moves bytes within the rank"},
    {operation_kind::reduce, "reduce", "destination = destination op source, element by element"},
    {operation_kind::collective, "collective", "what the library of collectives makes operations of"},
    {operation_kind::none, "none", "only dependencies"}};

/// One operation of a rank. Its number is its place among those of the rank, in the order of the source.
struct operation {
    std::uint64_t length = 0;           ///< bytes; of calc the time, in the program's unit
    std::uint32_t tag = 0;              ///< of reduce and collective: which one, a number of the library
    std::uint32_t first_dependent = 0;  ///< in the rank's rows; the builder sets it
    std::uint16_t peer = 0;             ///< destination, source, or root
    std::uint16_t communicator = 0;     ///< index into groups(); 0 = all ranks
    operation_kind kind = operation_kind::none;
    std::uint8_t cpu = 0;         ///< which processor of the host does it
    std::uint8_t channel = 0;     ///< which queue of the interface, or which interface, its message takes
    bool any_source : 1 = false;  ///< of receive: peer means nothing
    bool any_tag : 1 = false;     ///< of receive: tag means nothing
    bool multicast : 1 = false;   ///< of send: it is part of one of program::multicasts()

    bool operator==(const operation&) const = default;
};
static_assert(sizeof(operation) == 24);

/// Whether a send waits for its receive where messages longer than `eager` do (rendezvous).
constexpr bool asks(const operation& of, std::uint64_t eager) {
    return of.kind == operation_kind::send && of.length > eager && !of.multicast;
}

/// Sends of a rank that are one multicast: what the rank gives once, switches, interfaces or hosts copy and pass on.
/// They differ in their peers alone, which rise, and wait for the same. It is sent when all of them could be, and never
/// asks. No other message of its root to one of its receivers may have its tag and communicator, because multicasts
/// and messages overtake each other.
struct multicast {
    std::uint32_t rank = 0;            ///< its root
    std::uint32_t first = 0;           ///< of its sends, which follow one another
    std::uint32_t count = 0;           ///< of receivers, 1 or more
    std::string_view scheme = "tree";  ///< how it is copied: a name of hw/collectives/scheme.h that lasts

    bool operator==(const multicast&) const = default;
};

/// An operation of the same rank that waits.
class dependent {
public:
    dependent() = default;
    dependent(std::uint32_t index, bool on_start) : bits_(index | (on_start ? start_bit : 0)) {}

    std::uint32_t index() const { return bits_ & ~start_bit; }
    /// Whether it waits for the start (irequires), not for the end.
    bool on_start() const { return (bits_ & start_bit) != 0; }

    bool operator==(const dependent&) const = default;

private:
    static constexpr std::uint32_t start_bit = std::uint32_t{1} << 31;
    std::uint32_t bits_ = 0;
};
static_assert(sizeof(dependent) == 4);

/// How NCCL's protocols write a message's bytes: where a flag lies beside them, its receiver needs no other news.
enum class wire_format : std::uint8_t {
    plain,  ///< Simple
    ll,     ///< behind each 4 bytes a flag of 4
    ll128,  ///< behind each 120 bytes a flag of 8
};

/// What people call an operation: a label of the source, and its line or record from 1 (0: not known).
struct operation_name {
    std::string_view label;
    std::uint32_t line = 0;
};

/// An operation of a program.
struct operation_id {
    std::uint32_t rank = 0, index = 0;

    bool operator==(const operation_id&) const = default;
};

/// Dependencies that a reader has left out of a source that is not clean.
struct repair_counts {
    std::uint64_t absent = 0;  ///< on nodes that are not there
    std::uint64_t self = 0;    ///< of a node on itself
    std::uint64_t later = 0;   ///< on nodes with a higher id

    std::uint64_t all() const { return absent + self + later; }
    bool operator==(const repair_counts&) const = default;
};

class program {
public:
    std::uint32_t ranks() const { return static_cast<std::uint32_t>(parts_.size()); }
    std::uint64_t operations() const { return operations_.size(); }
    std::uint64_t dependencies() const { return dependents_.size(); }

    std::span<const operation> of_rank(std::uint32_t rank) const {
        return {operations_.data() + parts_[rank].first_operation, parts_[rank].operations};
    }
    const operation& at(operation_id id) const { return operations_[parts_[id.rank].first_operation + id.index]; }

    /// Those that wait for one operation: first for its start, then for its end, each in the order of the source.
    std::span<const dependent> dependents(operation_id id) const {
        const part& own = parts_[id.rank];
        const operation* const here = operations_.data() + own.first_operation + id.index;
        const std::uint32_t end = id.index + 1 == own.operations ? own.dependents : here[1].first_dependent;
        return {dependents_.data() + own.first_dependent + here->first_dependent, end - here->first_dependent};
    }

    /// A number for each operation of the program, 0 to operations() - 1; those of a rank follow one another.
    std::uint32_t number(operation_id id) const {
        return static_cast<std::uint32_t>(parts_[id.rank].first_operation) + id.index;
    }
    /// What number() gave. Takes a search over ranks.
    operation_id id_of(std::uint32_t number) const;

    /// How many operations each operation of a rank waits for.
    std::vector<std::uint32_t> counts_of_dependencies(std::uint32_t rank) const;

    std::uint8_t largest_cpu() const { return largest_cpu_; }
    std::uint8_t largest_channel() const { return largest_channel_; }
    /// Interfaces of a rank: 1, or one for each channel (`nics: hosts`).
    std::uint32_t interfaces() const { return interfaces_; }

    /// One unit of time, in picoseconds: what lengths of calcs count.
    std::uint64_t unit() const { return unit_; }

    /// Members of communicators, by number from 1 on: groups()[0] is communicator 1.
    std::span<const std::vector<std::uint32_t>> groups() const { return groups_; }
    /// What its source calls a communicator; empty where it has no name.
    std::string_view group_name(std::uint16_t communicator) const {
        return communicator == 0 ? std::string_view{} : group_names_[communicator - 1u];
    }

    const repair_counts& repaired() const { return repaired_; }
    /// What its source says of messages.
    wire_format wire() const { return wire_; }

    /// Whether operations have places in buffers, and bytes of the buffers of a rank.
    bool has_buffers() const { return !buffers_.empty(); }
    const operand_places& places(operation_id id) const { return places_[number(id)]; }
    std::span<const std::uint64_t> buffers(std::uint32_t rank) const { return buffers_[rank]; }

    /// What the bytes have to be in the end, where that is known.
    const std::optional<collective>& computes() const { return computes_; }

    /// By rank, then by their first send.
    std::span<const multicast> multicasts() const { return multicasts_; }
    /// The number in multicasts() of the one that a send is part of. Takes a search.
    std::uint32_t multicast_of(operation_id send) const;
    /// The send of a multicast to a rank; nothing where the rank is none of its receivers. Takes a search.
    std::optional<operation_id> send_to(const multicast& of, std::uint32_t peer) const;
    /// The first send of a multicast, for each of its sends; else the send itself.
    operation_id first_of(operation_id send) const;

    bool has_names() const { return !lines_.empty(); }
    operation_name name(operation_id id) const;

    /// Words for messages: "rank 0 line 4 'r: recv 8b from 1'", or "rank 0 operation 3 'recv 8b from 1'" without names.
    std::string describe(operation_id id) const;

    /// Whether all of two programs is equal but names, the unit, which GOAL does not hold, and what was repaired: times
    /// are compared as numbers. How ranks lie in memory does not matter.
    bool operator==(const program& other) const;

private:
    friend class program_builder;

    struct part {
        std::uint64_t first_operation = 0, first_dependent = 0;
        std::uint32_t operations = 0, dependents = 0;
    };

    std::vector<part> parts_;
    std::vector<operation> operations_;
    std::vector<dependent> dependents_;
    std::vector<std::vector<std::uint32_t>> groups_;
    std::vector<std::string> group_names_;
    repair_counts repaired_;
    std::vector<operand_places> places_;               ///< [number]; nothing without buffers
    std::vector<std::vector<std::uint64_t>> buffers_;  ///< [rank, buffer]; nothing without buffers
    std::optional<collective> computes_;
    std::vector<multicast> multicasts_;
    std::vector<std::uint32_t> lines_, label_ends_;  ///< [number]; nothing without names
    std::string labels_;
    std::vector<std::uint32_t> order_;  ///< ranks as they lie in memory
    std::uint64_t unit_ = default_unit;
    std::uint32_t interfaces_ = 1;
    wire_format wire_ = wire_format::plain;
    std::uint8_t largest_cpu_ = 0, largest_channel_ = 0;
};

/// An operation as GOAL writes it, without label and attributes: "send 8b to 1", "recv 8b from any", "calc 5".
std::string operation_text(const operation& of);

}  // namespace polycast::hw::programs
