// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/model_library.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "hw/input_error.h"

namespace polycast::tlm {

std::string model_name(const hw::chips::switch_params& params) {
    return fmt::format("switch_p{}_f{}_c{}x{}_h{}_r{}_x{}_s{}_l{}x{}_{}", params.ports, params.flit_bytes,
                       params.chunks, params.chunk_flits, params.max_hosts, params.read_ports, params.xbar_stages,
                       params.max_switches, params.header_stops, params.header_ports,
                       params.header_free ? "free" : "inline");
}

hw::chips::switch_params params_of_model(const std::string& name) {
    hw::chips::switch_params params;
    for (const bool header_free : {false, true}) {
        params.header_free = header_free;
        const int count =
            std::sscanf(name.c_str(), "switch_p%u_f%u_c%ux%u_h%u_r%u_x%u_s%u_l%ux%u_", &params.ports,
                        &params.flit_bytes, &params.chunks, &params.chunk_flits, &params.max_hosts, &params.read_ports,
                        &params.xbar_stages, &params.max_switches, &params.header_stops, &params.header_ports);
        if (count == 10 && model_name(params) == name) return params;
    }
    throw hw::input_error("\"" + name + "\" is no name of a switch's model",
                          "for example switch_p8_f1_c80x8_h32_r8_x0_s32_l8x8_inline");
}

std::string model_name(const hw::chips::router_params& params) {
    return fmt::format("{}p{}_v{}x{}_f{}_d{}x{}_n{}_x{}_c{}{}_{}", router_model_prefix, params.ports, params.vcs,
                       params.vc_flits, params.flit_bytes, params.dimensions, params.radix, params.max_nodes,
                       params.xbar_stages, params.copies ? 1 : 0, params.adaptive ? "_adaptive" : "",
                       params.header_free ? "free" : "inline");
}

hw::chips::router_params router_params_of_model(const std::string& name) {
    hw::chips::router_params params;
    params.adaptive = name.find("_adaptive_") != std::string::npos;
    for (const bool header_free : {false, true}) {
        params.header_free = header_free;
        unsigned copies = 0;
        const int count = std::sscanf(name.c_str(), "router_p%u_v%ux%u_f%u_d%ux%u_n%u_x%u_c%u_", &params.ports,
                                      &params.vcs, &params.vc_flits, &params.flit_bytes, &params.dimensions,
                                      &params.radix, &params.max_nodes, &params.xbar_stages, &copies);
        params.copies = copies != 0;
        if (count == 9 && model_name(params) == name) return params;
    }
    throw hw::input_error("\"" + name + "\" is no name of a router's model",
                          "for example router_p5_v4x8_f16_d2x8_n0_x0_c1_inline");
}

std::string model_name(const hw::chips::coding_params& params) {
    return fmt::format("{}v{}x{}_f{}_k{}_s{}x{}_i{}_d{}_l{}_{}", coding_model_prefix, params.vcs, params.vc_flits,
                       params.flit_bytes, params.contexts, params.slots, params.slot_flits, params.indices,
                       params.destinations, params.max_latency, params.header_free ? "free" : "inline");
}

hw::chips::coding_params coding_params_of_model(const std::string& name) {
    hw::chips::coding_params params;
    for (const bool header_free : {false, true}) {
        params.header_free = header_free;
        const int count = std::sscanf(name.c_str(), "coding_v%ux%u_f%u_k%u_s%ux%u_i%u_d%u_l%u_", &params.vcs,
                                      &params.vc_flits, &params.flit_bytes, &params.contexts, &params.slots,
                                      &params.slot_flits, &params.indices, &params.destinations, &params.max_latency);
        if (count == 9 && model_name(params) == name) return params;
    }
    throw hw::input_error("\"" + name + "\" is no name of a coding unit's model",
                          "for example coding_v4x8_f16_k16_s64x8_i64_d64_l64_inline");
}

std::string model_name(const hw::chips::broadcast_params& params) {
    const hw::chips::router_params& router = params.router;
    return fmt::format("{}p{}_v{}x{}_f{}_d{}x{}_n{}_x{}_c{}_s{}x{}_i{}_{}", broadcast_model_prefix, router.ports,
                       router.vcs, router.vc_flits, router.flit_bytes, router.dimensions, router.radix,
                       router.max_nodes, router.xbar_stages, router.copies ? 1 : 0, params.slots, params.slot_flits,
                       params.inject_flits, router.header_free ? "free" : "inline");
}

hw::chips::broadcast_params broadcast_params_of_model(const std::string& name) {
    hw::chips::broadcast_params params;
    hw::chips::router_params& router = params.router;
    for (const bool header_free : {false, true}) {
        router.header_free = header_free;
        unsigned copies = 0;
        const int count = std::sscanf(name.c_str(), "broadcast_p%u_v%ux%u_f%u_d%ux%u_n%u_x%u_c%u_s%ux%u_i%u_",
                                      &router.ports, &router.vcs, &router.vc_flits, &router.flit_bytes,
                                      &router.dimensions, &router.radix, &router.max_nodes, &router.xbar_stages,
                                      &copies, &params.slots, &params.slot_flits, &params.inject_flits);
        router.copies = copies != 0;
        if (count == 12 && model_name(params) == name) return params;
    }
    throw hw::input_error("\"" + name + "\" is no name of a broadcast router's model",
                          "for example broadcast_p7_v2x8_f16_d2x8_n0_x0_c1_s32x8_i8_inline");
}

model_library::model_library(model_options options) : options_(std::move(options)) {
    // The folders of the sources of each chip, beside the common ones.
    const std::map<std::string, std::vector<const char*>> chips = {
        {"switch", {"switch"}},
        {"router", {"router"}},
        {"coding", {"coding"}},
        {"broadcast_router", {"router", "broadcast"}},
    };
    for (const auto& [chip, folders] : chips) {
        content_hash hash;
        hash.add_folder(options_.rtl_dir / "common");
        for (const char* folder : folders) hash.add_folder(options_.rtl_dir / folder);
        if (!options_.own_rtl.empty()) hash.add_folder(options_.own_rtl);
        hash.add_folder(options_.project_dir);
        // What chip_model.cpp takes from the repository around its project.
        const std::filesystem::path formats = options_.project_dir.parent_path().parent_path() / "hw" / "format";
        hash.add_file_if_there(formats / "packet_format.h");
        hash.add_file_if_there(options_.verilator_root / "include" / "verilated_config.h");
        hash.add(options_.optimize);
        if (options_.coverage) hash.add_folder(options_.rtl_dir / "cover");
        sources_hash_[chip] = hash.text();
    }
}

model_library::chip_set model_library::set_of(const hw::chips::switch_params& params) {
    return {"switch", model_name(params),
            fmt::format("NumPorts={},FlitBytes={},ChunkFlits={},NumChunks={},MaxHosts={},HeaderFree={},ReadPorts={},"
                        "XbarStages={},MaxSwitches={},HeaderPorts={},HeaderStops={}",
                        params.ports, params.flit_bytes, params.chunk_flits, params.chunks, params.max_hosts,
                        params.header_free ? 1 : 0, params.read_ports, params.xbar_stages, params.max_switches,
                        params.header_ports, params.header_stops),
            params.pin_shape()};
}

model_library::chip_set model_library::set_of(const hw::chips::router_params& params) {
    // A broadcast router has all of these but the choice.
    return {"router", model_name(params),
            fmt::format("NumPorts={},NumVcs={},VcFlits={},FlitBytes={},HeaderFree={},Dimensions={},Radix={},"
                        "MaxNodes={},XbarStages={},Copies={}{}",
                        params.ports, params.vcs, params.vc_flits, params.flit_bytes, params.header_free ? 1 : 0,
                        params.dimensions, params.radix, params.max_nodes, params.xbar_stages, params.copies ? 1 : 0,
                        params.adaptive ? ",Adaptive=1" : ""),
            params.pin_shape()};
}

model_library::chip_set model_library::set_of(const hw::chips::coding_params& params) {
    return {"coding", model_name(params),
            fmt::format("NumVcs={},VcFlits={},FlitBytes={},HeaderFree={},NumContexts={},NumSlots={},SlotFlits={},"
                        "NumIndices={},NumDestinations={},MaxLatency={}",
                        params.vcs, params.vc_flits, params.flit_bytes, params.header_free ? 1 : 0, params.contexts,
                        params.slots, params.slot_flits, params.indices, params.destinations, params.max_latency),
            params.pin_shape()};
}

model_library::chip_set model_library::set_of(const hw::chips::broadcast_params& params) {
    chip_set set = set_of(params.router);
    set.chip = "broadcast_router";
    set.name = model_name(params);
    set.parameters +=
        fmt::format(",NumSlots={},SlotFlits={},InjectFlits={}", params.slots, params.slot_flits, params.inject_flits);
    ++set.shape.vcs;
    set.side_slots = params.slots;
    return set;
}

model_recipe model_library::recipe_of(const chip_set& set) const {
    const auto define = [](const char* key, const auto& value) { return fmt::format("-DPOLYCAST_{}={}", key, value); };
    model_recipe recipe{
        set.name,
        sources_hash_.at(set.chip),
        options_.project_dir,
        "chip_model.so",
        {define("CHIP", set.chip), define("PARAMETERS", set.parameters), define("PORTS", set.shape.ports),
         define("FLIT_BYTES", set.shape.flit_bytes), define("HEADER_BYTES", set.shape.header_bytes),
         define("PROBE_ENTRIES", set.shape.ports * set.shape.vcs), define("SIDE_SLOTS", set.side_slots)},
        {}};
    if (options_.coverage) {
        recipe.name += "_coverage";
        recipe.definitions.push_back(define("COVERAGE", "ON"));
    }
    if (!options_.own_rtl.empty()) {
        const std::string folder = std::filesystem::absolute(options_.own_rtl).string();
        recipe.name += "_own";
        recipe.definitions.push_back(define("OWN_RTL_DIR", folder));
        recipe.hint = "; your sources are in " + folder;
    }
    return recipe;
}

model_recipe model_library::ibex_recipe() const {
    const std::filesystem::path project = options_.rtl_dir / "ibex";
    content_hash hash;
    hash.add_folder(project);
    hash.add_file(options_.rtl_dir / "model" / "unity.cmake");
    hash.add_file_if_there(options_.verilator_root / "include" / "verilated_config.h");
    hash.add_file_if_there(options_.ibex_root / "__init__.py");
    hash.add(options_.optimize);
    const std::string root = options_.ibex_root.string();
    return {ibex_name,
            hash.text(),
            project,
            "ibex_model.so",
            {"-DPOLYCAST_IBEX_ROOT=" + root},
            ", POLYCAST_IBEX is \"" + root + "\""};
}

std::filesystem::path model_library::file_of(const hw::chips::switch_params& params) const {
    return model_file(options_, recipe_of(set_of(params)));
}

std::filesystem::path model_library::file_of(const hw::chips::router_params& params) const {
    return model_file(options_, recipe_of(set_of(params)));
}

std::filesystem::path model_library::file_of(const hw::chips::coding_params& params) const {
    return model_file(options_, recipe_of(set_of(params)));
}

std::filesystem::path model_library::file_of(const hw::chips::broadcast_params& params) const {
    return model_file(options_, recipe_of(set_of(params)));
}

std::filesystem::path model_library::file_of_ibex() const {
    return model_file(options_, ibex_recipe());
}

const polycast_chip_model_interface& model_library::get(const hw::chips::switch_params& params) {
    return get(set_of(params));
}

const polycast_chip_model_interface& model_library::get(const hw::chips::router_params& params) {
    return get(set_of(params));
}

const polycast_chip_model_interface& model_library::get(const hw::chips::coding_params& params) {
    return get(set_of(params));
}

const polycast_chip_model_interface& model_library::get(const hw::chips::broadcast_params& params) {
    return get(set_of(params));
}

const polycast_chip_model_interface& model_library::get(const chip_set& set) {
    const std::scoped_lock guard(mutex_);
    const model_recipe recipe = recipe_of(set);
    const std::filesystem::path file = model_file(options_, recipe);
    if (const auto found = loaded_.find(file); found != loaded_.end()) return *found->second;
    const auto* model =
        static_cast<const polycast_chip_model_interface*>(load_model(options_, recipe, "polycast_chip_model_entry"));
    if (model->version != POLYCAST_CHIP_MODEL_VERSION)
        throw hw::input_error(file.string(), {}, "is no model library of this version", rebuild_proposal);
    if (model->parameters != set.parameters || model->probe_entries != set.shape.ports * set.shape.vcs)
        throw hw::input_error(file.string(), {}, "was built for other parameters", rebuild_proposal);
    loaded_.emplace(file, model);
    return *model;
}

const polycast_ibex_model_interface& model_library::ibex() {
    const std::scoped_lock guard(mutex_);
    if (ibex_ != nullptr) return *ibex_;
    const model_recipe recipe = ibex_recipe();
    const auto* model =
        static_cast<const polycast_ibex_model_interface*>(load_model(options_, recipe, "polycast_ibex_model_entry"));
    if (model->version != POLYCAST_IBEX_MODEL_VERSION)
        throw hw::input_error(model_file(options_, recipe).string(), {}, "is no model library of this version",
                              rebuild_proposal);
    ibex_ = model;
    return *ibex_;
}

}  // namespace polycast::tlm
