// SPDX-License-Identifier: Apache-2.0
#include "tlm/model_library.h"

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
    throw hw::input_error("\"" + name + "\" is no name of a model",
                          "for example switch_p8_f1_c80x8_h32_r8_x0_s32_l8x8_inline");
}

model_library::model_library(model_options options) : options_(std::move(options)) {
    content_hash hash;
    hash.add_folder(options_.rtl_dir / "common");
    hash.add_folder(options_.rtl_dir / "switch");
    hash.add_folder(options_.project_dir);
    // What switch_model.cpp takes from the repository around its project.
    const std::filesystem::path formats = options_.project_dir.parent_path().parent_path() / "hw" / "format";
    for (const char* file : {"header.h", "packet_format.h"}) hash.add_file_if_there(formats / file);
    hash.add_file_if_there(options_.verilator_root / "include" / "verilated_config.h");
    hash.add(options_.optimize);
    sources_hash_ = hash.text();
}

model_recipe model_library::recipe_of(const hw::chips::switch_params& params) const {
    const auto define = [](const char* key, const auto& value) { return fmt::format("-DPOLYCAST_{}={}", key, value); };
    return {model_name(params),
            sources_hash_,
            options_.project_dir,
            "switch_model.so",
            {define("PORTS", params.ports), define("FLIT_BYTES", params.flit_bytes),
             define("CHUNK_FLITS", params.chunk_flits), define("CHUNKS", params.chunks),
             define("MAX_HOSTS", params.max_hosts), define("HEADER_FREE", params.header_free ? 1 : 0),
             define("READ_PORTS", params.read_ports), define("XBAR_STAGES", params.xbar_stages),
             define("MAX_SWITCHES", params.max_switches), define("HEADER_PORTS", params.header_ports),
             define("HEADER_STOPS", params.header_stops)},
            {}};
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
    return model_file(options_, recipe_of(params));
}

std::filesystem::path model_library::file_of_ibex() const {
    return model_file(options_, ibex_recipe());
}

const polycast_switch_model_interface& model_library::get(const hw::chips::switch_params& params) {
    const std::scoped_lock guard(mutex_);
    const model_recipe recipe = recipe_of(params);
    const std::filesystem::path file = model_file(options_, recipe);
    if (const auto found = loaded_.find(file); found != loaded_.end()) return *found->second;
    const auto* model = static_cast<const polycast_switch_model_interface*>(
        load_model(options_, recipe, "polycast_switch_model_entry"));
    if (model->version != POLYCAST_SWITCH_MODEL_VERSION)
        throw hw::input_error(file.string(), {}, "is no model library of this version", rebuild_proposal);
    const polycast_switch_model_parameters& built = model->parameters;
    if (built.ports != params.ports || built.flit_bytes != params.flit_bytes ||
        built.chunk_flits != params.chunk_flits || built.chunks != params.chunks ||
        built.max_hosts != params.max_hosts || (built.header_free != 0) != params.header_free ||
        built.read_ports != params.read_ports || built.xbar_stages != params.xbar_stages ||
        built.max_switches != params.max_switches || built.header_ports != params.header_ports ||
        built.header_stops != params.header_stops) {
        throw hw::input_error(file.string(), {}, "was built for other parameters", rebuild_proposal);
    }
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
