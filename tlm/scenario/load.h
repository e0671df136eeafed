// SPDX-License-Identifier: Apache-2.0
/// \file From a scenario file and `-s key.path=value` options to checked settings.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/scenario/document.h"
#include "tlm/scenario/input_files.h"
#include "tlm/scenario/scenario.h"

namespace polycast::tlm::scenario {

/// "workload[2]", or with a key in it "workload[2].degree": how messages write the places of workloads.
std::string workload_path(std::size_t index, std::string_view key = {});

/// A scenario as it will run.
struct loaded {
    settings values;
    node resolved;                ///< every key that has a meaning, defaults included; knows where each was given
    std::set<std::string> given;  ///< paths that were not left to the default, e.g. "workload[0].degree"
    std::string file;
    std::string folder;  ///< relative paths start here; empty: the current one
    std::shared_ptr<input_files> files = std::make_shared<input_files>();  ///< that it names; copies share them
    unsigned ranks = 1;  ///< processes that run it together: how the program was started, not a key

    /// Throws hw::input_error at the place of `path` ("workload[0].degree"), or of the nearest section around it that
    /// was given.
    [[noreturn]] void fail(const std::string& path, const std::string& message, const std::string& proposal = {}) const;

    /// The first of these paths that was given, else the last.
    std::string first_given(std::initializer_list<const char*> paths) const;

    /// `values.network.topology.path`, found from the current folder: a path in the file starts at the file, one on the
    /// command line at the current folder.
    std::string topology_path() const;

    /// The same for `values.network.own_rtl`; nothing where there is none.
    std::optional<std::string> own_rtl_path() const;

    /// The same for `values.network.partition`; nothing where there is none.
    std::optional<std::string> partition_path() const;
    /// The file of a program, and of a program or collective the one that says where ranks are; nothing: there is none.
    std::optional<std::string> program_path(std::size_t workload) const;
    /// All files of that program: of a Chakra trace one for each rank. \throws hw::input_error where one is missing
    std::vector<std::string> program_files(std::size_t workload) const;
    std::optional<std::string> groups_path(std::size_t workload) const;
    /// The table of `advise` for a collective.
    std::optional<std::string> advice_path(std::size_t workload) const;
    std::optional<std::string> placement_path(std::size_t workload) const;
    /// Of the files of `network.routing.KEY`, which are written as `names`.
    std::vector<std::string> table_paths(const std::string& key, const std::vector<std::string>& names) const;

    /// The same for `values.ni.firmware`; nothing where the firmware is built in.
    std::optional<std::string> firmware_path() const;

    /// The same for `values.rails.matrix`; nothing where an algorithm makes it.
    std::optional<std::string> rail_matrix_path() const;

    /// The resolved scenario as YAML; loading it again gives the same. `replaced`: values to write in place of those of
    /// some keys, such as "network.topology.path".
    std::string yaml(const std::map<std::string, std::string>& replaced = {}) const;
};

/// Reads and checks everything that can be checked without the network itself (make_instances() of tlm/sim does the
/// rest). \param overrides "key.path=value" each, the value in YAML; list entries by number, by name, or all:
/// "workload.0.degree=3",
///        "workload.tree.degree=3", "workload.*.degree=3". A new `kind` drops the file's keys that have no meaning with
///        it.
/// \param writer a command that has written the file, unless the user has: messages name it in place of the file and
///        its lines, and relative paths start at the current folder
/// \throws hw::input_error
loaded load_file(const std::string& path, const std::vector<std::string>& overrides = {},
                 const std::string& writer = {});

/// The same from memory; `file` names it in messages.
loaded load_text(const std::string& text, const std::string& file, const std::string& folder = {},
                 const std::vector<std::string>& overrides = {});

}  // namespace polycast::tlm::scenario
