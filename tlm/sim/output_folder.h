// SPDX-License-Identifier: Apache-2.0
/// \file A folder of files that appears whole or not at all, and takes the place of nothing.
#pragma once

#include <filesystem>
#include <string>

namespace polycast::tlm::sim {

/// A folder that is filled under a hidden name beside its own. The destructor removes it unless commit() was called.
class output_folder {
public:
    /// \throws hw::input_error where `target` exists and is no empty folder, or nothing can be written beside it
    explicit output_folder(const std::string& target);
    ~output_folder();
    output_folder(const output_folder&) = delete;
    output_folder& operator=(const output_folder&) = delete;

    /// Where a file is written now.
    std::filesystem::path operator/(const std::string& name) const { return partial_ / name; }

    /// Copies a file into it. \throws hw::input_error
    void copy(const std::filesystem::path& file) const;

    /// Gives it its name. \throws hw::input_error
    void commit();

private:
    std::filesystem::path target_, partial_;
    bool committed_ = false;
};

}  // namespace polycast::tlm::sim
