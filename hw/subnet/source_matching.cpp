// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/source_matching.h"

#include <algorithm>
#include <limits>
#include <map>

namespace polycast::hw::subnet {
namespace {

/// Costs of all tasks and sources. Behind the sources each task has a place of its own, at a cost above all others:
/// there it ends where it gets no source.
class cost_table {
public:
    explicit cost_table(std::span<const std::vector<offer>> tasks) : rows_(tasks.size()) {
        std::map<std::uint32_t, std::size_t> numbers;
        std::int64_t most = 0;
        for (const std::vector<offer>& task : tasks)
            for (const offer& one : task) {
                numbers.emplace(one.source, 0);
                most = std::max(most, static_cast<std::int64_t>(one.cost));
            }
        for (std::size_t next = 0; auto& [source, number] : numbers) number = next++;
        columns_ = numbers.size() + rows_;
        none_ = (most + 1) * static_cast<std::int64_t>(rows_ + 1);
        costs_.assign(rows_ * columns_, none_ * static_cast<std::int64_t>(rows_ + 1));
        for (std::size_t row = 0; row < rows_; ++row) {
            for (const offer& one : tasks[row])
                costs_[row * columns_ + numbers.at(one.source)] = static_cast<std::int64_t>(one.cost);
            costs_[row * columns_ + numbers.size() + row] = none_;
        }
        sources_.resize(columns_);
        for (const auto& [source, number] : numbers) sources_[number] = source;
    }

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    std::int64_t at(std::size_t row, std::size_t column) const { return costs_[row * columns_ + column]; }
    std::optional<std::uint32_t> source(std::size_t column) const {
        return column < columns_ - rows_ ? std::optional(sources_[column]) : std::nullopt;
    }

private:
    std::size_t rows_, columns_ = 0;
    std::int64_t none_ = 0;
    std::vector<std::int64_t> costs_;
    std::vector<std::uint32_t> sources_;
};

/// \returns the column of each row
std::vector<std::size_t> assign(const cost_table& costs) {
    // Rows and columns count from 1 here; column 0 holds the row that is being placed.
    constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
    const std::size_t columns = costs.columns();
    std::vector<std::int64_t> of_row(costs.rows() + 1), of_column(columns + 1);
    std::vector<std::size_t> owner(columns + 1), before(columns + 1);
    for (std::size_t row = 1; row <= costs.rows(); ++row) {
        std::vector<std::int64_t> least(columns + 1, far);
        std::vector<bool> done(columns + 1);
        owner[0] = row;
        std::size_t here = 0;
        do {
            done[here] = true;
            const std::size_t at = owner[here];
            std::int64_t step = far;
            std::size_t next = 0;
            for (std::size_t column = 1; column <= columns; ++column) {
                if (done[column]) continue;
                const std::int64_t reduced = costs.at(at - 1, column - 1) - of_row[at] - of_column[column];
                if (reduced < least[column]) {
                    least[column] = reduced;
                    before[column] = here;
                }
                if (least[column] < step) {
                    step = least[column];
                    next = column;
                }
            }
            for (std::size_t column = 0; column <= columns; ++column) {
                if (done[column]) {
                    of_row[owner[column]] += step;
                    of_column[column] -= step;
                } else if (column != 0) {
                    least[column] -= step;
                }
            }
            here = next;
        } while (owner[here] != 0);
        for (; here != 0; here = before[here]) owner[here] = owner[before[here]];
    }
    std::vector<std::size_t> found(costs.rows());
    for (std::size_t column = 1; column <= columns; ++column)
        if (owner[column] != 0) found[owner[column] - 1] = column - 1;
    return found;
}

}  // namespace

std::vector<std::optional<std::size_t>> match_sources(std::span<const std::vector<offer>> tasks) {
    const cost_table costs(tasks);
    const std::vector<std::size_t> columns = assign(costs);
    std::vector<std::optional<std::size_t>> found(tasks.size());
    for (std::size_t row = 0; row < tasks.size(); ++row) {
        const auto source = costs.source(columns[row]);
        if (!source) continue;
        const auto one = std::find_if(tasks[row].begin(), tasks[row].end(),
                                      [&](const offer& candidate) { return candidate.source == *source; });
        if (one != tasks[row].end()) found[row] = static_cast<std::size_t>(one - tasks[row].begin());
    }
    return found;
}

}  // namespace polycast::hw::subnet
