// SPDX-License-Identifier: Apache-2.0
/// \file Whether this process is one of several that mpirun or srun has started, and what connects them. The part that
/// speaks MPI is a library of its own, loaded when it is needed, so that the program starts where there is no MPI.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "hw/engine/ranks.h"

namespace polycast::tlm::ranks {

/// The others of this process; null where it was started alone. \throws hw::input_error if there are others but no MPI
std::shared_ptr<hw::engine::rank_group> started_ranks();

/// Whether this process is the first of those that were started together, or alone: as far as its launcher tells
/// before MPI is loaded.
bool started_first();

/// How many of all there are on this machine, 1 or more.
unsigned ranks_of_machine();

/// Whether all ranks say the same. \param what of this rank \param meant what they say, for the message
/// \throws hw::input_error on all ranks if one says something else than the first
void require_same(hw::engine::rank_group& ranks, const std::string& what, const std::string& meant);

/// Bytes that stand for the program that runs, to compare it with others.
std::string program_digest();

/// What the library has to offer under the name below.
using make_ranks = void(std::shared_ptr<hw::engine::rank_group>& made);
inline constexpr const char* make_ranks_name = "polycast_make_ranks";

}  // namespace polycast::tlm::ranks
