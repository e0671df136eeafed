// SPDX-License-Identifier: Apache-2.0
/// \file How the network interfaces of a scenario run their firmware.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "hw/ni/native_processor.h"
#include "hw/ni/network_interface.h"
#include "hw/riscv/program.h"
#include "tlm/ibex_processor.h"
#include "tlm/model_library.h"
#include "tlm/scenario/load.h"

namespace polycast::tlm::sim {

/// Firmware of all interfaces, loaded before the first cycle: what is missing is found then, and not on a thread in the
/// middle of a run.
class processors {
public:
    /// Loads what the interfaces of these hosts need: the library for `native`, the ELF image for `iss` and `rtl`, the
    /// Verilated processor for `rtl`. \throws hw::input_error at the key that is to blame
    processors(const scenario::loaded& scenario, const std::vector<std::string>& hosts);

    /// Makes the processor of a host's interface. `watcher` may be null. `in_step`: it computes nothing ahead, so that
    /// its program counter can be seen in every cycle.
    hw::ni::processor_factory factory_for(const std::string& host, hw::ni::observer* watcher, bool in_step) const;

    /// The function of the firmware image at `pc`; empty where there is none.
    std::string_view function_at(std::uint32_t pc) const;

    /// The image that `iss` and `rtl` run; null where all is native.
    const std::shared_ptr<const hw::riscv::program>& program() const { return program_; }

private:
    scenario::ni_settings settings_;
    hw::ni::native_params times_;
    std::shared_ptr<const hw::ni::native_firmware> native_;
    std::shared_ptr<const hw::riscv::program> program_;
    std::shared_ptr<const hw::riscv::image> image_;  ///< of program_, for the Verilated processor
    std::shared_ptr<model_library> models_;
};

/// Folder with the firmware that was built with this program: POLYCAST_FIRMWARE, or beside the program, in a build
/// folder or installed.
std::string built_in_firmware();

}  // namespace polycast::tlm::sim
