// SPDX-License-Identifier: Apache-2.0
/// \file Observes unicasts on a fabric while it runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/fabric/link_counts.h"
#include "hw/fabric/router_fabric.h"
#include "hw/fabric/terminals.h"

namespace polycast::tlm::sim {

using hw::engine::cycle;
using hw::fabric::packet_id;
using hw::fabric::router_fabric;
using hw::fabric::terminals;

/// Sums of latencies over equal stretches of the time in which packets are born.
class stretches {
public:
    stretches(cycle from, cycle to, std::size_t count) : from_(from), to_(to), sums_(count), counts_(count) {}

    void add(cycle birth, std::uint64_t latency) {
        if (birth < from_ || birth >= to_) return;
        if (birth - place_begin_ >= place_cycles_) find_place(birth);
        sums_[place_] += latency;
        ++counts_[place_];
    }
    /// Those of other packets as well.
    stretches& operator+=(const stretches& others) {
        for (std::size_t place = 0; place < sums_.size(); ++place) {
            sums_[place] += others.sums_[place];
            counts_[place] += others.counts_[place];
        }
        return *this;
    }
    template <typename archive>
    void serialize(archive& all) {
        all(sums_, counts_);
    }
    std::size_t size() const { return sums_.size(); }
    cycle begin(std::size_t place) const { return from_ + (to_ - from_) * place / sums_.size(); }
    std::uint64_t count(std::size_t place) const { return counts_[place]; }
    double mean(std::size_t place) const {
        return static_cast<double>(sums_[place]) / static_cast<double>(counts_[place]);
    }
    /// Mean over all stretches from `first` on.
    double mean_from(std::size_t first) const {
        double sum = 0, count = 0;
        for (std::size_t place = first; place < sums_.size(); ++place) {
            sum += static_cast<double>(sums_[place]);
            count += static_cast<double>(counts_[place]);
        }
        return sum / count;
    }

private:
    void find_place(cycle birth) {
        const auto first_in = [&](std::size_t place) { return ((to_ - from_) * place + size() - 1) / size(); };
        place_ = (birth - from_) * size() / (to_ - from_);
        place_begin_ = from_ + first_in(place_);
        place_cycles_ = from_ + first_in(place_ + 1) - place_begin_;
    }

    cycle from_, to_;
    std::vector<std::uint64_t> sums_, counts_;
    // The last stretch: packets that arrive after each other mostly belong to one, and need no divisions.
    std::size_t place_ = 0;
    cycle place_begin_ = 0, place_cycles_ = 0;
};

/// What is seen of every packet that arrives, by the thread of a partition: none shares a line with another's.
struct alignas(64) watcher {
    cycle from, to;     ///< window
    stretches batches;  ///< of the window
    stretches whole;    ///< from the first birth on
    std::uint64_t least = UINT64_MAX, most = 0;
    std::uint64_t completed = 0;  ///< in the window, whenever born

    void note(cycle birth, cycle when) {
        const std::uint64_t latency = when - birth;
        if (when >= from && when < to) ++completed;
        whole.add(birth, latency);
        if (birth < from || birth >= to) return;
        batches.add(birth, latency);
        least = std::min(least, latency);
        most = std::max(most, latency);
    }
    watcher& operator+=(const watcher& others) {
        batches += others.batches;
        whole += others.whole;
        least = std::min(least, others.least);
        most = std::max(most, others.most);
        completed += others.completed;
        return *this;
    }
    template <typename archive>
    void serialize(archive& all) {
        all(batches, whole, least, most, completed);
    }
};

/// Terminals with traffic, and a watcher.
template <typename traffic>
class watched {
public:
    /// \param links counts what comes over them; null: nobody does
    watched(traffic& inner, const router_fabric& fabric, watcher& seen, hw::fabric::link_counts* links = nullptr)
        : inner_(&inner), fabric_(&fabric), seen_(&seen), links_(links) {}

    void send(cycle now, router_fabric& fabric) { inner_->send(now, fabric); }
    void arrive(cycle when, std::uint32_t terminal, unsigned vc, packet_id id, std::uint16_t info) {
        if ((info & hw::chips::flit_info::tail) != 0) seen_->note(fabric_->packets()[id].birth, when);
        if (links_ != nullptr) links_->into_terminal(terminal, info);
        inner_->arrive(when, terminal, vc, id, info);
    }
    void enter(std::uint32_t node, unsigned port, std::uint16_t info) {
        if (links_ != nullptr) links_->into_router(node, port, info);
    }
    void credit(std::uint32_t terminal, unsigned vc) { inner_->credit(terminal, vc); }
    cycle next(cycle now) const { return inner_->next(now); }

private:
    traffic* inner_;
    const router_fabric* fabric_;
    watcher* seen_;
    hw::fabric::link_counts* links_;  ///< null: not counted
};

/// Sends what is in the queues.
class queued {
public:
    explicit queued(terminals& ends) : ends_(&ends) {}

    void send(cycle, router_fabric& fabric) {
        ends_->send_flits(fabric, [](std::uint32_t) {});
    }
    void arrive(cycle when, std::uint32_t terminal, unsigned vc, packet_id id, std::uint16_t info) {
        ends_->arrive(when, terminal, vc, id, info);
    }
    void credit(std::uint32_t terminal, unsigned vc) { ends_->credit(terminal, vc); }
    cycle next(cycle now) const { return ends_->blocked() ? hw::engine::never : now; }

private:
    terminals* ends_;
};

}  // namespace polycast::tlm::sim
