// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/results/results_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "hw/input_error.h"

namespace polycast::tlm::sim {

namespace fs = std::filesystem;

namespace {

std::string reason(int error_number) {
    return std::generic_category().message(error_number);
}

[[noreturn]] void fail(const fs::path& path, int error_number) {
    throw hw::input_error(path.string(), {}, "cannot be written: " + reason(error_number));
}

/// Closes what it opened.
class descriptor {
public:
    explicit descriptor(int number) : number_(number) {}
    ~descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    int number() const { return number_; }
    /// Closing is where some file systems find out that the disk is full.
    int close() {
        const int closed = ::close(number_);
        number_ = -1;
        return closed;
    }

private:
    int number_;
};

}  // namespace

bool results_folder::is_results_folder(const fs::path& folder) {
    std::ifstream in(folder / mark);
    if (!in) return false;
    const nlohmann::json run = nlohmann::json::parse(in, nullptr, false);
    return run.is_object() && run.value("program", "") == "polycast-sim";
}

results_folder::results_folder(fs::path target) : target_(fs::absolute(target).lexically_normal()) {
    if (!target_.has_filename()) target_ = target_.parent_path();
    std::error_code failed;
    const fs::file_status there = fs::symlink_status(target_, failed);
    if (fs::exists(there)) {
        const bool empty = fs::is_directory(there) && fs::is_empty(target_, failed) && !failed;
        if (!fs::is_directory(there))
            throw hw::input_error(target.string(), {}, "exists and is no folder", "choose another --out");
        if (!empty && !is_results_folder(target_)) {
            throw hw::input_error(target.string(), {}, "exists and is no results folder of polycast-sim",
                                  "choose another --out, or remove it");
        }
    }
    fs::create_directories(target_.parent_path(), failed);
    if (failed) fail(target_.parent_path(), failed.value());
    std::string name = (target_.parent_path() / ("." + target_.filename().string() + ".XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) fail(target_.parent_path(), errno);
    partial_ = name;
    fs::permissions(partial_,
                    fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read |
                        fs::perms::others_exec,
                    failed);
}

results_folder::~results_folder() {
    std::error_code ignored;
    if (!committed_) fs::remove_all(partial_, ignored);
}

void results_folder::write(const fs::path& name, std::string_view content) const {
    const fs::path path = partial_ / name;
    const fs::path shown = target_ / name;
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    if (failed) fail(shown, failed.value());
    descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.number() < 0) fail(shown, errno);
    while (!content.empty()) {
        const ssize_t written = ::write(file.number(), content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail(shown, errno);
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fsync(file.number()) != 0 && errno != EINVAL && errno != EROFS) fail(shown, errno);
    if (file.close() != 0) fail(shown, errno);
}

void results_folder::commit() {
    std::error_code failed;
    if (!fs::exists(target_, failed)) {
        fs::rename(partial_, target_, failed);
        if (failed) fail(target_, failed.value());
        committed_ = true;
        return;
    }
    if (::renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
        committed_ = true;
        fs::remove_all(partial_, failed);
        return;
    }
    // File systems without the exchange: the old folder keeps a name of its own until the new one is in place.
    const fs::path old = partial_.string() + ".old";
    fs::rename(target_, old, failed);
    if (!failed) fs::rename(partial_, target_, failed);
    if (failed) {
        const int error_number = failed.value();
        if (!fs::exists(target_)) fs::rename(old, target_, failed);
        fail(target_, error_number);
    }
    committed_ = true;
    fs::remove_all(old, failed);
}

}  // namespace polycast::tlm::sim
