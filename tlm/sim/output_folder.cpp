// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/output_folder.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "hw/input_error.h"

namespace polycast::tlm::sim {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& where, int number) {
    throw hw::input_error(where.string(), {}, "cannot write: " + std::generic_category().message(number),
                          "choose another folder");
}

}  // namespace

output_folder::output_folder(const std::string& target) {
    std::error_code ignored;
    target_ = fs::absolute(target).lexically_normal();
    if (!target_.has_filename()) target_ = target_.parent_path();
    if (fs::exists(target_, ignored) && !(fs::is_directory(target_, ignored) && fs::is_empty(target_, ignored)))
        throw hw::input_error(target, {}, "exists and is no empty folder", "choose another one, or remove it");
    fs::create_directories(target_.parent_path(), ignored);
    std::string name = (target_.parent_path() / ("." + target_.filename().string() + ".XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) fail(target_, errno);
    partial_ = name;
    // mkdtemp makes folders for their owner only.
    const ::mode_t mask = ::umask(0);
    ::umask(mask);
    ::chmod(partial_.c_str(), 0777 & ~mask);
}

output_folder::~output_folder() {
    std::error_code ignored;
    if (!committed_) fs::remove_all(partial_, ignored);
}

void output_folder::copy(const fs::path& file) const {
    fs::path to = partial_ / file.filename();
    for (unsigned number = 2; fs::exists(to); ++number)
        to = partial_ / (std::to_string(number) + "-" + file.filename().string());
    std::error_code error;
    fs::copy_file(file, to, error);
    if (error) fail(to, error.value());
}

void output_folder::commit() {
    if (::rename(partial_.c_str(), target_.c_str()) != 0) fail(target_, errno);
    committed_ = true;
}

}  // namespace polycast::tlm::sim
