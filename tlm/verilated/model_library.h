// SPDX-License-Identifier: Apache-2.0
/// \file Verilated models of switch, router, coding unit, broadcast router and the NI's processor: found in a cache,
/// built where they are missing, loaded once per process.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "hw/chips/broadcast_config.h"
#include "hw/chips/coding_config.h"
#include "hw/chips/router_config.h"
#include "hw/chips/switch_config.h"
#include "rtl/ibex/ibex_model.h"
#include "rtl/model/chip_model.h"
#include "tlm/verilated/model_cache.h"

namespace polycast::tlm {

/// A readable name of a parameter set: switch_p8_f1_c80x8_h32_r8_x0_s32_l8x8_inline (or _free): ports, flit bytes,
/// chunks x flits, hosts, read ports, crossbar stages, switches, list of stops x bits of their strings.
std::string model_name(const hw::chips::switch_params& params);

/// The parameter set of such a name. \throws hw::input_error if it is none
hw::chips::switch_params params_of_model(const std::string& name);

/// Likewise of a router: router_p5_v4x8_f16_d2x8_n0_x0_c1_inline: ports, virtual channels x flits, flit bytes,
/// dimensions x radix, nodes of the route table, crossbar stages, copies.
std::string model_name(const hw::chips::router_params& params);
hw::chips::router_params router_params_of_model(const std::string& name);

/// Likewise of a coding unit: coding_v4x8_f16_k16_s64x8_i64_d64_l64_inline: virtual channels x flits, flit bytes,
/// contexts, slots x flits, indices, destinations, most stages of the pipe.
std::string model_name(const hw::chips::coding_params& params);
hw::chips::coding_params coding_params_of_model(const std::string& name);

/// Likewise of a broadcast router: broadcast_p7_v2x8_f16_d2x8_n0_x0_c1_s32x8_i8_inline: the router's, then slots x
/// flits, flits of the injection buffer.
std::string model_name(const hw::chips::broadcast_params& params);
hw::chips::broadcast_params broadcast_params_of_model(const std::string& name);

/// What names of routers, coding units and broadcast routers begin with.
inline constexpr const char* router_model_prefix = "router_";
inline constexpr const char* coding_model_prefix = "coding_";
inline constexpr const char* broadcast_model_prefix = "broadcast_";

/// Name of the model of the processor among those of the chips.
inline constexpr const char* ibex_name = "ibex";

/// The models of a process. May be used from several threads, and several processes may share a cache: each model is
/// built by one of them, and it appears in the cache whole.
class model_library {
public:
    explicit model_library(model_options options = model_options::defaults());

    /// The model of a parameter set, built if it is not in the cache. Valid to the end of the process.
    /// \throws hw::input_error where it cannot be built or loaded: there is no substitute for it.
    const polycast_chip_model_interface& get(const hw::chips::switch_params& params);
    const polycast_chip_model_interface& get(const hw::chips::router_params& params);
    const polycast_chip_model_interface& get(const hw::chips::coding_params& params);
    const polycast_chip_model_interface& get(const hw::chips::broadcast_params& params);

    /// File of the model of a parameter set, whether it is there or not. Its name holds a hash of everything the model
    /// is made of: RTL sources, the project that builds it, the packet format, version of Verilator, compiler options.
    std::filesystem::path file_of(const hw::chips::switch_params& params) const;
    std::filesystem::path file_of(const hw::chips::router_params& params) const;
    std::filesystem::path file_of(const hw::chips::coding_params& params) const;
    std::filesystem::path file_of(const hw::chips::broadcast_params& params) const;

    /// The model of the processor, likewise.
    const polycast_ibex_model_interface& ibex();
    std::filesystem::path file_of_ibex() const;

    const model_options& options() const { return options_; }

private:
    /// A module of the RTL with its parameters, and what the C++ around it has to know.
    struct chip_set {
        std::string chip;        ///< "switch", "router", "coding", "broadcast_router"
        std::string name;        ///< of the model
        std::string parameters;  ///< "NumPorts=8,FlitBytes=1,.."
        hw::engine::pin_shape shape;
        unsigned side_slots = 0;  ///< packets that side wires show
    };
    static chip_set set_of(const hw::chips::switch_params& params);
    static chip_set set_of(const hw::chips::router_params& params);
    static chip_set set_of(const hw::chips::coding_params& params);
    static chip_set set_of(const hw::chips::broadcast_params& params);
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
