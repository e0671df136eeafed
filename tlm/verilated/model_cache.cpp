// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/model_cache.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "hw/input_error.h"
#include "tlm/verilated/build_tool.h"

namespace polycast::tlm {

namespace {

namespace fs = std::filesystem;

std::string environment_or(const char* name, const std::string& otherwise) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : otherwise;
}

std::string read_file(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in)
        throw hw::input_error(file.string(), {}, "cannot be read",
                              "is POLYCAST_RTL set to the folder of the RTL sources?");
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Held by the process that builds one model; released with the object, or by the kernel when the process dies.
class file_lock {
public:
    explicit file_lock(const fs::path& file) : descriptor_(::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
        int status = -1;
        if (descriptor_ >= 0) {
            do status = ::flock(descriptor_, LOCK_EX);
            while (status != 0 && errno == EINTR);
        }
        if (status != 0) {
            const std::string reason = std::strerror(errno);
            if (descriptor_ >= 0) ::close(descriptor_);
            throw hw::input_error(file.string(), {}, "cannot be locked: " + reason,
                                  "set POLYCAST_MODEL_CACHE to a folder that can be written");
        }
    }
    ~file_lock() { ::close(descriptor_); }
    file_lock(const file_lock&) = delete;
    file_lock& operator=(const file_lock&) = delete;

private:
    int descriptor_;
};

constexpr std::string_view scratch_mark = ".building-";

/// A folder of its own for one build, which disappears with the object. An interrupted build leaves it, and its
/// compilers may go on for a moment: nobody else writes to it.
class scratch_folder {
public:
    explicit scratch_folder(const fs::path& file) {
        std::string name = file.string() + std::string(scratch_mark) + "XXXXXX";
        if (::mkdtemp(name.data()) == nullptr)
            throw hw::input_error(file.string(), {}, std::string("cannot be built here: ") + std::strerror(errno),
                                  "set POLYCAST_MODEL_CACHE to a folder that can be written");
        path_ = name;
    }
    ~scratch_folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

void build(const model_options& options, const model_recipe& recipe, const fs::path& file) {
    std::error_code error;
    fs::create_directories(options.cache_dir, error);
    if (error) {
        throw hw::input_error(options.cache_dir.string(), {}, "cannot be made: " + error.message(),
                              "set POLYCAST_MODEL_CACHE to a folder that can be written");
    }
    const file_lock lock(fs::path(file).replace_extension(".lock"));
    if (fs::exists(file)) return;  // another process was faster

    const auto started = std::chrono::steady_clock::now();
    options.on_message("building the RTL model " + recipe.name);
    const fs::path log = fs::path(file).replace_extension(".log");
    fs::remove(log);
    const scratch_folder scratch(file);
    std::vector<std::string> configure = {"cmake",
                                          "-S",
                                          recipe.project_dir.string(),
                                          "-B",
                                          scratch.path().string(),
                                          "-G",
                                          "Ninja",
                                          "-DPOLYCAST_RTL_DIR=" + options.rtl_dir.string(),
                                          "-DPOLYCAST_OPTIMIZE=" + options.optimize,
                                          "-DVERILATOR_ROOT=" + options.verilator_root.string()};
    configure.insert(configure.end(), recipe.definitions.begin(), recipe.definitions.end());
    const bool built = run_build_tool(configure, log) && run_build_tool({"ninja", "-C", scratch.path().string()}, log);
    if (!built) {
        throw hw::input_error(
            "the RTL model " + recipe.name + " cannot be built",
            "see " + log.string() + "; VERILATOR_ROOT is \"" + options.verilator_root.string() + "\"" + recipe.hint);
    }
    fs::rename(scratch.path() / recipe.library, file, error);
    if (error) throw hw::input_error(file.string(), {}, "cannot be written: " + error.message(), "is the disk full?");
    fs::remove(log);
    prune_cache(options);
    options.on_message(fmt::format("built the RTL model {} in {:.0f} s", recipe.name,
                                   std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count()));
}

}  // namespace

void content_hash::add(const std::string& text) {
    for (const char character : text) {
        value_ ^= static_cast<unsigned char>(character);
        value_ *= 0x100000001b3u;
    }
    value_ ^= text.size();
    value_ *= 0x100000001b3u;
}

void content_hash::add_file(const fs::path& file) {
    add(read_file(file));
}

void content_hash::add_file_if_there(const fs::path& file) {
    add(fs::exists(file) ? read_file(file) : std::string());
}

void content_hash::add_folder(const fs::path& folder) {
    const auto is_source = [](const fs::path& file) {
        const std::string name = file.filename().string();
        const std::string ending = file.extension().string();
        return name.front() != '.' && name.back() != '~' && ending != ".md" && ending != ".yaml";
    };
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.is_regular_file() && is_source(entry.path())) files.push_back(entry.path());
    }
    if (error)
        throw hw::input_error(folder.string(), {}, error.message(),
                              "is POLYCAST_RTL set to the folder of the RTL sources?");
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        add(file.filename().string());
        add_file(file);
    }
}

void content_hash::add_own_rtl(const fs::path& folder) {
    const auto has_sources = [](const fs::directory_entry& inside) {
        std::error_code failed;
        const fs::directory_iterator files(inside.path(), failed);
        return std::any_of(begin(files), end(files), [](const fs::directory_entry& file) {
            return file.path().extension() == ".sv" || file.path().extension() == ".v";
        });
    };
    add_folder(folder);
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.is_directory() && has_sources(entry)) folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    for (const fs::path& each : folders) add_folder(each);
}

std::string content_hash::text() const {
    return fmt::format("{:016x}", value_);
}

model_options model_options::defaults() {
    model_options options;
    options.cache_dir = environment_or("POLYCAST_MODEL_CACHE", POLYCAST_DEFAULT_MODEL_CACHE);
    options.rtl_dir = environment_or("POLYCAST_RTL", POLYCAST_DEFAULT_RTL);
    options.project_dir = options.rtl_dir / "model";
    options.verilator_root = environment_or("VERILATOR_ROOT", POLYCAST_DEFAULT_VERILATOR_ROOT);
    options.coverage = POLYCAST_DEFAULT_COVERAGE != 0;
    options.ibex_root =
        environment_or("POLYCAST_IBEX", (options.verilator_root.parent_path() / "pythondata_cpu_ibex").string());
    return options;
}

void prune_cache(const model_options& options) {
    struct kept_file {
        fs::path path;
        std::uintmax_t bytes;
        fs::file_time_type used;
    };
    constexpr std::chrono::hours a_day(24);
    const fs::file_time_type now = fs::file_time_type::clock::now();
    std::error_code ignored;
    std::vector<kept_file> models;
    std::uintmax_t bytes = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(options.cache_dir, ignored)) {
        const fs::file_time_type used = entry.last_write_time(ignored);
        const bool recent = now - used < a_day;
        const bool left = entry.path().filename().string().find(scratch_mark) != std::string::npos;
        if (left && !recent) fs::remove_all(entry.path(), ignored);
        if (left || entry.path().extension() != ".so") continue;
        bytes += entry.file_size(ignored);
        if (!recent) models.push_back({entry.path(), entry.file_size(ignored), used});
    }
    std::ranges::sort(models, {}, &kept_file::used);
    for (const kept_file& oldest : models) {
        if (bytes <= options.cache_limit && now - oldest.used < options.cache_age) break;
        if (fs::remove(oldest.path, ignored)) bytes -= oldest.bytes;
        fs::remove(fs::path(oldest.path).replace_extension(".lock"), ignored);
    }
}

fs::path model_file(const model_options& options, const model_recipe& recipe) {
    return options.cache_dir / (recipe.name + "-" + recipe.hash + ".so");
}

const void* load_model(const model_options& options, const model_recipe& recipe, const char* entry) {
    const fs::path file = model_file(options, recipe);
    if (!fs::exists(file)) build(options, recipe, file);
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        throw hw::input_error(file.string(), {}, fmt::format("cannot be loaded: {}", ::dlerror()), rebuild_proposal);
    std::error_code read_only;
    fs::last_write_time(file, fs::file_time_type::clock::now(), read_only);
    using entry_point = const void* (*)();
    const auto function = reinterpret_cast<entry_point>(::dlsym(library, entry));
    const void* model = function == nullptr ? nullptr : function();
    if (model == nullptr)
        throw hw::input_error(file.string(), {}, "is no model library of this version", rebuild_proposal);
    return model;
}

}  // namespace polycast::tlm
