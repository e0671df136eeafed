// SPDX-License-Identifier: Apache-2.0
/// \file A results folder appears whole, or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace polycast::tlm::sim {

/// A folder that is filled under a temporary name beside its own. The destructor removes it unless commit() was called.
class results_folder {
public:
    /// \throws hw::input_error if `target` exists and is not a results folder, or nothing can be written beside it
    explicit results_folder(std::filesystem::path target);
    ~results_folder();
    results_folder(const results_folder&) = delete;
    results_folder& operator=(const results_folder&) = delete;

    /// Where to write now.
    const std::filesystem::path& path() const { return partial_; }

    /// Writes a file in it, `name` relative to it; makes folders as needed. \throws hw::input_error (a full disk)
    void write(const std::filesystem::path& name, std::string_view content) const;

    /// Gives it its name; an existing results folder is replaced in one step. \throws hw::input_error
    void commit();

    /// What makes a folder a results folder: this file, with this program's name in it.
    static constexpr std::string_view mark = "run.json";
    static bool is_results_folder(const std::filesystem::path& folder);

private:
    std::filesystem::path target_;
    std::filesystem::path partial_;
    bool committed_ = false;
};

}  // namespace polycast::tlm::sim
