// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/folded_clos.h"

#include "hw/input_error.h"

namespace polycast::hw::topology {

graph make_folded_clos(const folded_clos_params& params) {
    if (params.ports < 4 || params.ports > max_switch_ports || params.ports % 2 != 0)
        throw input_error("switches of a folded Clos network have an even number of ports, 4 to " +
                          std::to_string(max_switch_ports) + ", not " + std::to_string(params.ports));
    if (params.levels < 1) throw input_error("a folded Clos network has one level or more");
    const std::uint64_t k = params.ports / 2;
    std::uint64_t half = 1;  // switches of the top, and of each half of another level
    for (unsigned level = 1; level < params.levels && half <= max_hosts; ++level) half *= k;
    const std::uint64_t hosts = 2 * half * k, switches = half * (2 * std::uint64_t{params.levels} - 1);
    if (hosts > max_hosts || switches > max_switches)
        throw input_error("a folded Clos network of " + std::to_string(params.levels) + " levels of switches with " +
                              std::to_string(params.ports) + " ports has more than " + std::to_string(max_hosts) +
                              " hosts or switches",
                          "take fewer levels or ports");
    graph network;
    network.first_port = 1;
    for (std::uint64_t s = 0; s < switches; ++s) network.add_switch("switch" + std::to_string(s), params.ports);
    std::uint64_t step = 1;  // k^level
    for (unsigned level = 0; level + 1 < params.levels; ++level, step *= k) {
        const bool below_top = level + 2 == params.levels;
        for (std::uint64_t w = 0; w < 2 * half; ++w)
            for (std::uint64_t j = 0; j < k; ++j) {
                const std::uint64_t digit = w / step % k, above = w + j * step - digit * step;
                const std::uint64_t first = 2 * half * (level + 1);
                network.connect(static_cast<std::uint32_t>(2 * half * level + w), static_cast<unsigned>(k + j),
                                static_cast<std::uint32_t>(first + (below_top ? above % half : above)),
                                static_cast<unsigned>(digit + (below_top && w >= half ? k : 0)));
            }
    }
    const std::uint64_t at_each = params.levels == 1 ? params.ports : k;
    for (std::uint64_t x = 0; x < hosts; ++x)
        network.attach_host("host" + std::to_string(x), static_cast<std::uint32_t>(x / at_each),
                            static_cast<unsigned>(x % at_each));
    return network;
}

}  // namespace polycast::hw::topology
