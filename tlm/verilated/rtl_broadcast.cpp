// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/rtl_broadcast.h"

#include <utility>

#include "hw/format/config_words.h"

namespace polycast::tlm {

using hw::format::broadcast_register;
using hw::format::config_region;
using hw::format::neighbour;

rtl_broadcast::rtl_broadcast(const hw::chips::broadcast_params& params, const hw::chips::broadcast_registers& registers,
                             model_library& models, std::string name)
    : rtl_router(models.get(hw::chips::checked(params)), params.pin_shape(registers), std::move(name)) {
    write_tables(params.router, registers.router);
    write_registers(hw::chips::checked(params, registers));
}

void rtl_broadcast::write_registers(const hw::chips::broadcast_registers& registers) {
    const auto set = [this](broadcast_register which, std::uint32_t value) {
        configure(config_region::broadcast, static_cast<unsigned>(which), value);
    };
    set(broadcast_register::dims, registers.dims);
    set(broadcast_register::algorithm, static_cast<unsigned>(registers.algorithm));
    set(broadcast_register::maps, registers.maps ? 1 : 0);
    set(broadcast_register::reverse, registers.reverse);
    set(broadcast_register::relay_reverse, registers.relay_reverse);
    set(broadcast_register::open, registers.open);
    set(broadcast_register::host_credits, registers.host_credits);
    for (unsigned port = 0; port < registers.there.size(); ++port)
        configure(config_region::neighbour, port, neighbour(registers.dimension[port], registers.there[port]));
}

}  // namespace polycast::tlm
