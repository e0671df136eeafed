// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/results/results_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

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

nlohmann::json mark_of(const fs::path& folder) {
    std::ifstream in(folder / results_folder::mark);
    return in ? nlohmann::json::parse(in, nullptr, false) : nlohmann::json();
}

/// Files below a folder, relative to it; links are not followed.
std::vector<std::string> files_below(const fs::path& folder) {
    std::vector<std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_symlink() || !entry.is_directory())
            files.push_back(entry.path().lexically_relative(folder).generic_string());
    std::ranges::sort(files);
    return files;
}

/// Files of a results folder that neither the simulator nor `scripts/polycast report` and `tables` have written.
std::vector<std::string> foreign_files(const fs::path& folder) {
    std::set<std::string> ours{std::string(results_folder::mark), "report.html"};
    const nlohmann::json mark = mark_of(folder);
    if (mark.contains("files") && mark["files"].is_array())
        for (const nlohmann::json& file : mark["files"]) {
            if (!file.is_string()) continue;
            const fs::path path = file.get<std::string>();
            ours.insert(path.generic_string());
            if (path.extension() == ".csv") ours.insert(fs::path(path).replace_extension("parquet").generic_string());
        }
    std::vector<std::string> foreign;
    std::ranges::copy_if(files_below(folder), std::back_inserter(foreign),
                         [&ours](const std::string& file) { return !ours.contains(file); });
    return foreign;
}

/// Whether the folder that was opened still has this name.
bool is_at(const descriptor& opened, const fs::path& folder) {
    struct stat held {};
    struct stat named {};
    return ::fstat(opened.number(), &held) == 0 && ::stat(folder.c_str(), &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

descriptor opened(const fs::path& folder) {
    return descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// Renames a folder to the first of "NAME.1", "NAME.2", ... that is free.
std::optional<fs::path> rename_beside(const fs::path& from, const fs::path& name) {
    for (int number = 1; number < 1000; ++number) {
        const fs::path free = name.string() + "." + std::to_string(number);
        if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, free.c_str(), RENAME_NOREPLACE) == 0) return free;
        if (errno != EEXIST) return std::nullopt;
    }
    return std::nullopt;
}

/// What came into the old results at the last moment is kept.
void remove_old(const fs::path& old, const fs::path& name) {
    std::error_code ignored;
    if (foreign_files(old).empty()) {
        fs::remove_all(old, ignored);
    } else {
        rename_beside(old, name);
    }
}

}  // namespace

descriptor::~descriptor() {
    if (open()) ::close(number_);
}

descriptor::descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

descriptor& descriptor::operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
}

bool descriptor::close() {
    return ::close(std::exchange(number_, -1)) == 0;
}

bool results_folder::is_results_folder(const fs::path& folder) {
    const nlohmann::json run = mark_of(folder);
    return run.is_object() && run.contains("program") && run["program"] == "polycast-sim";
}

results_folder::results_folder(fs::path target) : target_(fs::absolute(target).lexically_normal()) {
    if (!target_.has_filename()) target_ = target_.parent_path();
    std::error_code failed;
    fs::create_directories(target_.parent_path(), failed);
    if (failed) fail(target_.parent_path(), failed.value());
    partial_ = target_.parent_path() / ("." + target_.filename().string() + ".partial");
    claim();
    const fs::file_status there = fs::symlink_status(target_, failed);
    if (!fs::exists(there)) return;
    const auto refuse = [&](const std::string& why, const std::string& proposal) {
        fs::remove(partial_, failed);
        throw hw::input_error(target.string(), {}, why, proposal);
    };
    if (!fs::is_directory(there)) refuse("exists and is no folder", "choose another --out");
    if (fs::is_empty(target_, failed) && !failed) return;
    if (!is_results_folder(target_))
        refuse("exists and is no results folder of polycast-sim", "choose another --out, or remove it");
    if (const std::vector<std::string> foreign = foreign_files(target_); !foreign.empty())
        refuse("holds '" + foreign.front() + "'" +
                   (foreign.size() > 1 ? " and " + std::to_string(foreign.size() - 1) + " more files" : "") +
                   " that polycast-sim has not written and will not remove",
               "choose another --out, or move " + std::string(foreign.size() > 1 ? "them" : "it"));
    replaced_ = opened(target_);
}

void results_folder::claim() {
    do {
        if (::mkdir(partial_.c_str(), 0755) != 0 && errno != EEXIST) fail(target_.parent_path(), errno);
        claim_ = opened(partial_);
        if (claim_.open() && ::flock(claim_.number(), LOCK_EX | LOCK_NB) != 0)
            throw hw::input_error(target_.string(), {}, "another run writes its results there now",
                                  "choose another --out");
    } while (!claim_.open() || !is_at(claim_, partial_));  // the other run has ended at this very moment
    for (const fs::directory_entry& left : fs::directory_iterator(partial_)) fs::remove_all(left.path());
}

results_folder::~results_folder() {
    std::error_code ignored;
    if (!committed_) fs::remove_all(partial_, ignored);
}

void results_folder::write(const fs::path& name, std::string_view content) const {
    write(name, [content](const text_sink& put) { put(content); });
}

void results_folder::write(const fs::path& name, const std::function<void(const text_sink&)>& fill) const {
    const fs::path path = partial_ / name;
    const fs::path shown = target_ / name;
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    if (failed) fail(shown, failed.value());
    descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file.open()) fail(shown, errno);
    fill([&](std::string_view content) {
        while (!content.empty()) {
            const ssize_t written = ::write(file.number(), content.data(), content.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) fail(shown, errno);
            content.remove_prefix(static_cast<std::size_t>(written));
        }
    });
    if (::fsync(file.number()) != 0 && errno != EINVAL && errno != EROFS) fail(shown, errno);
    if (!file.close()) fail(shown, errno);
}

std::vector<std::string> results_folder::files() const {
    std::vector<std::string> files = files_below(partial_);
    if (!std::ranges::binary_search(files, mark))
        files.insert(std::ranges::upper_bound(files, mark), std::string(mark));
    return files;
}

void results_folder::keep_elsewhere(const std::string& why) {
    const std::optional<fs::path> kept = rename_beside(partial_, target_);
    if (!kept) fail(target_, errno);
    committed_ = true;
    throw hw::input_error(target_.string(), {}, why, "the results are in " + kept->string());
}

void results_folder::commit() {
    if (!replaced_.open()) {
        // Replaces nothing but an empty folder.
        if (::rename(partial_.c_str(), target_.c_str()) != 0) {
            if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)
                keep_elsewhere("has come into being while the run went on, and is not replaced");
            fail(target_, errno);
        }
        committed_ = true;
        return;
    }
    if (!is_at(replaced_, target_) || !is_results_folder(target_) || !foreign_files(target_).empty())
        keep_elsewhere("was changed while the run went on, and is not replaced");
    std::error_code failed;
    if (::renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
        committed_ = true;
        remove_old(partial_, target_);
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
    remove_old(old, target_);
}

}  // namespace polycast::tlm::sim
