// SPDX-License-Identifier: Apache-2.0
/// \file The runs that a scenario with `sweep`, or with `-s key=[...]`, stands for.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tlm/scenario/load.h"
#include "tlm/scenario/sweep_axes.h"

namespace polycast::tlm::scenario {

/// One combination of values.
struct sweep_run {
    std::string name;                    ///< "degree=3,seed=1": goes into file names
    std::vector<std::string> overrides;  ///< all that it takes, from the current folder, to run this one alone
    std::vector<std::pair<std::string, node>> values;  ///< by path, as written
    loaded scenario;
};

/// A key that runs differ in.
struct swept_key {
    std::string path;
    const key* what = nullptr;  ///< null for an entry of a list of sections
};

/// Checks every run and hands it to `use`, the last key's values changing fastest; nothing is handed over where the
/// scenario does not sweep. `writer`: as for load_file(). \returns the keys \throws hw::input_error; where only some
/// runs are bad, it names the first
std::vector<swept_key> for_each_run(const std::string& path, const std::vector<std::string>& overrides,
                                    const std::function<void(const sweep_run&)>& use, const std::string& writer = {});

/// The same from memory, see load_text().
std::vector<swept_key> for_each_run(const std::string& text, const std::string& file, const std::string& folder,
                                    const std::vector<std::string>& overrides,
                                    const std::function<void(const sweep_run&)>& use);

}  // namespace polycast::tlm::scenario
