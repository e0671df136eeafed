// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "hw/input_error.h"
#include "hw/programs/goal_text.h"

namespace polycast::hw::programs {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 16;

std::string label(std::uint32_t index) {
    return "l" + std::to_string(index + 1);
}

std::string line_of(const operation& written) {
    std::string text =
        written.any_source ? "recv " + std::to_string(written.length) + "b from -1" : operation_text(written);
    if (written.kind != operation_kind::calc) text += " tag " + (written.any_tag ? "-1" : std::to_string(written.tag));
    if (written.cpu != 0) text += " cpu " + std::to_string(written.cpu);
    if (written.channel != 0) text += " nic " + std::to_string(written.channel);
    return text;
}

std::string wait_line(std::uint32_t waiting, std::uint32_t on, bool on_start) {
    return label(waiting) + (on_start ? " irequires " : " requires ") + label(on) + "\n";
}

/// Whether the rows come back in their order if dependencies stand below the operations that wait.
bool ascending(const program& written, std::uint32_t rank) {
    for (std::uint32_t i = 0; i < written.of_rank(rank).size(); ++i) {
        const auto row = written.dependents({rank, i});
        for (std::size_t k = 1; k < row.size(); ++k)
            if (row[k - 1].on_start() == row[k].on_start() && row[k - 1].index() > row[k].index()) return false;
    }
    return true;
}

class writer {
public:
    writer(const program& written, const std::function<void(std::string_view)>& take, std::uint64_t unit)
        : written_(written), take_(take), unit_(unit) {}

    void write() {
        text_ = "num_ranks " + std::to_string(written_.ranks()) + "\n";
        for (std::uint32_t rank = 0; rank < written_.ranks(); ++rank) write_rank(rank);
        take_(text_);
    }

private:
    void append(const std::string& more) {
        text_ += more;
        if (text_.size() < piece_bytes) return;
        take_(text_);
        text_.clear();
    }

    void write_rank(std::uint32_t rank) {
        append("\nrank " + std::to_string(rank) + " {\n");
        const auto operations = written_.of_rank(rank);
        if (ascending(written_, rank)) {
            write_with_waits(rank);
        } else {
            for (std::uint32_t i = 0; i < operations.size(); ++i)
                append(label(i) + ": " + line_of(in_goal(written_, {rank, i}, unit_)) + "\n");
            for (std::uint32_t i = 0; i < operations.size(); ++i)
                for (const dependent& one : written_.dependents({rank, i}))
                    append(wait_line(one.index(), i, one.on_start()));
        }
        append("}\n");
    }

    /// Each operation with what it waits for below: the rows turned round.
    void write_with_waits(std::uint32_t rank) {
        const auto operations = written_.of_rank(rank);
        std::vector<std::uint32_t> begins = written_.counts_of_dependencies(rank);
        std::uint32_t begin = 0;
        for (std::uint32_t& one : begins) begin += std::exchange(one, begin);
        std::vector<dependent> waits(begin);  // here: what an operation waits for
        for (const bool on_start : {false, true})
            for (std::uint32_t i = 0; i < operations.size(); ++i)
                for (const dependent& one : written_.dependents({rank, i}))
                    if (one.on_start() == on_start) waits[begins[one.index()]++] = {i, on_start};
        std::uint32_t next = 0;
        for (std::uint32_t i = 0; i < operations.size(); ++i) {
            append(label(i) + ": " + line_of(in_goal(written_, {rank, i}, unit_)) + "\n");
            for (; next < begins[i]; ++next) append(wait_line(i, waits[next].index(), waits[next].on_start()));
        }
    }

    const program& written_;
    const std::function<void(std::string_view)>& take_;
    std::uint64_t unit_;
    std::string text_;
};

/// How numbers of one unit become those of another: number / parts x times.
struct rescaling {
    std::uint64_t parts = 1, times = 1;

    rescaling(std::uint64_t from, std::uint64_t to)
        : parts(to / std::gcd(from, to)), times(from / std::gcd(from, to)) {}
};

/// The longest unit in which all times of a program, and `unit`, are whole numbers. \param parts of `unit` that its own
/// unit can make
std::uint64_t common_unit(const program& of, std::uint64_t unit, std::uint64_t parts) {
    std::uint64_t common = 0;
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank)
        for (const operation& each : of.of_rank(rank))
            if (each.kind == operation_kind::calc) common = std::gcd(common, each.length);
    return unit / parts * std::gcd(common, parts);
}

void check_time(const program& written, operation_id id, const std::string& format, std::uint64_t unit) {
    const std::uint64_t time = written.at(id).length;
    const rescaling by(written.unit(), unit);
    const bool whole = time % by.parts == 0;
    if (whole && time / by.parts <= most_time / by.times) return;
    const std::uint64_t better = whole ? written.unit() : common_unit(written, unit, by.parts);
    throw input_error(written.describe(id) + " takes " + std::to_string(time) + " x " + std::to_string(written.unit()) +
                          " ps, " + (whole ? "more" : "no whole number of") + " times " + std::to_string(unit) + " ps" +
                          (whole ? " than " + format + " can count" : ", which " + format + " counts"),
                      "'--to-unit \"" + std::to_string(better) + " ps\"' writes it; '--unit' reads it then");
}

}  // namespace

operation in_goal(const program& written, operation_id id, std::uint64_t unit) {
    operation made = written.at(id);
    if (made.kind != operation_kind::calc) return made;
    const rescaling by(written.unit(), unit);
    made.length = made.length / by.parts * by.times;
    return made;
}

void refuse_what_goal_lacks(const program& written, const std::string& format, std::uint64_t unit) {
    if (written.has_buffers()) throw input_error(format + " cannot hold places in buffers");
    if (!written.groups().empty()) throw input_error(format + " cannot hold groups of ranks");
    for (std::uint32_t rank = 0; rank < written.ranks(); ++rank) {
        const auto operations = written.of_rank(rank);
        for (std::uint32_t i = 0; i < operations.size(); ++i) {
            if (operations[i].kind > operation_kind::calc)
                throw input_error(written.describe({rank, i}) + ": " + format + " holds send, recv and calc only");
            if (operations[i].kind == operation_kind::calc) check_time(written, {rank, i}, format, unit);
        }
    }
}

void write_goal_text(const program& written, const std::function<void(std::string_view)>& take, std::uint64_t unit) {
    refuse_what_goal_lacks(written, "GOAL", unit);
    writer(written, take, unit).write();
}

}  // namespace polycast::hw::programs
