// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/model_library.h"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

#include "hw/input_error.h"
#include "tlm/verilated/build_tool.h"

namespace polycast::tlm {

model_library::model_library(model_options options) : options_(std::move(options)) {
    // The folders of the sources of each chip, beside the common ones.
    const std::map<std::string, std::vector<const char*>> chips = {
        {"switch", {"switch"}}, {"router", {"router"}},
        {"coding", {"coding"}}, {"broadcast_router", {"router", "broadcast"}},
        {"link_end", {"link"}}, {"vl_switch", {"switch", "router", "vl_switch"}},
    };
    for (const auto& [chip, folders] : chips) {
        content_hash hash;
        hash.add_folder(options_.rtl_dir / "common");
        for (const char* folder : folders) hash.add_folder(options_.rtl_dir / folder);
        if (!options_.own_rtl.empty()) hash.add_own_rtl(options_.own_rtl);
        hash.add_folder(options_.project_dir);
        // What chip_model.cpp takes from the repository around its project.
        const std::filesystem::path formats = options_.project_dir.parent_path().parent_path() / "hw" / "format";
        hash.add_file_if_there(formats / "packet_format.h");
        hash.add_file_if_there(options_.verilator_root / "include" / "verilated_config.h");
        hash.add(options_.optimize);
        hash.add(compiler_identity());
        if (!options_.inside_waves) hash.add("no waves inside");
        if (!options_.assertions) hash.add("no assertions");
        if (options_.coverage) hash.add_folder(options_.rtl_dir / "cover");
        sources_hash_[chip] = hash.text();
    }
}

namespace {

/// A user's top need not know of codes, doors, or a choice that nobody asks for.
void leave_out(std::string& parameters, std::initializer_list<const char*> names) {
    for (const char* const name : names) {
        const std::string unused = fmt::format(",{}=0", name);
        if (const std::size_t at = parameters.find(unused); at != std::string::npos)
            parameters.erase(at, unused.size());
    }
}

}  // namespace

model_library::chip_set model_library::set_of(const hw::chips::switch_params& params) {
    chip_set set = named_set(params, params.pin_shape());
    leave_out(set.parameters, {"ProtectBuffers", "ProtectRoutes", "ProtectCredits", "MaxSources"});
    return set;
}

model_library::chip_set model_library::set_of(const hw::chips::vl_switch_params& params) {
    chip_set set = named_set(params, params.pin_shape());
    leave_out(set.parameters, {"MaxSources"});
    return set;
}

model_library::chip_set model_library::set_of(const hw::chips::link_end_params& params) {
    chip_set set = named_set(params, params.pin_shape());
    leave_out(set.parameters, {"ProtectRings", "ProtectCounters"});
    return set;
}

model_library::chip_set model_library::set_of(const hw::chips::router_params& params) {
    chip_set set = named_set(params, params.pin_shape());
    leave_out(set.parameters, {"Adaptive", "ProtectBuffers", "ProtectRoutes", "ProtectCredits", "MaxSources"});
    return set;
}

model_library::chip_set model_library::set_of(const hw::chips::broadcast_params& params) {
    chip_set set = named_set(params, params.router.pin_shape());
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
    if (!options_.inside_waves) recipe.definitions.push_back(define("INSIDE_WAVES", "OFF"));
    if (!options_.assertions) {
        recipe.name += "_unchecked";
        recipe.definitions.push_back(define("ASSERTIONS", "OFF"));
    }
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
    hash.add(compiler_identity());
    const std::string root = options_.ibex_root.string();
    return {ibex_name,
            hash.text(),
            project,
            "ibex_model.so",
            {"-DPOLYCAST_IBEX_ROOT=" + root},
            ", POLYCAST_IBEX is \"" + root + "\""};
}

std::filesystem::path model_library::file_of_ibex() const {
    return model_file(options_, ibex_recipe());
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
