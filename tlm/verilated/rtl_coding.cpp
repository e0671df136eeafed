// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/rtl_coding.h"

#include <utility>

#include "hw/format/config_words.h"

namespace polycast::tlm {

using hw::format::coding_global;
using hw::format::coding_region;

rtl_coding::rtl_coding(const hw::chips::coding_params& params, const hw::chips::coding_registers& registers,
                       model_library& models, std::string name)
    : rtl_chip(models.get(params), params.pin_shape(), std::move(name)) {
    write_registers(hw::chips::checked(params, registers));
}

void rtl_coding::write_registers(const hw::chips::coding_registers& registers) {
    const auto write = [this](coding_region region, unsigned index, std::uint32_t value) {
        write_register(hw::format::config_address(static_cast<std::uint32_t>(region), index), value);
    };
    const auto global = [&](coding_global which, std::uint32_t value) {
        write(coding_region::global, static_cast<unsigned>(which), value);
    };
    global(coding_global::number, registers.number);
    global(coding_global::latency, registers.latency);
    global(coding_global::patience, registers.patience);
    global(coding_global::credits, registers.credits);
    global(coding_global::reserve, registers.reserve);
    global(coding_global::packet_limit, registers.packet_limit);
    for (unsigned vc_class = 0; vc_class < registers.vc_sets.size(); ++vc_class)
        write(coding_region::vc_set, vc_class, registers.vc_sets[vc_class]);
    for (unsigned entry = 0; entry < registers.destinations.size(); ++entry)
        write(coding_region::destination, entry, registers.destinations[entry]);
    for (unsigned number = 0; number < registers.contexts.size(); ++number) {
        using hw::format::coding_register;
        using hw::format::context_index;
        const hw::chips::coding_context& context = registers.contexts[number];
        const auto set = [&](coding_register which, std::uint32_t value) {
            write(coding_region::context, context_index(number, static_cast<unsigned>(which)), value);
        };
        set(coding_register::mode, static_cast<unsigned>(context.mode));
        set(coding_register::count, context.count);
        set(coding_register::first_destination, context.first_destination);
        set(coding_register::destination_count, context.destination_count);
        set(coding_register::op, static_cast<unsigned>(context.op));
        set(coding_register::process, context.process);
        set(coding_register::source_process, context.source_process);
        set(coding_register::lane, context.lane);
        set(coding_register::group, context.group);
        set(coding_register::message, context.message);
        set(coding_register::tag, context.tag);
        set(coding_register::vc_class, context.vc_class);
    }
}

}  // namespace polycast::tlm
