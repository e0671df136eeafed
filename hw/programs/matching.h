// SPDX-License-Identifier: Apache-2.0
/// \file Matching as MPI has it: a message takes the oldest posted receive that fits, a receive the oldest message that
/// fits and came unexpected.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/programs/program.h"

namespace polycast::hw::programs {

/// What matches: a message has all of it, a receive may leave source or tag open.
struct envelope {
    std::uint32_t source = 0;
    std::uint32_t tag = 0;
    std::uint16_t communicator = 0;
    bool any_source = false, any_tag = false;

    bool open() const { return any_source || any_tag; }
    bool fits(const envelope& message) const {
        return communicator == message.communicator && (any_source || source == message.source) &&
               (any_tag || tag == message.tag);
    }
};

inline envelope envelope_of_send(const operation& of, std::uint32_t source) {
    return {source, of.tag, of.communicator, false, false};
}

inline envelope envelope_of_receive(const operation& of) {
    return {of.peer, of.tag, of.communicator, of.any_source, of.any_tag};
}

/// Receives or messages of one rank that wait for the other end, oldest first. `value` is what the caller wants back.
///
/// Entries lie in a list by age and, those that are not open, in lists of a hash table by what they are. Both ways are
/// short: exact ones are found through the table, and only what is open has to be looked for by age.
template <typename value>
class waiting_list {
public:
    void push(const envelope& of, const value& kept) {
        if (size_ >= buckets_.size() * 2) grow();
        std::uint32_t made = free_;
        if (made == none) {
            made = static_cast<std::uint32_t>(entries_.size());
            entries_.emplace_back();
        } else {
            free_ = entries_[made].next;
        }
        entries_[made] = {of, kept, age_++, last_, none, none};
        (last_ == none ? first_ : entries_[last_].next) = made;
        last_ = made;
        append(of.open() ? open_ : bucket_of(of), made);
        ++size_;
    }

    /// Takes the oldest receive that fits a message.
    std::optional<value> take_for_message(const envelope& message) {
        if (size_ == 0) return std::nullopt;
        return take_older(find_exact(message), find(open_, [&](const entry& one) { return one.of.fits(message); }));
    }

    /// Takes the oldest message that fits a receive.
    std::optional<value> take_for_receive(const envelope& receive) {
        if (size_ == 0) return std::nullopt;
        if (!receive.open()) return take_older(find_exact(receive), none);
        for (std::uint32_t at = first_; at != none; at = entries_[at].next)
            if (receive.fits(entries_[at].of)) return take_older(at, none);
        return std::nullopt;
    }

    std::size_t size() const { return size_; }

    /// Calls act(envelope, value) for all, oldest first.
    template <typename function>
    void for_each(const function& act) const {
        for (std::uint32_t at = first_; at != none; at = entries_[at].next) act(entries_[at].of, entries_[at].kept);
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct entry {
        envelope of;
        value kept{};
        std::uint64_t age = 0;
        std::uint32_t before = none, next = none;  ///< by age; next also of entries that are free
        std::uint32_t next_here = none;            ///< in the bucket, or among the open ones
    };
    struct row {
        std::uint32_t first = none, last = none;
    };

    row& bucket_of(const envelope& of) {
        const std::uint64_t key = (std::uint64_t{of.source} << 32 | of.tag) + std::uint64_t{of.communicator} * 0x10001;
        return buckets_[(key * 0x9e3779b97f4a7c15u >> 32) & (buckets_.size() - 1)];
    }

    void append(row& to, std::uint32_t made) {
        (to.last == none ? to.first : entries_[to.last].next_here) = made;
        to.last = made;
    }

    void grow() {
        buckets_.assign(buckets_.empty() ? 4 : buckets_.size() * 4, {});
        for (std::uint32_t at = first_; at != none; at = entries_[at].next) {
            if (entries_[at].of.open()) continue;
            entries_[at].next_here = none;
            append(bucket_of(entries_[at].of), at);
        }
    }

    template <typename test>
    std::uint32_t find(const row& in, const test& fits) const {
        std::uint32_t at = in.first;
        while (at != none && !fits(entries_[at])) at = entries_[at].next_here;
        return at;
    }
    std::uint32_t find_exact(const envelope& of) {
        return find(bucket_of(of), [&](const entry& one) { return of.fits(one.of); });
    }

    std::optional<value> take_older(std::uint32_t a, std::uint32_t b) {
        if (a == none || (b != none && entries_[b].age < entries_[a].age)) a = b;
        if (a == none) return std::nullopt;
        entry& taken = entries_[a];
        row& here = taken.of.open() ? open_ : bucket_of(taken.of);
        std::uint32_t before_here = none;
        for (std::uint32_t at = here.first; at != a; at = entries_[at].next_here) before_here = at;
        (before_here == none ? here.first : entries_[before_here].next_here) = taken.next_here;
        if (here.last == a) here.last = before_here;
        (taken.before == none ? first_ : entries_[taken.before].next) = taken.next;
        (taken.next == none ? last_ : entries_[taken.next].before) = taken.before;
        taken.next = free_;
        free_ = a;
        --size_;
        return taken.kept;
    }

    std::vector<entry> entries_;
    std::vector<row> buckets_;
    row open_;
    std::uint32_t first_ = none, last_ = none, free_ = none;
    std::size_t size_ = 0;
    std::uint64_t age_ = 0;
};

}  // namespace polycast::hw::programs
