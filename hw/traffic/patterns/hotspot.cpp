// SPDX-License-Identifier: Apache-2.0
#include "hw/traffic/pattern.h"

namespace polycast::hw::traffic::patterns {

extern const pattern_kind hotspot;

namespace {

constexpr pattern_key keys[] = {
    {"fraction", "0.2", "0", "1", "Fraction of all messages that goes to them, each alike.", true}};

class hotspot_pattern final : public pattern {
public:
    hotspot_pattern(const pattern_params& params, const pattern_sources& sources)
        : pattern(sources), hosts_(params.hosts), share_(hotspot.number(params, "fraction")) {
        draws_destinations_ = true;
    }
    bool spread() const override { return false; }

private:
    std::uint32_t draw_destination(std::uint32_t source, std::uint32_t, draws random) const override {
        if (!random.chance(share_)) return uniform(source, random);
        const std::uint32_t drawn = random.below(static_cast<std::uint32_t>(hosts_.size()) * processes_);
        return hosts_[drawn / processes_] * processes_ + drawn % processes_;
    }

    std::vector<std::uint32_t> hosts_;
    double share_;
};

}  // namespace

const pattern_kind hotspot{.name = "hotspot",
                           .doc = "uniform, but a fraction goes to a few hosts",
                           .keys_doc = "The hosts that get more.",
                           .hosts = true,
                           .keys = keys,
                           .make = make_as<hotspot_pattern>};

}  // namespace polycast::hw::traffic::patterns
