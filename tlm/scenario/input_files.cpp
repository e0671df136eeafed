// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/input_files.h"

#include "hw/topology/text_file.h"

namespace polycast::tlm::scenario {

const std::string& input_files::text_of(const std::string& path, const std::string& what) {
    const std::scoped_lock guard(mutex_);
    const auto known = texts_.find(path);
    return known != texts_.end() ? known->second
                                 : texts_.emplace(path, hw::topology::read_text_file(path, what)).first->second;
}

}  // namespace polycast::tlm::scenario
