// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/channel_graph.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace polycast::hw::subnet {

using topology::port_end;

std::uint16_t dependencies::new_slot(std::uint32_t chip) {
    at_switch& here = switches_[chip];
    here.inputs.resize(here.inputs.size() + here.ports);
    return static_cast<std::uint16_t>(here.inputs.size() / here.ports - 1);
}

dependencies::dependencies(const topology::graph& network) : network_(&network), switches_(network.switches.size()) {
    for (std::size_t s = 0; s < switches_.size(); ++s) {
        at_switch& here = switches_[s];
        here.ports = static_cast<unsigned>(network.switches[s].ports.size());
        here.slots.assign(max_vls * max_vls, 0);
        here.inputs.assign(here.ports, 0);
    }
}

std::uint64_t dependencies::size() const {
    std::uint64_t count = 0;
    for (const at_switch& here : switches_)
        for (const std::uint64_t inputs : here.inputs) count += static_cast<std::uint64_t>(std::popcount(inputs));
    return count;
}

void dependencies::merge(const dependencies& others) {
    others.for_each([this](std::uint32_t chip, std::uint64_t inputs, unsigned v, unsigned out, unsigned w) {
        add(chip, inputs, v, out, w);
    });
}

/// The part of the graph that can have cycles: channels from switch to switch, numbered by (switch, port, VL).
struct dependencies::compact {
    std::vector<channel> channels;
    std::vector<std::size_t> first;        ///< [channel] of `next`
    std::vector<std::uint32_t> next;       ///< ascending for each
    std::vector<std::uint32_t> component;  ///< [channel]
    std::vector<std::uint32_t> sizes;      ///< [component]

    explicit compact(const dependencies& of) {
        const topology::graph& network = *of.network_;
        std::vector<std::size_t> base(network.switches.size() + 1);
        for (std::size_t s = 0; s < network.switches.size(); ++s)
            base[s + 1] = base[s] + network.switches[s].ports.size() * max_vls;
        constexpr std::uint32_t unused = 0xffffffff;
        std::vector<std::uint32_t> numbers(base.back(), unused);
        // Every channel that depends on another or that another depends on.
        const auto visit = [&](const auto& edge) {
            of.for_each([&](std::uint32_t t, std::uint64_t inputs, unsigned v, unsigned out, unsigned w) {
                if (network.switches[t].ports[out].kind != port_end::leads_to::chip) return;
                for (; inputs != 0; inputs &= inputs - 1) {
                    const port_end& from =
                        network.switches[t].ports[static_cast<std::size_t>(std::countr_zero(inputs))];
                    if (from.kind != port_end::leads_to::chip) continue;
                    edge(base[from.index] + from.port * max_vls + v, base[t] + out * max_vls + w);
                }
            });
        };
        visit([&](std::size_t from, std::size_t to) { numbers[from] = numbers[to] = 0; });
        for (std::uint32_t s = 0; s < network.switches.size(); ++s)
            for (std::size_t at = base[s]; at < base[s + 1]; ++at)
                if (numbers[at] != unused) {
                    numbers[at] = static_cast<std::uint32_t>(channels.size());
                    channels.push_back({s, static_cast<std::uint8_t>((at - base[s]) / max_vls),
                                        static_cast<std::uint8_t>((at - base[s]) % max_vls)});
                }
        first.assign(channels.size() + 1, 0);
        visit([&](std::size_t from, std::size_t) { ++first[numbers[from] + 1]; });
        for (std::size_t c = 0; c < channels.size(); ++c) first[c + 1] += first[c];
        next.resize(first.back());
        std::vector<std::size_t> at(first.begin(), first.end() - 1);
        visit([&](std::size_t from, std::size_t to) { next[at[numbers[from]]++] = numbers[to]; });
        for (std::size_t c = 0; c < channels.size(); ++c)
            std::sort(next.begin() + static_cast<std::ptrdiff_t>(first[c]),
                      next.begin() + static_cast<std::ptrdiff_t>(first[c + 1]));
        find_components();
    }

    /// Tarjan 1972, with a stack of its own: routes may be long.
    void find_components() {
        constexpr std::uint32_t unseen = 0;
        const auto count = static_cast<std::uint32_t>(channels.size());
        std::vector<std::uint32_t> order(count, unseen), low(count);
        std::vector<bool> open(count);
        std::vector<std::uint32_t> stack;
        std::vector<std::pair<std::uint32_t, std::size_t>> calls;
        component.assign(count, 0);
        std::uint32_t seen = 0;
        for (std::uint32_t root = 0; root < count; ++root) {
            if (order[root] != unseen) continue;
            calls.emplace_back(root, first[root]);
            while (!calls.empty()) {
                auto& [here, edge] = calls.back();
                if (order[here] == unseen) {
                    order[here] = low[here] = ++seen;
                    stack.push_back(here);
                    open[here] = true;
                }
                if (edge < first[here + 1]) {
                    const std::uint32_t to = next[edge++];
                    if (order[to] == unseen)
                        calls.emplace_back(to, first[to]);
                    else if (open[to])
                        low[here] = std::min(low[here], order[to]);
                    continue;
                }
                const std::uint32_t done = here;
                calls.pop_back();
                if (!calls.empty()) low[calls.back().first] = std::min(low[calls.back().first], low[done]);
                if (low[done] != order[done]) continue;
                std::uint32_t size = 0, member = 0;
                do {
                    member = stack.back();
                    stack.pop_back();
                    open[member] = false;
                    component[member] = static_cast<std::uint32_t>(sizes.size());
                    ++size;
                } while (member != done);
                sizes.push_back(size);
            }
        }
    }

    /// The shortest cycle, or that of one component; of several the one with the lowest channels, in order. Searched
    /// from each channel as the lowest of its cycle, no deeper than what is known to be possible.
    std::vector<std::uint32_t> shortest_cycle(std::optional<std::uint32_t> only = std::nullopt) const {
        const auto count = static_cast<std::uint32_t>(channels.size());
        std::vector<std::uint32_t> best, queue, from(count), mark(count, count), depth(count);
        for (std::uint32_t start = 0; start < count; ++start) {
            if (sizes[component[start]] < 2 || component[start] != only.value_or(component[start])) continue;
            queue.assign(1, start);
            mark[start] = start;
            depth[start] = 1;
            std::uint32_t last = count;
            for (std::size_t at = 0; at < queue.size() && last == count; ++at) {
                const std::uint32_t here = queue[at];
                if (!best.empty() && depth[here] >= best.size()) break;
                for (std::size_t e = first[here]; e < first[here + 1]; ++e) {
                    const std::uint32_t to = next[e];
                    if (to == start) {
                        last = here;
                        break;
                    }
                    if (to < start || component[to] != component[start] || mark[to] == start) continue;
                    mark[to] = start;
                    from[to] = here;
                    depth[to] = depth[here] + 1;
                    queue.push_back(to);
                }
            }
            if (last == count) continue;
            best.clear();
            for (std::uint32_t here = last; here != start; here = from[here]) best.push_back(here);
            best.push_back(start);
            std::reverse(best.begin(), best.end());
            if (best.size() == 2) break;
        }
        return best;
    }
};

bool dependencies::free() const {
    const compact graph(*this);
    return std::all_of(graph.sizes.begin(), graph.sizes.end(), [](std::uint32_t size) { return size == 1; });
}

dependencies::cycles dependencies::find_cycles() const {
    const compact graph(*this);
    cycles found;
    for (const std::uint32_t size : graph.sizes)
        if (size > 1) found.components.push_back(size);
    std::sort(found.components.begin(), found.components.end());
    if (found.components.empty()) return found;
    for (const std::uint32_t one : graph.shortest_cycle()) found.shortest.push_back(graph.channels[one]);
    return found;
}

std::vector<dependencies::component_cycle> dependencies::cycles_of_components() const {
    const compact graph(*this);
    std::vector<std::pair<std::vector<std::uint32_t>, std::uint32_t>> shortest;
    for (std::uint32_t one = 0; one < graph.sizes.size(); ++one)
        if (graph.sizes[one] > 1) shortest.emplace_back(graph.shortest_cycle(one), graph.sizes[one]);
    std::sort(shortest.begin(), shortest.end(), [](const auto& a, const auto& b) {
        return std::pair(a.first.size(), a.first) < std::pair(b.first.size(), b.first);
    });
    std::vector<component_cycle> found;
    for (const auto& [cycle, size] : shortest) {
        component_cycle& one = found.emplace_back();
        one.size = size;
        for (const std::uint32_t number : cycle) one.shortest.push_back(graph.channels[number]);
        const std::uint32_t component = graph.component[cycle.front()];
        for (std::uint32_t from = 0; from < graph.channels.size(); ++from)
            for (std::size_t e = graph.first[from]; e < graph.first[from + 1]; ++e)
                if (graph.component[from] == component && graph.component[graph.next[e]] == component)
                    one.dependencies.emplace_back(graph.channels[from], graph.channels[graph.next[e]]);
    }
    return found;
}

}  // namespace polycast::hw::subnet
