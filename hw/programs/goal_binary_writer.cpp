// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "hw/input_error.h"
#include "hw/programs/goal_binary.h"
#include "hw/programs/goal_binary_layout.h"
#include "hw/programs/goal_text.h"

namespace polycast::hw::programs {
namespace {

using namespace goal_binary;

constexpr std::size_t piece_bytes = std::size_t{1} << 16;

std::uint8_t kind_of(const operation& written) {
    if (written.kind == operation_kind::calc) return calc;
    return written.kind == operation_kind::send ? send : receive;
}

class writer {
public:
    writer(const program& written, const std::function<void(std::string_view)>& take, std::uint64_t unit)
        : written_(written), take_(take), unit_(unit) {}

    void write() {
        write_table();
        for (std::uint32_t rank = 0; rank < written_.ranks(); ++rank) write_rank(rank);
        take_(bytes_);
    }

private:
    void flush() {
        if (bytes_.size() < piece_bytes) return;
        take_(bytes_);
        bytes_.clear();
    }

    void write_table() {
        append(bytes_, magic);
        append(bytes_, written_.ranks());
        append(bytes_, written_.largest_cpu());
        append(bytes_, written_.largest_channel());
        std::uint64_t at = table_at + std::uint64_t{written_.ranks()} * rank_bytes - origin;
        for (std::uint32_t rank = 0; rank < written_.ranks(); ++rank) {
            const auto waits = written_.counts_of_dependencies(rank);
            std::uint64_t roots = 0, edges = 0;
            for (const std::uint32_t one : waits) {
                roots += one == 0;
                edges += one;
            }
            append(bytes_, at);
            at += head_bytes + 4 * roots + record_bytes * waits.size() + 4 * edges;
            append(bytes_, at);
            flush();
        }
    }

    void write_rank(std::uint32_t rank) {
        const auto operations = written_.of_rank(rank);
        const auto waits = written_.counts_of_dependencies(rank);
        append(bytes_, static_cast<std::uint32_t>(operations.size()));
        std::uint32_t roots = 0;
        for (const std::uint32_t one : waits) roots += one == 0;
        append(bytes_, roots);
        for (std::uint32_t i = 0; i < waits.size(); ++i)
            if (waits[i] == 0) append(bytes_, i);
        std::uint32_t edges = 0;
        for (std::uint32_t i = 0; i < operations.size(); ++i) {
            append_record(bytes_, record_of({rank, i}, waits[i], edges));
            flush();
        }
        for (std::uint32_t i = 0; i < operations.size(); ++i) {
            for (const bool on_start : {false, true})
                for (const dependent& one : written_.dependents({rank, i}))
                    if (one.on_start() == on_start) append(bytes_, one.index());
            flush();
        }
    }

    /// \param edges of the operations before; counted up
    record record_of(operation_id id, std::uint32_t waits, std::uint32_t& edges) const {
        const operation from = in_goal(written_, id, unit_);
        const bool message = from.kind != operation_kind::calc;
        record made{waits,
                    kind_of(from),
                    from.any_source ? any
                    : message       ? from.peer
                                    : 0u,
                    from.length,
                    from.any_tag ? any
                    : message    ? from.tag
                                 : 0u,
                    from.cpu,
                    from.channel,
                    0,
                    0,
                    0,
                    0};
        for (const dependent& one : written_.dependents(id)) ++(one.on_start() ? made.on_start : made.on_end);
        made.first_on_end = edges;
        made.first_on_start = edges + made.on_end;
        edges += made.on_end + made.on_start;
        return made;
    }

    const program& written_;
    const std::function<void(std::string_view)>& take_;
    std::uint64_t unit_;
    std::string bytes_;
};

}  // namespace

void write_goal_binary(const program& written, const std::function<void(std::string_view)>& take, std::uint64_t unit) {
    refuse_what_goal_lacks(written, "binary GOAL", unit);
    writer(written, take, unit).write();
}

}  // namespace polycast::hw::programs
