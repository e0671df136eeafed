// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/allgather_check.h"

#include "hw/traffic/random.h"

namespace polycast::hw::fabric {

allgather_check::allgather_check(std::uint32_t nodes, std::size_t bytes, std::uint64_t seed,
                                 const std::vector<std::uint32_t>& sources)
    : check(seed),
      nodes_(nodes),
      bytes_(bytes),
      sources_(sources),
      wanted_(nodes * bytes),
      got_(std::size_t{nodes} * nodes),
      missing_(std::uint64_t{nodes} * sources.size()) {
    for (const std::uint32_t source : sources_)
        traffic::fill_payload(seed, source, std::span(wanted_).subspan(source * bytes_, bytes_));
}

void allgather_check::compare(std::uint32_t node, std::uint32_t source, std::span<const std::uint8_t> bytes) {
    if (const auto wrong = delivery::first_difference(bytes, std::span(wanted_).subspan(source * bytes_, bytes_)))
        return fault([&] {
            return "node " + std::to_string(node) + " has a wrong datum of node " + std::to_string(source) +
                   ", from byte " + std::to_string(*wrong) + " on";
        });
    const std::size_t place = std::size_t{node} * nodes_ + source;
    if (got_[place]) return;
    got_[place] = true;
    --missing_;
}

void allgather_check::leave_out(const std::vector<bool>& can) {
    for (std::uint32_t node = 0; node < nodes_; ++node) {
        for (const std::uint32_t source : sources_) {
            const std::size_t place = std::size_t{node} * nodes_ + source;
            if (can[place]) continue;
            if (got_[place]) {
                fault("node " + std::to_string(node) + " has the datum of node " + std::to_string(source) +
                      ", which the packets of the plan do not bring");
                continue;
            }
            got_[place] = true;
            --missing_;
        }
    }
}

std::vector<std::string> allgather_check::missing_data(std::size_t most) const {
    std::vector<std::string> names;
    for (std::uint32_t node = 0; node < nodes_; ++node) {
        for (const std::uint32_t source : sources_) {
            if (names.size() == most) return names;
            if (got_[std::size_t{node} * nodes_ + source]) continue;
            names.push_back("node " + std::to_string(node) + " has no datum of node " + std::to_string(source));
        }
    }
    return names;
}

}  // namespace polycast::hw::fabric
