// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/pairing.h"

#include <algorithm>
#include <set>

namespace polycast::hw::programs {
namespace {

/// A message or receive at its destination. The key holds communicator, source and tag.
struct end_of_message {
    std::uint64_t key;
    std::uint32_t number;

    auto operator<=>(const end_of_message&) const = default;
};

std::uint64_t key_of(std::uint16_t communicator, std::uint32_t source, std::uint32_t tag) {
    return std::uint64_t{communicator} << 48 | std::uint64_t{source} << 32 | tag;
}

std::string count_text(std::size_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Receives of a rank that do not say source or tag.
class wildcards {
public:
    void add(const operation& receive) {
        ++count_;
        if (receive.any_source && receive.any_tag)
            all_.insert(receive.communicator);
        else if (receive.any_source)
            tags_.insert({receive.communicator, receive.tag});
        else
            sources_.insert({receive.communicator, receive.peer});
    }
    bool may_take(std::uint64_t key) const {
        if (count_ == 0) return false;
        const auto communicator = static_cast<std::uint16_t>(key >> 48);
        return all_.contains(communicator) || tags_.contains({communicator, static_cast<std::uint32_t>(key)}) ||
               sources_.contains({communicator, static_cast<std::uint16_t>(key >> 32)});
    }
    std::uint64_t count() const { return count_; }

private:
    std::uint64_t count_ = 0;
    std::set<std::uint16_t> all_;
    std::set<std::pair<std::uint16_t, std::uint32_t>> tags_;
    std::set<std::pair<std::uint16_t, std::uint16_t>> sources_;
};

class pairer {
public:
    pairer(const program& of, const std::vector<bool>* over) : of_(of), over_(over) {
        made_.partner.assign(of.operations(), no_partner);
    }

    pairing pair() {
        sort_sends();
        for (std::uint32_t rank = 0; rank < of_.ranks(); ++rank) visit(rank);
        return std::move(made_);
    }

private:
    bool left_out(std::uint32_t number) const { return over_ != nullptr && (*over_)[number]; }
    void problem(const std::string& text) {
        if (made_.problems_found++ < max_problems) made_.problems.push_back(text);
    }
    std::string describe(std::uint32_t number) const { return of_.describe(of_.id_of(number)); }

    /// By destination, those of a source in their order.
    void sort_sends() {
        begins_.assign(of_.ranks() + 1, 0);
        for_each_send([&](std::uint32_t to, std::uint32_t) { ++begins_[to + 1]; });
        for (std::uint32_t rank = 0; rank < of_.ranks(); ++rank) begins_[rank + 1] += begins_[rank];
        sends_.resize(begins_.back());
        std::vector<std::uint64_t> next(begins_.begin(), begins_.end() - 1);
        for_each_send([&](std::uint32_t to, std::uint32_t number) { sends_[next[to]++] = number; });
    }

    template <typename function>
    void for_each_send(const function& act) const {
        for (std::uint32_t rank = 0; rank < of_.ranks(); ++rank) {
            std::uint32_t number = of_.number({rank, 0});
            for (const operation& one : of_.of_rank(rank)) {
                if (one.kind == operation_kind::send && !left_out(number)) act(one.peer, number);
                ++number;
            }
        }
    }

    void visit(std::uint32_t rank) {
        messages_.clear();
        receives_.clear();
        for (std::uint64_t i = begins_[rank]; i < begins_[rank + 1]; ++i) {
            const operation_id id = of_.id_of(sends_[i]);
            const operation& one = of_.at(id);
            messages_.push_back({key_of(one.communicator, id.rank, one.tag), sends_[i]});
        }
        wildcards open;
        std::uint32_t number = of_.number({rank, 0});
        for (const operation& one : of_.of_rank(rank)) {
            if (one.kind == operation_kind::receive && !left_out(number)) {
                if (one.any_source || one.any_tag)
                    open.add(one);
                else
                    receives_.push_back({key_of(one.communicator, one.peer, one.tag), number});
            }
            ++number;
        }
        std::ranges::sort(messages_);
        std::ranges::sort(receives_);
        compare(rank, open);
    }

    void compare(std::uint32_t rank, const wildcards& open) {
        std::uint64_t for_wildcards = 0;
        std::size_t m = 0, r = 0;
        while (m < messages_.size() || r < receives_.size()) {
            const std::uint64_t key =
                m == messages_.size() || (r < receives_.size() && receives_[r].key < messages_[m].key)
                    ? receives_[r].key
                    : messages_[m].key;
            std::size_t m_end = m, r_end = r;
            while (m_end < messages_.size() && messages_[m_end].key == key) ++m_end;
            while (r_end < receives_.size() && receives_[r_end].key == key) ++r_end;
            const bool wild = open.may_take(key);
            if (!wild || over_ != nullptr)
                for (std::size_t i = 0; i < std::min(m_end - m, r_end - r); ++i)
                    join(messages_[m + i].number, receives_[r + i].number);
            if (r_end - r > m_end - m || (!wild && r_end - r != m_end - m)) report(rank, key, m, m_end, r, r_end);
            if (wild && m_end - m > r_end - r) for_wildcards += (m_end - m) - (r_end - r);
            m = m_end;
            r = r_end;
        }
        if (for_wildcards != open.count())
            problem("rank " + std::to_string(rank) + " has " + count_text(open.count(), "receive") +
                    " from any source or of any tag, and " + count_text(for_wildcards, "message") + " for them");
    }

    void join(std::uint32_t message, std::uint32_t receive) {
        made_.partner[message] = receive;
        made_.partner[receive] = message;
        if (over_ == nullptr && of_.at(of_.id_of(message)).length != of_.at(of_.id_of(receive)).length)
            problem("lengths differ: " + describe(message) + " and " + describe(receive));
    }

    void report(std::uint32_t rank, std::uint64_t key, std::size_t m, std::size_t m_end, std::size_t r,
                std::size_t r_end) {
        const std::size_t messages = m_end - m, receives = r_end - r;
        std::string text = count_text(messages, "message") + " from rank " +
                           std::to_string(static_cast<std::uint16_t>(key >> 32)) + " to rank " + std::to_string(rank) +
                           " with tag " + std::to_string(static_cast<std::uint32_t>(key)) + ", and " +
                           count_text(receives, "receive") + ": ";
        problem(messages > receives ? text + describe(messages_[m + receives].number) + " is never received"
                                    : text + describe(receives_[r + messages].number) + " is never served");
    }

    const program& of_;
    const std::vector<bool>* over_;
    pairing made_;
    std::vector<std::uint64_t> begins_;  ///< [destination] in sends_
    std::vector<std::uint32_t> sends_;
    std::vector<end_of_message> messages_, receives_;  ///< of the destination that is visited
};

}  // namespace

pairing pair_messages(const program& of, const std::vector<bool>* over) {
    return pairer(of, over).pair();
}

}  // namespace polycast::hw::programs
