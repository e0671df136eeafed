// SPDX-License-Identifier: Apache-2.0
/// \file The steps from a scenario file to checked settings, for loaders of one and of many.
#pragma once

#include <string>

#include "tlm/scenario/load.h"

namespace polycast::tlm::scenario {

/// The text of a scenario file. \throws hw::input_error where it cannot be read, or where it is too long
std::string read_text(const std::string& path);

/// The folder that relative paths of the file start at.
std::string folder_of(const std::string& path);

/// The text as a map of keys, which know their places unless `positions` is false. \throws hw::input_error
node read_tree(const std::string& text, const std::string& file, bool positions = true);

/// The same of a file that the user has written, or else `writer`: see load_file().
node read_tree_of(const std::string& path, const std::string& writer);

/// The tree, overrides applied, as checked settings. \throws hw::input_error
loaded load_tree(node root, const std::string& file, const std::string& folder);

}  // namespace polycast::tlm::scenario
