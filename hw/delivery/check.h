// SPDX-License-Identifier: Apache-2.0
/// \file What all checks of deliveries share: faults in words, payload bytes made again from the seed, what was asked
/// for and is missing, and the order of packets. A check learns from the workload what was asked for and from the hosts
/// what arrived; it knows nothing of the model between them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace polycast::hw::delivery {

/// The first faults in words, and how many there were.
class fault_list {
public:
    static constexpr std::size_t most = 20;

    /// `what`: a text, or a function that makes it.
    template <typename text>
    void add(text&& what) {
        if (++count_ > most) return;
        if constexpr (std::is_invocable_v<text>) {
            first_.push_back(what());
        } else {
            first_.push_back(std::forward<text>(what));
        }
    }
    const std::vector<std::string>& first() const { return first_; }
    std::uint64_t count() const { return count_; }

private:
    std::vector<std::string> first_;
    std::uint64_t count_ = 0;
};

/// Position of the first byte that differs, which may be the end of the shorter one; nothing if they are equal.
std::optional<std::size_t> first_difference(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b);

/// Base of the checks that compare bytes.
class check {
public:
    /// The first faults in words, at most fault_list::most, and how many there were.
    const std::vector<std::string>& faults() const { return faults_.first(); }
    std::uint64_t fault_count() const { return faults_.count(); }

protected:
    explicit check(std::uint64_t payload_seed) : payload_seed_(payload_seed) {}
    ~check() = default;

    template <typename text>
    void fault(text&& what) {
        faults_.add(std::forward<text>(what));
    }
    /// Place in `bytes` of the first that is not what `transfer` carries there (traffic::fill_payload()), `bytes` being
    /// those from `offset` on; nothing: all are.
    std::optional<std::size_t> first_wrong(std::uint64_t transfer, std::uint64_t offset,
                                           std::span<const std::uint8_t> bytes) const;

private:
    std::uint64_t payload_seed_;
    fault_list faults_;
};

/// What was asked for and has not arrived whole, by source and number among all of the source. `wanted` has the cycle
/// `created`.
template <typename source, typename wanted>
class expected_items {
public:
    using id = std::pair<source, std::uint32_t>;
    using item = std::pair<const id, wanted>;

    void add(const id& who, wanted what) {
        std::uint32_t& next = next_number_[who.first];
        next = std::max(next, who.second + 1);
        open_.emplace(who, std::move(what));
    }
    wanted* find(const id& who) {
        const auto found = open_.find(who);
        return found == open_.end() ? nullptr : &found->second;
    }
    const wanted* find(const id& who) const {
        const auto found = open_.find(who);
        return found == open_.end() ? nullptr : &found->second;
    }
    /// It was asked for, whether it has arrived or not.
    bool known(const id& who) const {
        const auto found = next_number_.find(who.first);
        return found != next_number_.end() && who.second < found->second;
    }
    void erase(const id& who) { open_.erase(who); }
    bool empty() const { return open_.empty(); }
    /// The first of a source, and those behind it.
    auto first_of(const source& who) const { return open_.lower_bound({who, 0}); }
    auto begin() const { return open_.begin(); }
    auto end() const { return open_.end(); }
    /// Null if nothing is missing.
    const item* oldest() const {
        const auto first = std::ranges::min_element(
            open_, {}, [](const item& each) { return std::tie(each.second.created, each.first); });
        return first == open_.end() ? nullptr : &*first;
    }

private:
    std::map<id, wanted> open_;
    std::map<source, std::uint32_t> next_number_;
};

/// Packets of one source that enter on one virtual channel reach a host in the order of their numbers.
class order_check {
public:
    /// Nothing is checked before.
    void watch(std::size_t sinks, std::size_t sources, std::size_t vcs) {
        sources_ = sources;
        vcs_ = vcs;
        expected_.resize(sinks * sources * vcs);
    }
    /// \returns false where a later one has arrived before
    bool arrived(std::size_t sink, std::size_t source, std::size_t vc, std::uint32_t number) {
        if (expected_.empty()) return true;
        std::uint32_t& expected = expected_[(sink * sources_ + source) * vcs_ + vc];
        const bool in_order = number >= expected;
        expected = number + 1;
        return in_order;
    }
    std::size_t memory_bytes() const { return expected_.capacity() * sizeof(std::uint32_t); }

private:
    std::size_t sources_ = 0, vcs_ = 0;
    std::vector<std::uint32_t> expected_;  ///< [sink][source][VC] number at the earliest
};

}  // namespace polycast::hw::delivery
