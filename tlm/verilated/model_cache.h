// SPDX-License-Identifier: Apache-2.0
/// \file Verilated models as shared libraries in a folder: named by a hash of their sources and the compiler, built by
/// a CMake project if they are missing, removed when nobody has used them for long.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace polycast::tlm {

/// Where models come from.
struct model_options {
    std::filesystem::path cache_dir;       ///< folder of the built models; made when it is missing
    std::filesystem::path rtl_dir;         ///< folder of the SystemVerilog sources
    std::filesystem::path project_dir;     ///< folder of the CMake project that builds a chip (`rtl/model`)
    std::filesystem::path own_rtl;         ///< sources that replace ours, rtl/own.md; empty: none
    std::filesystem::path verilator_root;  ///< folder of Verilator's bin/ and include/; only needed to build
    std::filesystem::path ibex_root;       ///< folder of the Python package pythondata-cpu-ibex; only needed to build
    std::string optimize = "-O3";          ///< for the C++ compiler; less builds faster
    std::uintmax_t cache_limit = std::uintmax_t{4} << 30;        ///< bytes that the cache is cut back to after a build
    std::chrono::hours cache_age = std::chrono::hours(24 * 90);  ///< models unused for so long are removed then
    bool inside_waves = true;  ///< models of chips can write waves of all signals inside: a third more to compile
    bool assertions = true;    ///< models of chips check the assertions of their RTL
    bool coverage = false;     ///< models of chips count lines, toggles and cover points; 5 times slower
    std::function<void(const std::string&)> on_message = [](const std::string&) {
    };  ///< called before and after a build

    /// The values that this program was built with, unless the environment variables POLYCAST_MODEL_CACHE,
    /// POLYCAST_RTL, VERILATOR_ROOT and POLYCAST_IBEX override them. Without the last, Ibex is searched for beside
    /// Verilator. Coverage is that of the build.
    static model_options defaults();
};

/// FNV-1a with 64 bits: the hash only needs to distinguish versions of a few files.
class content_hash {
public:
    void add(const std::string& text);
    /// Contents of a file. \throws hw::input_error if it cannot be read
    void add_file(const std::filesystem::path& file);
    /// The same; nothing if there is no file.
    void add_file_if_there(const std::filesystem::path& file);
    /// Names and contents of the files of a folder, sorted by name, without pages, test plans and what editors leave.
    /// \throws hw::input_error if there is none
    void add_folder(const std::filesystem::path& folder);
    /// The same of a folder with a user's sources, and of the folders in it that have some.
    void add_own_rtl(const std::filesystem::path& folder);
    std::string text() const;

private:
    std::uint64_t value_ = 0xcbf29ce484222325u;
};

/// One model: its name, and how it is built.
struct model_recipe {
    std::string name;                      ///< readable, part of the file name
    std::string hash;                      ///< of everything it is made of
    std::filesystem::path project_dir;     ///< folder of the CMake project
    std::string library;                   ///< file that the project makes in its build folder
    std::vector<std::string> definitions;  ///< arguments of CMake beside those that every model has
    std::string hint;                      ///< further text for the message about a failed build
};

/// File of a model, whether it exists or not.
std::filesystem::path model_file(const model_options& options, const model_recipe& recipe);

/// What the function `entry` of a model's library returns. The library is built if it does not exist, by one process if
/// several need it, and stays loaded to the end of the process.
/// \throws hw::input_error if it cannot be built or loaded
const void* load_model(const model_options& options, const model_recipe& recipe, const char* entry);

/// Removes from the cache what interrupted builds have left, models older than `cache_age`, and the oldest ones until
/// the rest has at most `cache_limit` bytes. A model's age is the time since it was last loaded; models of the last day
/// stay.
void prune_cache(const model_options& options);

/// The suggestion in messages about an invalid library.
inline constexpr const char* rebuild_proposal = "remove the file, it is built anew then";

}  // namespace polycast::tlm
