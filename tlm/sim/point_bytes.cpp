// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/point_bytes.h"

#include <nlohmann/json.hpp>

namespace polycast::hw::engine {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(port_id, chip, port)
}

namespace polycast::hw::traffic {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(delivery_counts, expected, delivered, missing, duplicated, corrupted, misdelivered,
                                   misordered)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(traffic_volume, generated, wanted, accepted)
}  // namespace polycast::hw::traffic

namespace polycast::tlm::sim {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(transfer, message, source, created, completed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(link_load, from, to, flits, packets, occupied_cycles, occupied_max)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(point_result, ended, diagnosis, broken, cycles, counts, volume, chip_errors, faults,
                                   transfers, links, failing_message, order_guaranteed)

child_process::bytes to_bytes(const point_result& result) {
    return nlohmann::json::to_cbor(nlohmann::json(result));
}

point_result from_bytes(const child_process::bytes& bytes) {
    return nlohmann::json::from_cbor(bytes).get<point_result>();
}

}  // namespace polycast::tlm::sim
