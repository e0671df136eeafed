// SPDX-License-Identifier: Apache-2.0
/// \file A pipelined broadcast in steps as the paper tells it, from the senders' side: plain lists, nothing shared with
/// hw/broadcast or hw/topology but the parameters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "hw/workloads/broadcast/step_engine.h"

namespace polycast::hw::broadcast {

class golden_steps {
public:
    golden_steps(topology::bypass_torus_params network, broadcast_params params)
        : net_(std::move(network)), with_(std::move(params)) {
        for (unsigned part = 0; part < with_.split.size(); ++part)
            part_of_.resize(part_of_.size() + with_.split[part], part);
        source_ = place_of(with_.source);
        for (std::uint32_t node = 0; node < power(net_.dimensions); ++node)
            if (takes_part(node)) orders_[node];
        for (unsigned packet = 0; packet < part_of_.size(); ++packet) orders_[with_.source].push_back(packet);
    }

    /// By node number: packets in the order in which they came.
    const std::map<std::uint32_t, std::vector<unsigned>>& orders() const { return orders_; }

    /// \returns how many packets came
    unsigned step() {
        const auto start = orders_;
        std::map<std::uint32_t, std::vector<unsigned>> being_sent;
        unsigned count = 0;
        for (const auto& [from, order] : start) {
            for (const link& out : links_of(from)) {
                std::vector<unsigned> list = order;
                if (from == with_.source && out.reversed) std::ranges::reverse(list);
                for (const unsigned packet : list) {
                    std::vector<unsigned>& arriving = being_sent[out.to];
                    if (contains(start.at(out.to), packet) || contains(arriving, packet)) continue;
                    if (!sends(from, packet, out)) continue;
                    arriving.push_back(packet);
                    ++count;
                    break;
                }
            }
        }
        for (const auto& [node, packets] : being_sent)
            orders_[node].insert(orders_[node].end(), packets.begin(), packets.end());
        return count;
    }

private:
    using place = std::vector<unsigned>;
    struct link {
        std::uint32_t to;
        unsigned dimension;  ///< position in with_.dimensions
        bool up, bypass, reversed;
    };

    static bool contains(const std::vector<unsigned>& list, unsigned packet) {
        return std::ranges::find(list, packet) != list.end();
    }
    std::uint32_t power(unsigned exponent) const { return exponent == 0 ? 1 : net_.radix * power(exponent - 1); }
    place place_of(std::uint32_t node) const {
        place x(net_.dimensions);
        for (unsigned j = 0; j < net_.dimensions; ++j) x[j] = node / power(j) % net_.radix;
        return x;
    }
    std::uint32_t node_at(const place& x) const {
        std::uint32_t node = 0;
        for (unsigned j = 0; j < net_.dimensions; ++j) node += x[j] * power(j);
        return node;
    }
    bool takes_part(std::uint32_t node) const {
        const place x = place_of(node);
        for (unsigned j = 0; j < net_.dimensions; ++j)
            if (!contains(with_.dimensions, j) && x[j] != source_[j]) return false;
        return true;
    }
    /// In dimension number `position` of the broadcast.
    bool differs(const place& x, unsigned position) const {
        const unsigned j = with_.dimensions[position % with_.dimensions.size()];
        return x[j] != source_[j];
    }

    std::vector<link> links_of(std::uint32_t node) const {
        const place x = place_of(node);
        std::vector<link> found;
        const auto add = [&](unsigned position, unsigned length, bool up, bool bypass, unsigned bit) {
            const unsigned j = with_.dimensions[position];
            place y = x;
            y[j] = (x[j] + (up ? length : net_.radix - length)) % net_.radix;
            const unsigned pattern = with_.how == algorithm::trees ? 0 : with_.patterns[position];
            found.push_back({node_at(y), position, up, bypass, (pattern >> bit & 1) == 1});
        };
        unsigned sum = 0;
        for (const unsigned coordinate : x) sum += coordinate;
        for (unsigned position = 0; position < with_.dimensions.size(); ++position) {
            // Where both lead to one node it takes from what was sent down first: its lower port.
            add(position, 1, false, false, 0);
            add(position, 1, true, false, 3);
            if (net_.bypass.empty()) continue;
            const unsigned t = sum % (net_.dimensions * static_cast<unsigned>(net_.bypass.size()));
            if (t % net_.dimensions != with_.dimensions[position]) continue;
            const unsigned length = net_.bypass[t / net_.dimensions];
            add(position, length, true, true, 2);
            if (2 * length != net_.radix) add(position, length, false, true, 1);
        }
        return found;
    }

    bool sends(std::uint32_t from, unsigned packet, const link& out) const {
        return with_.how == algorithm::trees ? sends_in_tree(from, packet, out) : sends_colour(from, packet, out);
    }

    bool sends_colour(std::uint32_t from, unsigned packet, const link& out) const {
        const unsigned c = part_of_[packet];
        const unsigned j = out.dimension;
        const auto d = static_cast<unsigned>(with_.dimensions.size());
        const place u = place_of(from);
        if (from == with_.source) return j == c;
        if (!differs(u, c)) return false;
        unsigned last = 0;
        for (unsigned r = 0; r < d; ++r)
            if (differs(u, c + r)) last = r;
        if ((j + d - c) % d >= last) return true;
        return j == c && !differs(place_of(out.to), c);
    }

    /// Is the sender, over this link, the receiver's parent?
    bool sends_in_tree(std::uint32_t from, unsigned packet, const link& out) const {
        const unsigned i = part_of_[packet] / 2;
        const bool plus = part_of_[packet] % 2 == 0;
        const auto d = static_cast<unsigned>(with_.dimensions.size());
        const place v = place_of(out.to);
        if (out.to == with_.source) return false;
        unsigned position = i;
        bool up = !plus;
        if (differs(v, i)) {
            for (unsigned r = 0; r < d; ++r)
                if (differs(v, i + r)) position = (i + r) % d;
            up = plus;
        }
        const unsigned j = with_.dimensions[position];
        place parent = v;
        parent[j] = (v[j] + (up ? net_.radix - 1 : 1)) % net_.radix;
        return node_at(parent) == from && out.dimension == position && out.up == up;
    }

    topology::bypass_torus_params net_;
    broadcast_params with_;
    place source_;
    std::vector<unsigned> part_of_;  ///< [packet] colour or tree
    std::map<std::uint32_t, std::vector<unsigned>> orders_;
};

}  // namespace polycast::hw::broadcast
