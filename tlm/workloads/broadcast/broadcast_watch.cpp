// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/broadcast/broadcast_watch.h"

#include <algorithm>

namespace polycast::tlm::sim {

namespace {

std::size_t power(std::size_t base, unsigned exponent) {
    std::size_t product = 1;
    for (unsigned i = 0; i < exponent; ++i) product *= base;
    return product;
}

}  // namespace

broadcast_watch::broadcast_watch(std::uint32_t radix, unsigned dimensions, std::uint32_t source, unsigned packets)
    : packets_(packets) {
    unsigned side = radix;
    while (power(side, dimensions) > most_cells) --side;
    wave_.block = (radix + side - 1) / side;
    wave_.side = (radix + wave_.block - 1) / wave_.block;
    const std::size_t cells = power(wave_.side, dimensions);
    constexpr std::size_t most_bytes = 1'200'000;
    most_samples_ = std::clamp<std::size_t>(most_bytes / cells, 64, 192);
    cell_of_.resize(power(radix, dimensions));
    nodes_of_cell_.resize(cells);
    for (std::size_t node = 0; node < cell_of_.size(); ++node) {
        std::size_t rest = node, cell = 0, stride = 1;
        for (unsigned i = 0; i < dimensions; ++i, rest /= radix, stride *= wave_.side)
            cell += rest % radix / wave_.block * stride;
        cell_of_[node] = static_cast<std::uint16_t>(cell);
        ++nodes_of_cell_[cell];
    }
    std::vector<std::uint8_t> held(cell_of_.size());
    held[source] = static_cast<std::uint8_t>(packets);
    sample(0, held);
}

void broadcast_watch::note(std::uint64_t time, std::uint64_t moved, std::span<const std::uint8_t> held) {
    moved_ += moved;
    if (!wants(time)) return;
    sample(time, held);
    if (wave_.samples.size() > most_samples_) thin_out();
}

void broadcast_watch::finish(std::uint64_t time, std::span<const std::uint8_t> held) {
    if (wave_.samples.back().time == time) return;
    const std::vector<std::uint8_t> all(held.empty() ? cell_of_.size() : 0, static_cast<std::uint8_t>(packets_));
    sample(time, held.empty() ? std::span<const std::uint8_t>(all) : held);
}

void broadcast_watch::sample(std::uint64_t time, std::span<const std::uint8_t> held) {
    broadcast_sample& made = wave_.samples.emplace_back();
    made.time = time;
    made.moved = moved_;
    moved_ = 0;
    made.holders.resize(packets_ + 1);
    sums_.assign(nodes_of_cell_.size(), 0);
    for (std::size_t node = 0; node < cell_of_.size(); ++node) {
        ++made.holders[held[node]];
        sums_[cell_of_[node]] += held[node];
    }
    made.cells.resize(sums_.size());
    for (std::size_t cell = 0; cell < sums_.size(); ++cell) {
        const std::uint64_t all = std::uint64_t{nodes_of_cell_[cell]} * packets_;
        // Something is never shown as nothing, nor nearly all as all.
        const std::uint64_t share = (255 * std::uint64_t{sums_[cell]} + all / 2) / all;
        const std::uint64_t shown = sums_[cell] == 0     ? 0
                                    : sums_[cell] == all ? 255
                                                         : std::clamp<std::uint64_t>(share, 1, 254);
        made.cells[cell] = static_cast<char>(shown);
    }
}

void broadcast_watch::thin_out() {
    wave_.every *= 2;
    std::uint64_t moved = 0;
    std::vector<broadcast_sample> kept;
    for (broadcast_sample& one : wave_.samples) {
        moved += one.moved;
        if (!wants(one.time)) continue;
        one.moved = moved;
        moved = 0;
        kept.push_back(std::move(one));
    }
    moved_ += moved;
    wave_.samples = std::move(kept);
}

}  // namespace polycast::tlm::sim
