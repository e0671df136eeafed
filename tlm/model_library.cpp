// SPDX-License-Identifier: Apache-2.0
#include "tlm/model_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
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

namespace polycast::tlm {

namespace {

namespace fs = std::filesystem;

std::string environment_or(const char* name, const char* otherwise) {
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

/// FNV-1a with 64 bits: the hash only has to tell versions of a few files apart.
class content_hash {
public:
    void add(const std::string& text) {
        for (const char character : text) {
            value_ ^= static_cast<unsigned char>(character);
            value_ *= 0x100000001b3u;
        }
        value_ ^= text.size();
        value_ *= 0x100000001b3u;
    }
    std::string text() const { return fmt::format("{:016x}", value_); }

private:
    std::uint64_t value_ = 0xcbf29ce484222325u;
};

/// Names and contents of the files of a folder, sorted by name.
void add_folder(content_hash& hash, const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    if (error)
        throw hw::input_error(folder.string(), {}, error.message(),
                              "is POLYCAST_RTL set to the folder of the RTL sources?");
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        hash.add(file.filename().string());
        hash.add(read_file(file));
    }
}

/// Held by whoever builds one model; released with the object, or by the kernel when the process dies.
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

/// Runs a program with its output in `log`. \returns true when it ended with status 0.
bool run(const std::vector<std::string>& arguments, const fs::path& log) {
    std::vector<char*> argv;
    std::vector<std::string> copy = arguments;
    std::transform(copy.begin(), copy.end(), std::back_inserter(argv), [](std::string& text) { return text.data(); });
    argv.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t child = 0;
    const int failed = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return false;
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return false;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// A folder that disappears with the object.
class scratch_folder {
public:
    explicit scratch_folder(fs::path path) : path_(std::move(path)) {
        fs::remove_all(path_);
        fs::create_directories(path_);
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

}  // namespace

model_options model_options::defaults() {
    model_options options;
    options.cache_dir = environment_or("POLYCAST_MODEL_CACHE", POLYCAST_DEFAULT_MODEL_CACHE);
    options.rtl_dir = environment_or("POLYCAST_RTL", POLYCAST_DEFAULT_RTL);
    options.project_dir = options.rtl_dir / "model";
    options.verilator_root = environment_or("VERILATOR_ROOT", POLYCAST_DEFAULT_VERILATOR_ROOT);
    return options;
}

std::string model_name(const hw::chips::switch_params& params) {
    return fmt::format("switch_p{}_f{}_c{}x{}_h{}_r{}_x{}_{}", params.ports, params.flit_bytes, params.chunks,
                       params.chunk_flits, params.max_hosts, params.read_ports, params.xbar_stages,
                       params.header_free ? "free" : "inline");
}

hw::chips::switch_params params_of_model(const std::string& name) {
    hw::chips::switch_params params;
    for (const bool header_free : {false, true}) {
        params.header_free = header_free;
        const int count = std::sscanf(name.c_str(), "switch_p%u_f%u_c%ux%u_h%u_r%u_x%u_", &params.ports,
                                      &params.flit_bytes, &params.chunks, &params.chunk_flits, &params.max_hosts,
                                      &params.read_ports, &params.xbar_stages);
        if (count == 7 && model_name(params) == name) return params;
    }
    throw hw::input_error("\"" + name + "\" is no name of a model", "for example switch_p8_f1_c80x8_h32_r8_x0_inline");
}

model_library::model_library(model_options options) : options_(std::move(options)) {
    content_hash hash;
    add_folder(hash, options_.rtl_dir / "common");
    add_folder(hash, options_.rtl_dir / "switch");
    add_folder(hash, options_.project_dir);
    const fs::path version = options_.verilator_root / "include" / "verilated_config.h";
    hash.add(fs::exists(version) ? read_file(version) : std::string());
    hash.add(options_.optimize);
    sources_hash_ = hash.text();
}

std::filesystem::path model_library::file_of(const hw::chips::switch_params& params) const {
    return options_.cache_dir / (model_name(params) + "-" + sources_hash_ + ".so");
}

const polycast_switch_model_interface& model_library::get(const hw::chips::switch_params& params) {
    const std::scoped_lock guard(mutex_);
    const fs::path file = file_of(params);
    if (const auto found = loaded_.find(file); found != loaded_.end()) return *found->second;
    if (!fs::exists(file)) build(params, file);

    const std::string proposal = "remove the file, it is built anew then";
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        throw hw::input_error(file.string(), {}, fmt::format("cannot be loaded: {}", ::dlerror()), proposal);
    using entry_point = const polycast_switch_model_interface* (*)();
    const auto entry = reinterpret_cast<entry_point>(::dlsym(library, "polycast_switch_model_entry"));
    const polycast_switch_model_interface* model = entry == nullptr ? nullptr : entry();
    if (model == nullptr || model->version != POLYCAST_SWITCH_MODEL_VERSION) {
        throw hw::input_error(file.string(), {}, "is no model library of this version", proposal);
    }
    const polycast_switch_model_parameters& built = model->parameters;
    if (built.ports != params.ports || built.flit_bytes != params.flit_bytes ||
        built.chunk_flits != params.chunk_flits || built.chunks != params.chunks ||
        built.max_hosts != params.max_hosts || (built.header_free != 0) != params.header_free ||
        built.read_ports != params.read_ports || built.xbar_stages != params.xbar_stages) {
        throw hw::input_error(file.string(), {}, "was built for other parameters", proposal);
    }
    loaded_.emplace(file, model);
    return *model;
}

void model_library::build(const hw::chips::switch_params& params, const fs::path& file) const {
    const std::string name = model_name(params);
    std::error_code error;
    fs::create_directories(options_.cache_dir, error);
    if (error) {
        throw hw::input_error(options_.cache_dir.string(), {}, "cannot be made: " + error.message(),
                              "set POLYCAST_MODEL_CACHE to a folder that can be written");
    }
    const file_lock lock(fs::path(file).replace_extension(".lock"));
    if (fs::exists(file)) return;  // another process was faster

    const auto started = std::chrono::steady_clock::now();
    options_.on_message("building the RTL model " + name);
    const fs::path log = fs::path(file).replace_extension(".log");
    fs::remove(log);
    const scratch_folder scratch(
        fs::path(file).replace_extension(".tmp"));  // the lock makes it ours; an interrupted build may have left one
    const auto define = [](const char* key, const auto& value) { return fmt::format("-DPOLYCAST_{}={}", key, value); };
    const bool built = run({"cmake", "-S", options_.project_dir.string(), "-B", scratch.path().string(), "-G", "Ninja",
                            define("PORTS", params.ports), define("FLIT_BYTES", params.flit_bytes),
                            define("CHUNK_FLITS", params.chunk_flits), define("CHUNKS", params.chunks),
                            define("MAX_HOSTS", params.max_hosts), define("HEADER_FREE", params.header_free ? 1 : 0),
                            define("READ_PORTS", params.read_ports), define("XBAR_STAGES", params.xbar_stages),
                            define("RTL_DIR", options_.rtl_dir.string()), define("OPTIMIZE", options_.optimize),
                            "-DVERILATOR_ROOT=" + options_.verilator_root.string()},
                           log) &&
                       run({"cmake", "--build", scratch.path().string()}, log);
    if (!built) {
        throw hw::input_error(
            "the RTL model " + name + " cannot be built",
            "see " + log.string() + "; VERILATOR_ROOT is \"" + options_.verilator_root.string() + "\"");
    }
    fs::rename(scratch.path() / "switch_model.so", file, error);
    if (error) throw hw::input_error(file.string(), {}, "cannot be written: " + error.message(), "is the disk full?");
    fs::remove(log);
    options_.on_message(fmt::format("built the RTL model {} in {:.0f} s", name,
                                    std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count()));
}

}  // namespace polycast::tlm
