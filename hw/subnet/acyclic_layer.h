// SPDX-License-Identifier: Apache-2.0
/// \file Dependencies of one lane that stay free of circles: each is put in or refused, by a topological order that is
/// mended where it has to be (Pearce and Kelly, "A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs",
/// 2007), so that an attempt costs only what lies between its ends.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hw/topology/graph.h"

namespace polycast::hw::subnet {

class acyclic_layer {
public:
    /// A packet of a switch goes from one of its ports to another; ports from 0.
    struct turn {
        std::uint32_t chip;
        std::uint8_t in, out;
    };

    explicit acyclic_layer(const topology::graph& network);

    /// Takes all turns, or none: false where they would close a circle. Turns from and to hosts close none.
    bool add(std::span<const turn> turns);

private:
    bool insert(std::uint32_t from, std::uint32_t to);
    bool search_up(std::uint32_t start, std::uint32_t target);
    void search_down(std::uint32_t start, std::uint32_t least);
    void reorder();

    const topology::graph* network_;
    std::vector<std::uint32_t> first_;   ///< [switch] number of its first port's channel
    std::vector<std::uint64_t> known_;   ///< [channel out] ports whose packets go there
    std::vector<std::uint32_t> places_;  ///< [channel] in the order; a circle is what no order has
    std::vector<std::vector<std::uint32_t>> next_, before_;
    std::vector<bool> seen_;
    std::vector<std::uint32_t> above_, below_, free_;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> added_;  ///< channel out, and the bit of the port
};

}  // namespace polycast::hw::subnet
