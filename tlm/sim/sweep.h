// SPDX-License-Identifier: Apache-2.0
/// \file The runs of a sweep, for the command line that runs them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace polycast::tlm::sim {

/// {"keys": [{"path", "type", "unit"}], "runs": [{"name", "overrides", "values", "files", "scenario"}]}: `values` by
/// path, numbers in the unit of their key; `files` that the resolved `scenario` reads. Without a sweep, no runs.
/// `writer`: as for scenario::load_file(). \throws hw::input_error
nlohmann::ordered_json sweep_json(const std::string& file, const std::vector<std::string>& overrides,
                                  const std::string& writer);

}  // namespace polycast::tlm::sim
