// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <utility>

#include "hw/traffic/pattern.h"

namespace polycast::hw::traffic::patterns {

namespace {

class permutation_pattern final : public pattern {
public:
    permutation_pattern(const pattern_params&, const pattern_sources& sources) : pattern(sources) {
        random_stream random(sources.seed, ~std::uint64_t{0});
        std::vector<std::uint32_t> to(sources.hosts);
        bool own = true;
        while (own) {  // until nobody sends to itself, on average e times
            std::iota(to.begin(), to.end(), 0u);
            for (std::uint32_t last = sources.hosts - 1; last > 0; --last)
                std::swap(to[last], to[draws{random}.below(last + 1)]);
            own = false;
            for (std::uint32_t host = 0; host < sources.hosts; ++host) own = own || to[host] == host;
        }
        fix(to);
    }
};

}  // namespace

extern const pattern_kind permutation{.name = "permutation",
                                      .doc = "every host to a partner of its own, drawn once",
                                      .make = make_as<permutation_pattern>};

}  // namespace polycast::hw::traffic::patterns
