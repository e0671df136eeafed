// SPDX-License-Identifier: Apache-2.0
/// \file Verilated models of the switch: found in a cache, built where they are missing, loaded once per process.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "hw/chips/switch_config.h"
#include "rtl/model/switch_model.h"

namespace polycast::tlm {

/// Where models come from.
struct model_options {
    std::filesystem::path cache_dir;       ///< folder of the built models; made when it is missing
    std::filesystem::path rtl_dir;         ///< folder of the SystemVerilog sources
    std::filesystem::path project_dir;     ///< folder of the CMake project that builds a model (`rtl/model`)
    std::filesystem::path verilator_root;  ///< folder of Verilator's bin/ and include/; only needed to build
    std::string optimize = "-O3";          ///< for the C++ compiler; less builds faster
    std::function<void(const std::string&)> on_message = [](const std::string&) {};  ///< told before and after a build

    /// What this program was built with; the environment variables POLYCAST_MODEL_CACHE, POLYCAST_RTL and
    /// VERILATOR_ROOT go first.
    static model_options defaults();
};

/// A readable name of a parameter set: switch_p8_f1_c80x8_h32_r8_x0_inline (or _free).
std::string model_name(const hw::chips::switch_params& params);

/// The parameter set of such a name. \throws hw::input_error if it is none
hw::chips::switch_params params_of_model(const std::string& name);

/// The models of a process. May be used from several threads, and several processes may share a cache: each model is
/// built by one of them, and it appears in the cache whole.
class model_library {
public:
    explicit model_library(model_options options = model_options::defaults());

    /// The model of a parameter set, built if it is not in the cache. Valid to the end of the process.
    /// \throws hw::input_error where it cannot be built or loaded: there is no substitute for it.
    const polycast_switch_model_interface& get(const hw::chips::switch_params& params);

    /// File of the model of a parameter set, whether it is there or not. Its name holds a hash of everything the model
    /// is made of: RTL sources, the project that builds it, version of Verilator, compiler options.
    std::filesystem::path file_of(const hw::chips::switch_params& params) const;

    const model_options& options() const { return options_; }

private:
    void build(const hw::chips::switch_params& params, const std::filesystem::path& file) const;

    model_options options_;
    std::string sources_hash_;
    std::mutex mutex_;
    std::map<std::filesystem::path, const polycast_switch_model_interface*> loaded_;
};

}  // namespace polycast::tlm
