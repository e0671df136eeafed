// SPDX-License-Identifier: Apache-2.0
/// \file Names for people where a file tells nodes apart by something else.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace polycast::hw::topology {

/// Makes names unique: first count all, then take each.
class name_pool {
public:
    void count(const std::string& name) { ++counts_[name]; }

    /// \returns `name`, with `id` behind it where others have the same name
    std::string take(const std::string& name, const std::string& id) {
        std::string unique = counts_[name] > 1 ? name + " (" + id + ")" : name;
        while ((unique != name && counts_.contains(unique)) || !taken_.insert(unique).second) unique += "'";
        return unique;
    }

private:
    std::unordered_map<std::string, unsigned> counts_;
    std::unordered_set<std::string> taken_;
};

}  // namespace polycast::hw::topology
