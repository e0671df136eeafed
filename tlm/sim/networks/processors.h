// SPDX-License-Identifier: Apache-2.0
/// \file How the network interfaces of a scenario run their firmware.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/ni/native_processor.h"
#include "hw/ni/network_interface.h"
#include "hw/riscv/program.h"
#include "tlm/scenario/load.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/verilated/model_library.h"

namespace polycast::tlm::sim {

/// Firmware of all interfaces, loaded before the first cycle: what is missing is found then, and not on a thread in the
/// middle of a run.
class processors {
public:
    /// Loads what the interfaces of these hosts need: the library for `native`, the ELF image for `iss` and `rtl`, the
    /// Verilated processor for `rtl`. \throws hw::input_error at the key that is to blame
    processors(const scenario::loaded& scenario, const std::vector<std::string>& hosts);

    /// Makes the processor of the interface of host `host` of `plan`, with the tools that `ends` ask for. `watcher`
    /// may be null; it, the bus, `ends` and this must outlive the processor.
    std::unique_ptr<hw::ni::processor> make(const hw::system::system_plan& plan, const hw::ni::ni_params& params,
                                            hw::ni::processor_bus& bus, hw::ni::observer* watcher,
                                            const endpoints& ends) const;

    /// The same without tools.
    std::unique_ptr<hw::ni::processor> make(const hw::system::system_plan& plan, const hw::ni::ni_params& params,
                                            hw::ni::processor_bus& bus, hw::ni::observer* watcher) const;

    /// The function of the firmware image at `pc`; empty where there is none.
    std::string_view function_at(std::uint32_t pc) const;
    /// Whether the processor of this host has a program counter.
    bool has_counter(const std::string& host) const {
        return processor_of(settings_, host) != scenario::processor_kind::native;
    }

private:
    struct tools {
        bool in_step = false;
        const tool_request* wish = nullptr;     ///< null: none
        activity_recorder* activity = nullptr;  ///< null: nobody wants a chart
    };
    std::unique_ptr<hw::ni::processor> make(const hw::system::system_plan& plan, const hw::ni::ni_params& params,
                                            hw::ni::processor_bus& bus, hw::ni::observer* watcher,
                                            const tools& with) const;

    scenario::ni_settings settings_;
    std::shared_ptr<const hw::ni::native_firmware> native_;
    std::shared_ptr<const hw::riscv::program> program_;
    std::shared_ptr<const hw::riscv::image> image_;  ///< of program_, for the Verilated processor
    std::shared_ptr<model_library> models_;
    std::optional<std::array<hw::ni::cycle, NI_OPERATIONS>> costs_;  ///< of native firmware, where they were measured
};

}  // namespace polycast::tlm::sim
