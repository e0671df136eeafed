// SPDX-License-Identifier: Apache-2.0
/// \file Checks a program's run from outside: the bytes of every message, and that ranks match as MPI says. It knows
/// the program, and is told what lies in host memory; it shares nothing with the hosts that match.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hw/delivery/check.h"
#include "hw/engine/chip.h"
#include "hw/programs/interpreter.h"
#include "hw/programs/program.h"

namespace polycast::hw::programs {

/// What send `of` carries is made from the seed of the run and this, of multicasts their first send; one of 0 bytes has
/// one.
constexpr std::uint64_t content_of(operation_id of) {
    return std::uint64_t{of.rank} << 32 | of.index;
}
constexpr std::uint32_t bytes_on_wire(const operation& of) {
    return of.length == 0 ? 1 : static_cast<std::uint32_t>(of.length);
}

/// By which messages and receives fit each other.
using source_tag_communicator = std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>;

struct message_counts {
    std::uint64_t expected = 0;   ///< sends of the program
    std::uint64_t delivered = 0;  ///< with the right bytes, once
    std::uint64_t corrupted = 0, duplicated = 0, misdelivered = 0;
    std::uint64_t mismatched = 0;     ///< deliveries that break a rule of matching
    std::uint64_t wrong_results = 0;  ///< elements of final buffers that are not what the collective has to give
    std::uint64_t bytes = 0;          ///< delivered

    std::uint64_t missing() const { return expected - delivered - corrupted; }
};

class program_check final : public delivery::check {
public:
    /// \param type of elements of buffers, where the program does not say what it computes
    program_check(const program& of, std::uint64_t payload_seed, element_type type = element_type::f32);

    /// The interface of a rank is about to get this send; of a pair of ranks in this order.
    void sent(operation_id send);
    /// A receive has started.
    void posted(operation_id receive);
    /// A message can be matched at `rank`.
    void arrived(std::uint32_t rank, operation_id send);
    /// It has been matched.
    void matched(operation_id receive, operation_id send);
    /// It has ended: `bytes` lie in the memory of the receive's host.
    void delivered(engine::cycle when, operation_id receive, operation_id send, std::span<const std::uint8_t> bytes);

    /// A reliable send has come, to be matched in its turn or granted before.
    void came(operation_id send) { came_[of_.number(send)] = true; }
    /// The rank of a reliable send was told that its receiver has it.
    void acknowledged(operation_id send) { acknowledged_[of_.number(send)] = true; }
    /// At the end: reliable sends that were acknowledged and have never come. The first are faults.
    std::uint64_t broken();

    /// What a rank has in a buffer when its last operation has ended.
    void left(std::uint32_t rank, std::uint32_t buffer, std::span<const std::uint8_t> bytes);
    /// All ranks have: compares the results with the definition of the collective, where the program is one.
    void judge();

    const message_counts& counts() const { return counts_; }
    /// A receive has matched this send.
    bool taken(operation_id send) const { return taken_[of_.number(send)]; }

private:
    template <typename of>
    struct aged {
        std::uint64_t age;  ///< the smaller, the older
        of what;
    };
    template <typename of>
    using by_key = std::map<source_tag_communicator, std::deque<aged<of>>>;
    /// What a rank has posted, and what has come to it, that is not matched: each list oldest first, and none empty.
    struct end {
        std::uint64_t ages = 0;
        by_key<std::uint32_t> posted;          ///< by what they take
        std::deque<aged<std::uint32_t>> open;  ///< that take any source or tag
        by_key<operation_id> arrived;
    };

    std::optional<std::uint32_t> oldest_posted(const end& here, std::uint32_t rank, operation_id send) const;
    static std::optional<operation_id> oldest_arrived(const end& here, const operation& receive);

    void mismatch(const std::string& what);
    std::string text(operation_id receive, operation_id send) const;
    bool right(operation_id send, std::span<const std::uint8_t> bytes) const;

    const program& of_;
    message_counts counts_;
    std::vector<end> ends_;                                                               ///< [rank]
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::uint32_t>> pairs_;  ///< sends on their way
    std::unordered_set<std::uint32_t> multicasts_sent_;  ///< numbers of sends on their way, which keep no order
    std::uint64_t seed_;
    /// Of a program with buffers, by the interpreter: [number] bytes of sends, and what is left.
    std::unordered_map<std::uint32_t, std::vector<std::byte>> messages_;
    interpretation expected_;
    std::vector<std::vector<buffer_bytes>> left_;           ///< [rank, buffer] as ranks have told
    std::vector<bool> taken_, over_, came_, acknowledged_;  ///< [number] of sends
};

}  // namespace polycast::hw::programs
