// SPDX-License-Identifier: Apache-2.0
/// \file `-s key.path=value`.
#pragma once

#include <string>
#include <vector>

#include "tlm/scenario/document.h"

namespace polycast::tlm::scenario {

struct override_option {
    std::string path;
    node value;
};

/// "key.path=value". \throws hw::input_error that names the option
override_option parse_override(const std::string& text);

/// Looks whether a key can lie as deep as the path goes. \throws hw::input_error at `place` of `origin`
void check_levels(const std::string& path, const std::string& origin, hw::text_position place = {});

/// Writes the value into the tree, and makes missing sections. Keys are not checked here.
/// \throws hw::input_error at `place` of `origin`
void put(node& root, const std::string& path, const node& value, const std::string& origin,
         hw::text_position place = {});

/// "workload.tree.degree" as "workload", "0", "degree": two paths of one key are the same, but for "*".
std::vector<std::string> plain_steps(const node& root, const std::string& path);

/// What stands there; of `*` in the first section. nullptr: nothing.
const node* node_at(const node& root, const std::vector<std::string>& steps);

}  // namespace polycast::tlm::scenario
