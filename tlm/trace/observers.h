// SPDX-License-Identifier: Apache-2.0
/// \file Several that watch one network.
#pragma once

#include <vector>

#include "hw/engine/network.h"

namespace polycast::tlm::trace {

/// Tells all of them, in the order in which they came.
class observers final : public hw::engine::observer {
public:
    /// `one` must outlive this.
    void add(hw::engine::observer& one) { all_.push_back(&one); }
    bool empty() const { return all_.empty(); }

    void stepped(hw::engine::chip_id id, hw::engine::cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                 const hw::engine::chip& chip) override {
        for (hw::engine::observer* one : all_) one->stepped(id, now, in, out, chip);
    }

private:
    std::vector<hw::engine::observer*> all_;
};

}  // namespace polycast::tlm::trace
