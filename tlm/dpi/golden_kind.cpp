// SPDX-License-Identifier: Apache-2.0
#include "tlm/dpi/golden_kind.h"

#include <algorithm>
#include <array>
#include <limits>

#include "hw/chips/broadcast/broadcast_router_core.h"
#include "hw/chips/coding/coding_core.h"
#include "hw/chips/router/router_core.h"
#include "hw/chips/switch/switch_core.h"
#include "hw/chips/vl_switch/vl_switch_core.h"
#include "hw/input_error.h"
#include "hw/topology/nearest_name.h"
#include "tlm/dpi/chip_registers.h"
#include "tlm/dpi/link_end_chip.h"

namespace polycast::tlm::dpi {

namespace {

using hw::input_error;
using hw::chips::chip_facts;
using nlohmann::json;

/// The core of each chip, and where its register `upset` is.
template <class Params>
struct golden;
template <>
struct golden<hw::chips::switch_params> {
    using core = hw::chips::switch_core;
    static constexpr int upset = static_cast<int>(hw::format::config_region::upset);
};
template <>
struct golden<hw::chips::router_params> {
    using core = hw::chips::router_core;
    static constexpr int upset = static_cast<int>(hw::format::config_region::upset);
};
template <>
struct golden<hw::chips::vl_switch_params> {
    using core = hw::chips::vl_switch_core;
    static constexpr int upset = -1;
};
template <>
struct golden<hw::chips::coding_params> {
    using core = hw::chips::coding_core;
    static constexpr int upset = -1;
};
template <>
struct golden<hw::chips::broadcast_params> {
    using core = hw::chips::broadcast_router_core;
    static constexpr int upset = -1;
};
template <>
struct golden<hw::chips::link_end_params> {
    static constexpr int upset = static_cast<int>(hw::format::link_region::upset);
};

template <class Params>
unsigned value_of(const std::string& name, const json& value) {
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    const bool natural = value.is_number_unsigned() && value.get<std::uint64_t>() <= std::numeric_limits<int>::max();
    if (!natural)
        throw input_error(std::string(chip_facts<Params>::what) + ": parameter \"" + name + "\" is a number, not " +
                          hw::printable(value.dump()));
    return value.get<unsigned>();
}

template <class Params>
Params params_of(const json& parameters) {
    Params params;
    if (!parameters.is_object()) throw input_error("parameters: they are a JSON object, {\"NumPorts\": 4}");
    for (const auto& [name, value] : parameters.items()) {
        const auto& known = chip_facts<Params>::parameters;
        const auto found = std::ranges::find_if(
            known, [&, &key = name](const auto& each) { return each.name == key || each.verilog == key; });
        if (found == known.end()) {
            std::vector<std::string> names;
            for (const auto& each : known) names.emplace_back(each.verilog);
            throw input_error(
                std::string(chip_facts<Params>::what) + ": there is no parameter \"" + hw::printable(name) + "\"",
                hw::topology::propose_name(name, names));
        }
        const unsigned number = value_of<Params>(name, value);
        found->set(params, number);
        if (found->get(params) != number)
            throw input_error(std::string(chip_facts<Params>::what) + ": parameter \"" + name + "\" is 0 or 1, not " +
                              std::to_string(number));
    }
    return checked(params);
}

template <class Params>
class kind_of final : public golden_kind {
public:
    explicit kind_of(const json& parameters) : params_(params_of<Params>(parameters)), map_(register_map_of(params_)) {}

    std::vector<hw::chips::chip_pin> pins() const override { return hw::chips::pins_of(params_); }
    hw::engine::pin_shape shape() const override {
        if constexpr (std::is_same_v<Params, hw::chips::broadcast_params>)
            return params_.pin_shape({});
        else
            return params_.pin_shape();
    }
    hw::format::header_shape headers() const override {
        if constexpr (std::is_same_v<Params, hw::chips::switch_params>)
            return params_.header_shape();
        else
            return {};
    }
    const std::vector<register_table>& registers() const override { return map_; }
    bool is_upset(std::uint32_t address) const override {
        return static_cast<int>(address >> 24) == golden<Params>::upset;
    }
    std::unique_ptr<hw::engine::chip> make(const register_image& image) const override {
        if constexpr (std::is_same_v<Params, hw::chips::link_end_params>) {
            const auto config = link_config_of(params_, image);
            return config ? std::make_unique<link_end_chip>(params_, *config) : nullptr;
        } else {
            return std::make_unique<typename golden<Params>::core>(params_, tables_of(params_, image));
        }
    }

private:
    Params params_;
    std::vector<register_table> map_;
};

using maker = std::unique_ptr<golden_kind> (*)(const json& parameters);
template <class Params>
std::unique_ptr<golden_kind> made(const json& parameters) {
    return std::make_unique<kind_of<Params>>(parameters);
}

struct named_kind {
    std::string_view name;
    maker make;
};
/// Names as in hw/format/chips.yaml.
constexpr std::array<named_kind, 6> kinds = {{
    {"switch", made<hw::chips::switch_params>},
    {"router", made<hw::chips::router_params>},
    {"vl_switch", made<hw::chips::vl_switch_params>},
    {"coding", made<hw::chips::coding_params>},
    {"broadcast", made<hw::chips::broadcast_params>},
    {"link_end", made<hw::chips::link_end_params>},
}};

}  // namespace

std::unique_ptr<golden_kind> golden_kind_of(const std::string& chip, const json& parameters) {
    const auto found = std::ranges::find(kinds, chip, &named_kind::name);
    if (found != kinds.end()) return found->make(parameters);
    std::string names;
    for (const named_kind& each : kinds) names.append(names.empty() ? "" : ", ").append(each.name);
    throw input_error("there is no chip \"" + hw::printable(chip) + "\"", "chips are " + names);
}

}  // namespace polycast::tlm::dpi
