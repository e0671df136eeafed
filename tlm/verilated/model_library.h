// SPDX-License-Identifier: Apache-2.0
/// \file Verilated models of switch, router, coding unit, broadcast router and the NI's processor: found in a cache,
/// built if they are missing, loaded once per process.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "hw/chips/broadcast/broadcast_config.h"
#include "hw/chips/coding/coding_config.h"
#include "hw/chips/link/link_config.h"
#include "hw/chips/router/router_config.h"
#include "hw/chips/switch/switch_config.h"
#include "hw/chips/vl_switch/vl_switch_config.h"
#include "rtl/ibex/ibex_model.h"
#include "rtl/model/chip_model.h"
#include "tlm/verilated/model_cache.h"

namespace polycast::tlm {

using hw::chips::params_of_model;

/// Calls `use` with the parameter set of a chip's model of that name. \throws hw::input_error if it is none
template <class Use>
void with_params_of_model(const std::string& name, Use&& use) {
    using namespace hw::chips;
    if (names_model_of<vl_switch_params>(name)) return use(params_of_model<vl_switch_params>(name));
    if (names_model_of<router_params>(name)) return use(params_of_model<router_params>(name));
    if (names_model_of<coding_params>(name)) return use(params_of_model<coding_params>(name));
    if (names_model_of<broadcast_params>(name)) return use(params_of_model<broadcast_params>(name));
    if (names_model_of<link_end_params>(name)) return use(params_of_model<link_end_params>(name));
    use(params_of_model<switch_params>(name));
}

/// Name of the model of the processor among those of the chips.
inline constexpr const char* ibex_name = "ibex";

/// The models of a process. May be used from several threads, and several processes may share a cache: each model is
/// built by one of them, and it appears in the cache whole.
class model_library {
public:
    explicit model_library(model_options options = model_options::defaults());

    /// The model of a parameter set, built if it is not in the cache. Valid to the end of the process.
    /// \throws hw::input_error if it cannot be built or loaded: there is no substitute for it.
    template <class Params>
    const polycast_chip_model_interface& get(const Params& params) {
        return get(set_of(params));
    }

    /// File of the model of a parameter set, whether it exists or not. Its name holds a hash of everything the model
    /// is made of: RTL sources, the project that builds it, the packet format, version of Verilator, compiler options.
    template <class Params>
    std::filesystem::path file_of(const Params& params) const {
        return model_file(options_, recipe_of(set_of(params)));
    }

    /// The same for the model of the processor.
    const polycast_ibex_model_interface& ibex();
    std::filesystem::path file_of_ibex() const;

    const model_options& options() const { return options_; }

private:
    /// A module of the RTL with its parameters, and the data that the C++ around it needs.
    struct chip_set {
        std::string chip;        ///< module: "switch", "router", "vl_switch", ..
        std::string name;        ///< of the model
        std::string parameters;  ///< "NumPorts=8,FlitBytes=1,.."
        hw::engine::pin_shape shape;
        unsigned side_slots = 0;  ///< packets that side wires show
    };
    template <class Params>
    static chip_set named_set(const Params& params, const hw::engine::pin_shape& shape) {
        return {std::string(hw::chips::chip_facts<Params>::module), model_name(params), verilog_parameters(params),
                shape};
    }
    template <class Params>
    static chip_set set_of(const Params& params) {
        return named_set(params, params.pin_shape());
    }
    static chip_set set_of(const hw::chips::switch_params& params);
    static chip_set set_of(const hw::chips::router_params& params);
    static chip_set set_of(const hw::chips::vl_switch_params& params);
    static chip_set set_of(const hw::chips::broadcast_params& params);
    static chip_set set_of(const hw::chips::link_end_params& params);
    const polycast_chip_model_interface& get(const chip_set& set);
    model_recipe recipe_of(const chip_set& set) const;
    model_recipe ibex_recipe() const;

    model_options options_;
    std::map<std::string, std::string> sources_hash_;  ///< by chip
    std::mutex mutex_;
    std::map<std::filesystem::path, const polycast_chip_model_interface*> loaded_;
    const polycast_ibex_model_interface* ibex_ = nullptr;
};

}  // namespace polycast::tlm
