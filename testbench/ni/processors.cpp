// SPDX-License-Identifier: Apache-2.0
#include "testbench/ni/processors.h"

#include "tlm/verilated/ibex_processor.h"

namespace polycast::testbench::ni {

using hw::ni::ni_params;
using hw::ni::processor;
using hw::ni::processor_bus;

hw::ni::processor_factory processors::make(way how, const hw::ni::native_params& costs) {
    switch (how) {
        case way::native:
            if (!native_) native_ = hw::ni::native_firmware::load(files_.library);
            return [this, costs](const ni_params& params, processor_bus& bus,
                                 hw::ni::observer*) -> std::unique_ptr<processor> {
                return std::make_unique<hw::ni::native_processor>(native_, costs, params, bus, nullptr);
            };
        case way::iss:
            if (!program_) program_ = hw::riscv::load_program(files_.image);
            return [this](const ni_params&, processor_bus& bus, hw::ni::observer*) -> std::unique_ptr<processor> {
                return std::make_unique<hw::riscv::iss>(program_, bus);
            };
        case way::rtl:
            if (!image_) image_ = std::make_shared<const hw::riscv::image>(hw::riscv::read_image(files_.image));
            if (!models_) models_ = std::make_unique<tlm::model_library>();
            break;
    }
    return [this](const ni_params&, processor_bus& bus, hw::ni::observer*) -> std::unique_ptr<processor> {
        return std::make_unique<tlm::ibex_processor>(image_, bus, *models_);
    };
}

}  // namespace polycast::testbench::ni
