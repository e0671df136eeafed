// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/coding/coding_config.h"

#include <string>

#include "hw/input_error.h"

namespace polycast::hw::chips {

namespace {

constexpr limits check("coding unit", "hw/chips/coding/coding_unit.md");
constexpr std::uint64_t most_terminal = (std::uint64_t{1} << format::destination_field.bits) - 1;

}  // namespace

bool context_works(const coding_params& params, const coding_registers& registers, unsigned context) {
    if (context >= registers.contexts.size()) return false;
    const coding_context& c = registers.contexts[context];
    return c.mode != coding_mode::off && c.count >= 2 && c.count <= params.indices &&
           unsigned{c.first_destination} + c.destination_count <= params.destinations &&
           registers.vc_sets[c.vc_class] != 0;
}

coding_registers checked(const coding_params& p, coding_registers r) {
    check.within(r.number, 0, most_terminal, "its number");
    check.within(r.latency, 0, p.max_latency, "the latency");
    check.within(r.credits, 0, 65535, "credits");
    check.within(r.reserve, 1, 65535, "the reserve");
    check.within(r.packet_limit, 1, 65535, "the packet limit");
    for (const vc_set set : r.vc_sets)
        check.that(set >> p.vcs == 0, "a set names a virtual channel that does not exist");
    check.that(r.contexts.size() <= p.contexts, "there are more contexts than it has");
    for (const coding_context& context : r.contexts) {
        check.within(static_cast<unsigned>(context.mode), 0, 2, "the mode of a context");
        check.within(static_cast<unsigned>(context.op), 0, 15, "the op of a context");
        check.within(context.vc_class, 0, 7, "the class of a context");
    }
    check.that(r.destinations.size() <= p.destinations, "there are more destinations than it has");
    for (const std::uint32_t terminal : r.destinations) check.within(terminal, 0, most_terminal, "a destination");
    r.contexts.resize(p.contexts);
    r.destinations.resize(p.destinations);
    return r;
}

void check_progress(const coding_params& params, const coding_registers& registers) {
    const std::string unit = "coding unit " + std::to_string(registers.number) + ": ";
    if (registers.reserve > registers.credits)
        throw input_error(unit + "a reserve of " + std::to_string(registers.reserve) +
                              ", but there are never more than " + std::to_string(registers.credits) +
                              " credits: it would never send",
                          "longer buffers at the other end, or a smaller reserve");
    std::uint64_t operands = 0;
    for (unsigned context = 0; context < registers.contexts.size(); ++context)
        if (context_works(params, registers, context)) operands += registers.contexts[context].count;
    if (operands > params.slots)
        throw input_error(unit + std::to_string(params.slots) + " slots, but its contexts have " +
                              std::to_string(operands) +
                              " operands: those that are there could wait for ever for others that have no room",
                          "more slots, or fewer or shorter contexts");
}

}  // namespace polycast::hw::chips
