// SPDX-License-Identifier: Apache-2.0
/// \file Open-loop workloads by which the speed of a fabric is judged: uniform traffic, 4 VCs of 8 flits.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hw/fabric/open_loop.h"

namespace polycast::testbench::benchmarks {

struct fabric_workload {
    std::string_view name;
    unsigned radix;
    bool torus;
    double load;  ///< flits per node and cycle
    unsigned flits;
    std::uint64_t cycles;
};
inline constexpr std::array<fabric_workload, 8> fabric_workloads{{
    {"w1", 8, false, 0.1, 1, 50000},
    {"w2", 16, false, 0.1, 1, 10000},
    {"w3", 32, false, 0.05, 1, 4000},
    {"w4", 16, true, 0.1, 1, 10000},
    {"w6", 8, false, 0.1, 5, 50000},
    {"w7", 32, false, 0.001, 1, 50000},
    {"w8", 8, false, 0.35, 1, 15000},
    {"mesh32_load10", 32, false, 0.1, 1, 2000},
}};

/// `longest`: packet; they cut through.
inline hw::fabric::fabric_params mesh_or_torus(unsigned radix, bool torus, unsigned longest = 1) {
    hw::fabric::fabric_params params;
    params.router.radix = radix;
    params.tables.wrap = torus ? 3 : 0;
    params.tables.reserve = longest;
    params.tables.vc_sets = hw::fabric::dateline_sets(params.router.vcs, params.tables.wrap);
    return params;
}

/// A fabric under a workload, in any number of partitions.
class loaded_fabric {
public:
    loaded_fabric(const fabric_workload& what, std::uint64_t cycles, unsigned partitions)
        : fabric(mesh_or_torus(what.radix, what.torus, what.flits), partitions), cycles_(cycles) {
        ends.reserve(partitions);
        for (unsigned part = 0; part < partitions; ++part) {
            ends.emplace_back(fabric, cycles / 5, cycles, part);
            hw::fabric::open_loop_params traffic;
            traffic.load = what.load;
            traffic.flits_min = traffic.flits_max = what.flits;
            sources.emplace_back(ends.back(), fabric.nodes_of(part), hw::fabric::pattern_on(fabric.params().router),
                                 traffic);
        }
    }
    void run() { fabric.run(cycles_, sources); }

    hw::fabric::router_fabric fabric;
    std::vector<hw::fabric::terminals> ends;
    std::vector<hw::fabric::open_loop> sources;

private:
    std::uint64_t cycles_;
};

}  // namespace polycast::testbench::benchmarks
