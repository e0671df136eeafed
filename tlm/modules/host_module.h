// SPDX-License-Identifier: Apache-2.0
/// \file A host with a conventional NI as a SystemC module: traffic source and sink with the papers' overheads.
#pragma once

#include <memory>

#include "hw/traffic/host.h"
#include "tlm/modules/chip_module.h"

namespace polycast::tlm::modules {

/// hw::traffic::host behind one pair of link sockets, `out[0]` and `in[0]`.
class host_module final : public chip_module {
public:
    /// Host `host` of the network. `source` and `sink` must outlive the module. \throws input_error as
    /// hw::traffic::host does.
    host_module(const sc_core::sc_module_name& name, std::uint32_t host, const hw::traffic::host_params& params,
                hw::traffic::message_source& source, hw::traffic::message_sink& sink, const module_params& module,
                run_state& state)
        : chip_module(name, std::make_unique<hw::traffic::host>(host, params, source, sink), module, state) {}
};

}  // namespace polycast::tlm::modules
