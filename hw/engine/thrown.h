// SPDX-License-Identifier: Apache-2.0
/// \file An exception as bytes, so that another rank can throw it.
#pragma once

#include <exception>
#include <string>

namespace polycast::hw::engine {

std::string packed_exception(const std::exception_ptr& what);
[[noreturn]] void throw_packed(const std::string& bytes);

}  // namespace polycast::hw::engine
