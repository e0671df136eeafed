// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/key_tables.h"

namespace polycast::tlm::scenario {

namespace {

key code_key(std::string_view path, std::string_view doc, void (*store)(settings&, const value&)) {
    return {.path = path,
            .type = value_type::choice,
            .fallback = "none",
            .choices = {{"none", ""},
                        {"parity", "a bit for each byte finds a flip"},
                        {"secded", "7 bits for each 32 correct one and find two"}},
            .doc = doc,
            .store = store};
}

template <auto member>
void into_code(settings& s, const value& given) {
    assign(s.protect.*member, given);
}

}  // namespace

std::vector<key> protect_keys() {
    return {
        {.path = "protect",
         .optional = true,
         .doc = "Codes of stored words, which find upsets (`faults.events`) and correct some. See "
                "hw/format/memory_code.md."},
        code_key("protect.buffers", "Of flits in input buffers of switches and routers.",
                 into_code<&protect_settings::buffers>),
        code_key("protect.routes", "Of tables of routes of switches and routers, and strings of reachability.",
                 into_code<&protect_settings::routes>),
        code_key("protect.credits", "Of credit counters of switches and routers.",
                 into_code<&protect_settings::credits>),
        code_key("protect.rings", "Of flits in rings of link ends. Needs a link layer, as `protect.counters` does.",
                 into_code<&protect_settings::rings>),
        code_key("protect.counters", "Of credit counters of link ends.", into_code<&protect_settings::counters>),
        code_key("protect.packets",
                 "Of packet memories of interfaces: what cannot be corrected takes the interface down, as PANIC does.",
                 into_code<&protect_settings::packets>),
        code_key("protect.firmware",
                 "Of data memories of interfaces' processors, `iss` or `rtl`: likewise. One of them at least must not "
                 "be `native`.",
                 into_code<&protect_settings::firmware>),
    };
}

}  // namespace polycast::tlm::scenario
