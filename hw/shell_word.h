// SPDX-License-Identifier: Apache-2.0
/// \file Commands that people can paste into a shell.
#pragma once

#include <string>

namespace polycast::hw {

/// An argument as a POSIX shell has to be told it: quoted where it needs to be.
std::string shell_word(const std::string& argument);

}  // namespace polycast::hw
