// SPDX-License-Identifier: Apache-2.0
/// \file The three ways to run firmware, made from one build of it.
#pragma once

#include <memory>
#include <string>

#include "hw/ni/native_processor.h"
#include "hw/ni/network_interface.h"
#include "hw/riscv/iss.h"
#include "tlm/verilated/model_library.h"

namespace polycast::testbench::ni {

enum class way : std::uint8_t { native, iss, rtl };

/// Files of one build of the firmware.
struct firmware_build {
    std::string library;  ///< for the host
    std::string image;    ///< for the interface's processor
};

/// Makes processors that run one build. Files are loaded, and the Verilated model is built, when the first one needs
/// it. Must outlive the factories; the processors need it no more.
class processors {
public:
    explicit processors(firmware_build files) : files_(std::move(files)) {}

    /// `costs` are those of `native`. \throws hw::input_error where a file or the model is not to be had
    hw::ni::processor_factory make(way how, const hw::ni::native_params& costs = {});

private:
    firmware_build files_;
    std::shared_ptr<const hw::ni::native_firmware> native_;
    std::shared_ptr<const hw::riscv::program> program_;
    std::shared_ptr<const hw::riscv::image> image_;
    std::unique_ptr<tlm::model_library> models_;
};

}  // namespace polycast::testbench::ni
