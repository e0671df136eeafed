// SPDX-License-Identifier: Apache-2.0
#include "hw/faults/wire_events.h"

#include <string>

#include "hw/input_error.h"

namespace polycast::hw::faults {

namespace {

void check(const random_flip_rule& rule) {
    if (!(rule.rate >= 0 && rule.rate <= 0.1))
        throw input_error("the rate of faults is " + std::to_string(rule.rate), "use 0 to 0.1");
    if (rule.burst == 0) throw input_error("a burst of no bit", "use 1 or more");
    if (rule.to <= rule.from) throw input_error("faults end before they begin", "let `to` be behind `from`");
}

void check(const fault_event& event, unsigned wires) {
    for (const unsigned wire : event.wires)
        if (wire >= wires)
            throw input_error("there is no wire " + std::to_string(wire),
                              "a direction of this cable has wires 0 to " + std::to_string(wires - 1));
    const bool stuck = event.what == fault_kind::stuck;
    if (stuck ? event.wires.size() != 1 : event.what == fault_kind::flip && event.wires.empty())
        throw input_error(std::string(fault_names[static_cast<unsigned>(event.what)]) + " without its wire",
                          "name one");
    if (event.until <= event.at) throw input_error("the fault ends before it begins", "let `until` be behind `at`");
    if (event.times == 0) throw input_error("a fault of no frame or set", "use 1 or more");
}

}  // namespace

void check_faults(const fault_plan& plan, unsigned wires) {
    for (const random_flip_rule& rule : plan.rates) check(rule);
    for (const fault_event& event : plan.events) check(event, wires);
}

}  // namespace polycast::hw::faults
