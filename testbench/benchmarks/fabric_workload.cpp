// SPDX-License-Identifier: Apache-2.0
/// \file Runs a workload for some cycles and prints its flit-hops: what instruction_counts.py counts instructions of.
#include <cstdlib>
#include <iostream>

#include "testbench/benchmarks/fabric_workloads.h"

int main(int argc, char** argv) {
    using namespace polycast::testbench::benchmarks;
    if (argc == 3) {
        for (const fabric_workload& what : fabric_workloads) {
            if (what.name != argv[1]) continue;
            loaded_fabric run(what, std::strtoull(argv[2], nullptr, 10), 1);
            run.run();
            std::cout << run.fabric.flit_hops() << '\n';
            return run.ends.front().faults().empty() ? 0 : 1;
        }
    }
    std::cerr << "fabric_workload WORKLOAD CYCLES, as in fabric_workloads.h\n";
    return 2;
}
