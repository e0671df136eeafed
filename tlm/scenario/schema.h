// SPDX-License-Identifier: Apache-2.0
/// \file The table of keys for editors (JSON Schema) and for readers (Markdown).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace polycast::tlm::scenario {

/// JSON Schema, draft 2020-12, of scenario files. It accepts all that the loader accepts; what depends on several keys
/// or on the network only the loader checks.
nlohmann::ordered_json json_schema();

/// A reference page: every key with type, default, range, meaning and source.
std::string markdown_reference();

}  // namespace polycast::tlm::scenario
