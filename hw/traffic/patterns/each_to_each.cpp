// SPDX-License-Identifier: Apache-2.0
#include "hw/traffic/pattern.h"

namespace polycast::hw::traffic::patterns {

namespace {

class each_to_each_pattern final : public pattern {
public:
    each_to_each_pattern(const pattern_params&, const pattern_sources& sources) : pattern(sources) {
        draws_destinations_ = true;
    }

private:
    /// Source s to s+1, s+2, ..., so that everybody begins with another one.
    std::uint32_t draw_destination(std::uint32_t source, std::uint32_t number, draws) const override {
        return other(source, static_cast<std::uint32_t>((std::uint64_t{number} + source) % (all_ - processes_)));
    }
};

}  // namespace

extern const pattern_kind each_to_each{.name = "each_to_each",
                                       .doc = "every host one message to every other, all at once",
                                       .rate = pattern_kind::load::none,
                                       .make = make_as<each_to_each_pattern>};

}  // namespace polycast::hw::traffic::patterns
