// SPDX-License-Identifier: Apache-2.0
/// \file Patterns that move the coordinates of a grid.
#include "hw/traffic/pattern.h"

namespace polycast::hw::traffic::patterns {

namespace {

/// `moved(own, d, params)`: coordinate d of the destination of the node at `own`.
template <auto moved>
class coordinate_pattern final : public pattern {
public:
    coordinate_pattern(const pattern_params& params, const pattern_sources& sources) : pattern(sources) {
        std::vector<std::uint32_t> to(sources.hosts);
        std::vector<unsigned> own(params.dimensions);
        for (std::uint32_t host = 0; host < sources.hosts; ++host) {
            std::uint32_t left = host;
            for (unsigned& coordinate : own) {
                coordinate = left % params.radix;
                left /= params.radix;
            }
            for (unsigned d = params.dimensions; d-- > 0;) to[host] = to[host] * params.radix + moved(own, d, params);
        }
        fix(to);
    }
};

using coordinates = std::vector<unsigned>;
constexpr auto reversed = [](const coordinates& own, unsigned d, const pattern_params& params) {
    return own[params.dimensions - 1 - d];
};
constexpr auto complement = [](const coordinates& own, unsigned d, const pattern_params& params) {
    return params.radix - 1 - own[d];
};
constexpr auto half_way = [](const coordinates& own, unsigned d, const pattern_params& params) {
    return (own[d] + (params.radix + 1) / 2 - 1) % params.radix;
};

}  // namespace

extern const pattern_kind transpose{.name = "transpose",
                                    .doc = "coordinates in reverse order, on a mesh or torus",
                                    .grid = true,
                                    .make = make_as<coordinate_pattern<reversed>>};
extern const pattern_kind bit_complement{.name = "bit_complement",
                                         .doc = "every coordinate x to radix - 1 - x, likewise",
                                         .grid = true,
                                         .make = make_as<coordinate_pattern<complement>>};
extern const pattern_kind tornado{.name = "tornado",
                                  .doc = "nearly half way around every dimension, likewise",
                                  .grid = true,
                                  .make = make_as<coordinate_pattern<half_way>>};

}  // namespace polycast::hw::traffic::patterns
