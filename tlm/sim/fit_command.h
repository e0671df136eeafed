// SPDX-License-Identifier: Apache-2.0
/// \file `program fit`: the reference machine that takes as long as nccl-tests have measured.
#pragma once

#include <string>

namespace polycast::tlm::sim {

struct fit_options {
    std::string file;
    std::string collective = "allreduce", algorithm, at, type = "f32", link;
    unsigned ranks = 8;
    std::string json;  ///< file, or "-"; empty: none
};

/// \returns the exit status \throws hw::input_error
int fit_measured(const fit_options& options);

}  // namespace polycast::tlm::sim
