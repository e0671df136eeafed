// SPDX-License-Identifier: Apache-2.0
/// \file A host with its network interface as a SystemC module.
#pragma once

#include <memory>

#include "hw/host/host_chip.h"
#include "tlm/modules/chip_module.h"

namespace polycast::tlm::modules {

/// hw::host::host_chip behind one pair of link sockets, `out[0]` and `in[0]`: its programs are C++ (hw/host/host.md). A
/// host of another kind is joined to an ni_module.
class host_module final : public chip_module {
public:
    /// \throws input_error on a bad period.
    host_module(const sc_core::sc_module_name& name, std::unique_ptr<hw::host::host_chip> host,
                const module_params& module, run_state& state)
        : chip_module(name, std::move(host), module, state) {}

    const hw::host::host_chip& host() const { return static_cast<const hw::host::host_chip&>(chip()); }
};

}  // namespace polycast::tlm::modules
