// SPDX-License-Identifier: Apache-2.0
/// \file A results folder appears whole, or not at all, and takes the place of nothing but results.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/scenario/text_sink.h"

namespace polycast::tlm::sim {

/// A file descriptor that is closed with the object.
class descriptor {
public:
    descriptor() = default;
    explicit descriptor(int number) : number_(number) {}
    ~descriptor();
    descriptor(descriptor&& other) noexcept;
    descriptor& operator=(descriptor&& other) noexcept;
    int number() const { return number_; }
    bool open() const { return number_ >= 0; }
    /// \returns false with errno where closing fails: some file systems find out then that the disk is full
    bool close();

private:
    int number_ = -1;
};

/// A folder that is filled under a hidden name beside its own. The name is claimed by a lock from the beginning: a
/// second run with the same target is refused. The destructor removes the folder unless commit() was called; what a
/// killed run has left there is removed by the next one.
class results_folder {
public:
    /// \throws hw::input_error if another run writes to `target`, if `target` exists and is not a results folder or
    ///         holds files that are no results, or if nothing can be written beside it
    explicit results_folder(std::filesystem::path target);
    ~results_folder();
    results_folder(const results_folder&) = delete;
    results_folder& operator=(const results_folder&) = delete;

    /// Where to write now.
    const std::filesystem::path& path() const { return partial_; }

    /// Writes a file in it, `name` relative to it; makes folders as needed. \throws hw::input_error (a full disk)
    void write(const std::filesystem::path& name, std::string_view content) const;
    /// The same of what `fill` puts into it piece by piece.
    void write(const std::filesystem::path& name, const std::function<void(const text_sink&)>& fill) const;

    /// Paths of all files in it, relative to it and in order, with the mark's: the mark has to list them as "files".
    std::vector<std::string> files() const;

    /// Gives it its name; an existing results folder is replaced in one step. Where something else has taken the name
    /// since the beginning, nothing is removed, and the results get a name with a number.
    /// \throws hw::input_error that says where the results are
    void commit();

    /// What makes a folder a results folder: this file, with this program's name in it.
    static constexpr std::string_view mark = "run.json";
    static bool is_results_folder(const std::filesystem::path& folder);

private:
    void claim();
    [[noreturn]] void keep_elsewhere(const std::string& why);

    std::filesystem::path target_;
    std::filesystem::path partial_;
    descriptor claim_;     ///< of partial_, locked
    descriptor replaced_;  ///< of the results folder at target_, if there is one: a folder in its place is no results
    bool committed_ = false;
};

}  // namespace polycast::tlm::sim
