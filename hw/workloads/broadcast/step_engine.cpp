// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/broadcast/step_engine.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <exception>
#include <numeric>
#include <optional>
#include <string>
#include <thread>

#include "hw/traffic/random.h"
#include "hw/workloads/broadcast/step_tables.h"
#include "hw/workloads/broadcast/window_gate.h"

namespace polycast::hw::broadcast {

namespace {

using topology::bypass_torus;

/// A run; everything is allocated before its first step.
/// \tparam packet_mask  has a bit for each packet
/// \tparam dims         dimensions of the broadcast
template <typename packet_mask, unsigned dims>
class step_run {
public:
    step_run(const bypass_torus& network, const broadcast_params& params, const step_observer& observe)
        : tables_(network, params),
          params_(params),
          observe_(observe),
          packets_(tables_.packets),
          ports_(tables_.ports),
          reciprocal_((std::uint64_t{1} << 40) / tables_.radix + 1),
          missing_(tables_.nodes, all_packets()),
          order_(std::size_t{tables_.nodes} * packets_),
          first_new_(std::size_t{tables_.nodes} * ports_),
          memory_(std::size_t{tables_.nodes} * packets_ * params.bytes) {
        for (std::size_t word = 0; word < allowed_.size(); ++word)
            for (std::size_t rule = 0; rule < allowed_[word].size(); ++rule)
                allowed_[word][rule] = static_cast<packet_mask>(tables_.allowed[word][rule]);
        for (auto& held : held_) held.resize(tables_.nodes);
        const std::size_t words = (std::size_t{tables_.nodes} + 63) / 64;
        for (auto& awake : awake_) awake.resize(words);
        const std::size_t threads = std::min<std::size_t>(params.threads, words);
        for (std::size_t index = 0; index < threads; ++index)
            workers_.emplace_back(words * index / threads, words * (index + 1) / threads, observe ? packets_ + 1 : 0);
        holders_.resize(observe ? packets_ + 1 : 0);
        if (params.bytes != 0) scoreboard_.emplace(tables_.nodes, tables_.source, packets_, params.bytes, params.seed);
        begin();
    }

    broadcast_result run() {
        window_gate gate(workers_.size());
        std::vector<std::thread> threads;
        for (std::size_t index = 1; index < workers_.size(); ++index)
            threads.emplace_back([this, index, &gate] { work(index, gate); });
        work(0, gate);
        for (std::thread& thread : threads) thread.join();
        if (failure_) std::rethrow_exception(failure_);
        return finish();
    }

private:
    /// Of a packet, from node to node.
    struct copy {
        std::uint32_t from, to;
        unsigned packet;
    };

    struct alignas(64) worker {
        worker(std::size_t begin, std::size_t end, std::size_t counts)
            : first_word(begin), last_word(end), holders(counts) {}

        std::size_t first_word, last_word;  ///< of awake_: the nodes that it steps
        std::uint64_t receipts = 0;         ///< in this step
        std::array<copy, 64> copies{};      ///< that are still to be made
        std::size_t copy_count = 0;
        std::uint64_t sends = 0, node_steps = 0, last_step = 0;
        std::vector<std::int64_t> holders;  ///< changes of holders_
    };

    packet_mask all_packets() const {
        return static_cast<packet_mask>(~packet_mask{0}) >> (8 * sizeof(packet_mask) - tables_.packets);
    }

    void begin() {
        const std::uint32_t source = tables_.source;
        missing_[source] = 0;
        for (auto& held : held_) held[source] = static_cast<std::uint8_t>(packets_);
        for (unsigned packet = 0; packet < packets_ && params_.bytes != 0; ++packet)
            traffic::fill_payload(params_.seed, packet, std::span(memory_).subspan(at(source, packet), params_.bytes));
        if (observe_) {
            holders_[0] = tables_.nodes - 1;
            ++holders_[packets_];
        }
        for_each_link(source, [this, source](const step_link& link) { wake(0, source + link.offset); });
    }

    std::size_t at(std::uint32_t node, unsigned packet) const {
        return (std::size_t{node} * packets_ + packet) * params_.bytes;
    }

    struct place {
        std::array<const line_links*, dims> lines;
        unsigned differing = 0;
    };

    place place_of(std::uint32_t node) const {
        std::array<std::uint32_t, dims> coordinates;
        std::uint32_t rest = node;
        unsigned sum = 0;
        place found;
        for (unsigned i = 0; i < dims; ++i) {
            // Below 2^24 nodes, of at most 4096 along each of several dimensions, this is the quotient.
            const auto quotient = i + 1 == dims ? 0 : static_cast<std::uint32_t>(rest * reciprocal_ >> 40);
            coordinates[i] = rest - quotient * tables_.radix;
            rest = quotient;
            sum += tables_.residues[coordinates[i]];
            found.differing |= unsigned{coordinates[i] != tables_.source_place[i]} << i;
        }
        const step_tables::bypass own = tables_.bypasses[sum];
        for (unsigned i = 0; i < dims; ++i) {
            const std::size_t variant = own.dimension == i ? own.variant : 0;
            found.lines[i] = &tables_.lines[(i * tables_.variants + variant) * tables_.radix + coordinates[i]];
        }
        return found;
    }

    template <typename function>
    static void for_each_link(const place& here, function&& visit) {
        for (unsigned i = dims; i-- > 0;)
            for (unsigned index = 0; index < here.lines[i]->below; ++index) visit(here.lines[i]->links[index]);
        for (unsigned i = 0; i < dims; ++i)
            for (unsigned index = here.lines[i]->below; index < here.lines[i]->count; ++index)
                visit(here.lines[i]->links[index]);
    }
    template <typename function>
    void for_each_link(std::uint32_t node, function&& visit) const {
        for_each_link(place_of(node), visit);
    }

    /// In the step that looks at `turn`.
    void wake(unsigned turn, std::uint32_t node) {
        std::uint64_t& word = awake_[turn][node / 64];
        const std::uint64_t bit = std::uint64_t{1} << node % 64;
        if (workers_.size() == 1) {
            word |= bit;
        } else if (const std::atomic_ref shared(word); (shared.load(std::memory_order_relaxed) & bit) == 0) {
            shared.fetch_or(bit, std::memory_order_relaxed);
        }
    }

    /// Lets a node take what its neighbours held at the start of the step. held_[turn] is of the start; a node that
    /// sleeps has the same number in both, so one that has taken something is visited once more.
    void visit(worker& own, unsigned turn, std::uint32_t node) {
        const std::uint8_t* const held = held_[turn].data();
        std::uint8_t* const held_then = held_[turn ^ 1].data();
        const unsigned before = held[node];
        held_then[node] = static_cast<std::uint8_t>(before);
        if (before == packets_) return;

        const place here = place_of(node);
        const auto& allowed = allowed_[here.differing];
        const std::uint8_t* const orders = order_.data();
        std::uint8_t* const order = order_.data() + std::size_t{node} * packets_;
        std::uint8_t* const first_new = first_new_.data() + std::size_t{node} * ports_;
        packet_mask missing = missing_[node];
        unsigned count = before;
        const auto take = [&](const step_link& link) {
            const std::uint32_t sender = node + static_cast<std::uint32_t>(link.offset);
            const unsigned available = held[sender];
            const packet_mask wanted = allowed[link.rule] & missing;
            if (available == 0 || wanted == 0) return;
            unsigned packet;
            if (sender == tables_.source) {
                packet = static_cast<unsigned>(tables_.reversed[link.port] ? std::bit_width(wanted) - 1
                                                                           : std::countr_zero(wanted));
            } else {
                // What it has passed by once it has, or never gets over this link.
                const std::uint8_t* const offered = orders + std::size_t{sender} * packets_;
                unsigned index = first_new[link.port];
                while (index < available && (wanted >> offered[index] & 1) == 0) ++index;
                first_new[link.port] = static_cast<std::uint8_t>(index);
                if (index == available) return;
                packet = offered[index];
            }
            missing = static_cast<packet_mask>(missing & ~(packet_mask{1} << packet));
            order[count++] = static_cast<std::uint8_t>(packet);
            carry(own, sender, node, packet);
        };
        for_each_link(here, take);
        if (count == before) return;

        missing_[node] = missing;
        held_then[node] = static_cast<std::uint8_t>(count);
        own.receipts += count - before;
        if (!own.holders.empty()) {
            --own.holders[before];
            ++own.holders[count];
        }
        wake(turn ^ 1, node);
        for_each_link(here, [&](const step_link& link) {
            const std::uint32_t neighbour = node + static_cast<std::uint32_t>(link.offset);
            if (held[neighbour] != packets_) wake(turn ^ 1, neighbour);
        });
    }

    /// Copies are made some later, when what they touch has come to the cache.
    void carry(worker& own, std::uint32_t from, std::uint32_t to, unsigned packet) {
        if (params_.bytes == 0) return;
        __builtin_prefetch(memory_.data() + at(from, packet));
        __builtin_prefetch(memory_.data() + at(to, packet), 1);
        own.copies[own.copy_count++] = {from, to, packet};
        if (own.copy_count == own.copies.size()) make_copies(own);
    }

    void make_copies(worker& own) {
        for (const copy& one : std::span(own.copies).first(own.copy_count)) {
            const std::uint8_t* const source = memory_.data() + at(one.from, one.packet);
            std::uint8_t* const target = memory_.data() + at(one.to, one.packet);
            if (params_.bytes == 8) {
                std::memcpy(target, source, 8);
            } else {
                std::memcpy(target, source, params_.bytes);
            }
            scoreboard_->received(one.to, one.packet);
        }
        own.copy_count = 0;
    }

    void step(worker& own, unsigned turn) {
        own.receipts = 0;
        for (std::size_t word = own.first_word; word < own.last_word; ++word) {
            std::uint64_t bits = awake_[turn][word];
            if (bits == 0) continue;
            awake_[turn][word] = 0;
            own.node_steps += static_cast<unsigned>(std::popcount(bits));
            for (; bits != 0; bits &= bits - 1)
                visit(own, turn, static_cast<std::uint32_t>(word * 64 + static_cast<unsigned>(std::countr_zero(bits))));
        }
        make_copies(own);
    }

    /// One thread of several; the first one talks to the observer while the others wait.
    void work(std::size_t index, window_gate& gate) {
        worker& own = workers_[index];
        unsigned phase = 0;
        for (std::uint64_t now = 1; now <= params_.step_limit; ++now) {
            step(own, (now - 1) % 2);
            own.sends += own.receipts;
            const auto all = gate.agree(index, phase, {own.receipts != 0 ? now : engine::never, false});
            phase ^= 1;
            // Nothing has changed, so nothing ever will.
            if (all.next == engine::never) return;
            own.last_step = now;
            if (!observe_) continue;
            if (index == 0) report(now);
            const bool failed = gate.agree(index, phase, {now, index == 0 && failure_ != nullptr}).failed;
            phase ^= 1;
            if (failed) return;
        }
    }

    void report(std::uint64_t now) {
        std::uint64_t receipts = 0;
        for (worker& one : workers_) {
            receipts += one.receipts;
            for (std::size_t count = 0; count < holders_.size(); ++count) {
                holders_[count] += static_cast<std::uint64_t>(one.holders[count]);
                one.holders[count] = 0;
            }
        }
        try {
            observe_({now, receipts, packets_, holders_, held_[now % 2], order_});
        } catch (...) {
            failure_ = std::current_exception();
        }
    }

    broadcast_result finish() {
        broadcast_result result;
        result.nodes = tables_.nodes;
        result.links = tables_.links;
        result.memory_bytes = memory_bytes();
        for (const worker& one : workers_) {
            result.sends += one.sends;
            result.node_steps += one.node_steps;
        }
        result.steps = workers_.front().last_step;
        const auto lacking = std::ranges::find_if(missing_, [](packet_mask missing) { return missing != 0; });
        result.complete = lacking == missing_.end();
        if (!result.complete && result.steps == params_.step_limit) return result;
        if (!result.complete) {
            throw delivery_error("broadcast: node " + std::to_string(lacking - missing_.begin()) +
                                 " never got packet " + std::to_string(std::countr_zero(*lacking)));
        }
        if (scoreboard_) scoreboard_->compare(memory_);
        return result;
    }

    std::size_t memory_bytes() const {
        const auto bytes = [](const auto& values) { return values.capacity() * sizeof values[0]; };
        std::size_t sum = sizeof *this + bytes(tables_.lines) + bytes(tables_.residues) + bytes(tables_.bypasses) +
                          bytes(missing_) + bytes(order_) + bytes(first_new_) + bytes(memory_) + bytes(workers_);
        for (unsigned turn = 0; turn < 2; ++turn) sum += bytes(held_[turn]) + bytes(awake_[turn]);
        return sum + (scoreboard_ ? scoreboard_->memory_bytes() : 0);
    }

    const step_tables tables_;
    const broadcast_params params_;
    const step_observer& observe_;
    const unsigned packets_, ports_;
    const std::uint64_t reciprocal_;  ///< 2^40 / radix, rounded up
    std::array<std::array<packet_mask, step_tables::most_rules>, 16> allowed_{};

    // State, by node.
    std::vector<packet_mask> missing_;
    std::vector<std::uint8_t> order_;                  ///< [node * packets + i] packet that came as number i
    std::array<std::vector<std::uint8_t>, 2> held_;    ///< [step modulo 2][node] packets at its start
    std::vector<std::uint8_t> first_new_;              ///< [node * ports + port] place in the sender's order
    std::array<std::vector<std::uint64_t>, 2> awake_;  ///< [step modulo 2][node / 64] who is visited in it
    std::vector<std::uint8_t> memory_;                 ///< [(node * packets + packet) * bytes]
    std::optional<broadcast_scoreboard> scoreboard_;
    std::vector<worker> workers_;
    std::vector<std::uint64_t> holders_;
    std::exception_ptr failure_;
};

template <typename packet_mask>
broadcast_result run_with(const bypass_torus& network, const broadcast_params& params, const step_observer& observe) {
    switch (params.dimensions.size()) {
        case 1: return step_run<packet_mask, 1>(network, params, observe).run();
        case 2: return step_run<packet_mask, 2>(network, params, observe).run();
        case 3: return step_run<packet_mask, 3>(network, params, observe).run();
        default: return step_run<packet_mask, 4>(network, params, observe).run();
    }
}

}  // namespace

broadcast_result run_broadcast(const bypass_torus& network, const broadcast_params& params,
                               const step_observer& observe) {
    const unsigned packets = std::accumulate(params.split.begin(), params.split.end(), 0u);
    return packets <= 32 ? run_with<std::uint32_t>(network, params, observe)
                         : run_with<std::uint64_t>(network, params, observe);
}

std::uint64_t least_steps(const bypass_torus& network, std::uint32_t source, const std::vector<unsigned>& dimensions,
                          unsigned packets) {
    unsigned used = 0;
    for (const unsigned j : dimensions) used |= 1u << j;
    const auto rounds = [packets](unsigned links) { return (packets + links - 1) / links; };
    const auto links_of = [&](std::uint32_t node) {
        unsigned links = 2 * static_cast<unsigned>(dimensions.size());
        if (!network.has_bypasses()) return links;
        const auto bypass = network.bypass_of(network.class_of(network.coordinates_of(node)));
        if ((used >> bypass.dimension & 1) != 0) links += 2 * bypass.length == network.radix() ? 1 : 2;
        return links;
    };
    const std::vector<std::uint32_t> distance = distances_from(network, source, used);
    std::uint64_t least = 0;
    const unsigned leaving = rounds(links_of(source));
    for (std::uint32_t node = 0; node < network.nodes(); ++node) {
        if (node == source || distance[node] == topology::no_distance) continue;
        least = std::max<std::uint64_t>(least, distance[node] - 1 + std::max(leaving, rounds(links_of(node))));
    }
    return least;
}

}  // namespace polycast::hw::broadcast
