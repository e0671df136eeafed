// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_set>

#include "hw/programs/places.h"
#include "hw/programs/visit.h"

namespace polycast::hw::programs {
namespace {

/// How many operations of each thread have ended before; threads without any are left out. In the order of threads.
using vector_clock = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

void merge(vector_clock& into, const vector_clock& from) {
    if (from.empty()) return;
    if (into.empty()) {
        into = from;
        return;
    }
    vector_clock both;
    both.reserve(std::max(into.size(), from.size()));
    auto a = into.begin();
    for (const auto& one : from) {
        for (; a != into.end() && a->first < one.first; ++a) both.push_back(*a);
        if (a != into.end() && a->first == one.first)
            both.push_back({one.first, std::max(one.second, a++->second)});
        else
            both.push_back(one);
    }
    both.insert(both.end(), a, into.end());
    into = std::move(both);
}

/// Bytes up to the next key of their buffer's map: who wrote them last, and who has read them since.
struct segment {
    std::uint64_t end = 0;
    std::optional<std::uint32_t> writer;
    std::vector<std::uint32_t> readers;
};

class finder {
public:
    finder(const program& of, const pairing& pairs) : of_(of), pairs_(pairs) {
        thread_.resize(of.operations());
        place_.resize(of.operations());
        clocks_.resize(of.operations());
        continued_.assign(of.operations(), {nobody, nobody});
        memory_.resize(of.ranks());
    }

    std::vector<race> find() {
        visit_in_order(
            of_, pairs_, [this](operation_id id) { start(id); }, [this](operation_id id) { end(id); });
        return std::move(found_);
    }

private:
    static constexpr std::uint32_t nobody = ~std::uint32_t{0};

    /// An operation joins the thread that it continues, or begins one.
    void start(operation_id id) {
        const std::uint32_t number = of_.number(id);
        const auto is_last = [this](std::uint32_t one) { return one != nobody && last_[thread_[one]] == place_[one]; };
        const auto& continued = continued_[number];
        const auto* const before = std::ranges::find_if(continued, is_last);
        if (before != continued.end()) {
            thread_[number] = thread_[*before];
        } else {
            thread_[number] = static_cast<std::uint32_t>(last_.size());
            last_.push_back(0);
        }
        place_[number] = ++last_[thread_[number]];
        for (const dependent& one : of_.dependents(id))
            if (one.on_start()) merge(clocks_[of_.number({id.rank, one.index()})], clocks_[number]);
    }

    void end(operation_id id) {
        const std::uint32_t number = of_.number(id);
        const operation& one = of_.at(id);
        vector_clock& clock = clocks_[number];
        // A receive writes when its message is there: what was before the send was before.
        if (one.kind == operation_kind::receive && pairs_.partner[number] != no_partner) {
            vector_clock& sent = clocks_[pairs_.partner[number]];
            merge(clock, sent);
            sent = {};
        }
        for (const access& touched : accesses(of_, id)) touch(id, clock, touched);
        merge(clock, {{thread_[number], place_[number]}});
        for (const dependent& waiting : of_.dependents(id)) {
            if (waiting.on_start()) continue;
            const std::uint32_t next = of_.number({id.rank, waiting.index()});
            merge(clocks_[next], clock);
            continued_[next][continued_[next][0] == nobody ? 0 : 1] = number;
        }
        if (one.kind != operation_kind::send) clock = {};
    }

    bool before(std::uint32_t number, const vector_clock& clock) const {
        const auto at = std::ranges::lower_bound(clock, thread_[number], {}, [](const auto& one) { return one.first; });
        return at != clock.end() && at->first == thread_[number] && at->second >= place_[number];
    }

    void report(std::uint32_t first, operation_id second, const access& where) {
        const std::uint64_t key = std::uint64_t{first} << 32 | of_.number(second);
        if (reported_.insert(key).second) found_.push_back({of_.id_of(first), second, where});
    }

    void touch(operation_id id, const vector_clock& clock, const access& touched) {
        const std::uint32_t number = of_.number(id);
        std::map<std::uint64_t, segment>& bytes = memory_[id.rank][touched.buffer];
        split(bytes, touched.begin);
        split(bytes, touched.end);
        std::uint64_t at = touched.begin;
        for (auto next = bytes.lower_bound(at); at != touched.end; ++next) {
            if (next == bytes.end() || next->first > at) {  // never touched before
                const std::uint64_t gap = next == bytes.end() ? touched.end : std::min(next->first, touched.end);
                next = bytes.emplace_hint(next, at, segment{gap, std::nullopt, {}});
            }
            segment& one = next->second;
            access where = touched;
            where.begin = at;
            where.end = at = one.end;
            const auto check = [&](std::uint32_t other) {
                if (other != number && !before(other, clock)) report(other, id, where);
            };
            if (one.writer) check(*one.writer);
            if (touched.writes) {
                for (const std::uint32_t reader : one.readers) check(reader);
                one.readers.clear();
                one.writer = number;
            } else {
                std::erase_if(one.readers, [&](std::uint32_t reader) { return before(reader, clock); });
                one.readers.push_back(number);
            }
        }
    }

    static void split(std::map<std::uint64_t, segment>& bytes, std::uint64_t at) {
        auto after = bytes.upper_bound(at);
        if (after == bytes.begin()) return;
        const auto holds = std::prev(after);
        if (holds->first == at || holds->second.end <= at) return;
        segment right = holds->second;
        holds->second.end = at;
        bytes.emplace_hint(after, at, std::move(right));
    }

    const program& of_;
    const pairing& pairs_;
    std::vector<std::uint32_t> thread_, place_;            ///< [number] place in the thread, from 1
    std::vector<vector_clock> clocks_;                     ///< [number] before its start, then at its end
    std::vector<std::array<std::uint32_t, 2>> continued_;  ///< [number] the first and the last that it waited for
    std::vector<std::uint32_t> last_;                      ///< [thread] operations that have started
    std::vector<std::map<std::uint32_t, std::map<std::uint64_t, segment>>> memory_;  ///< [rank, buffer, first byte]
    std::unordered_set<std::uint64_t> reported_;
    std::vector<race> found_;
};

}  // namespace

std::vector<race> find_races(const program& of, const pairing& pairs) {
    return finder(of, pairs).find();
}

}  // namespace polycast::hw::programs
