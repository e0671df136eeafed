// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/coding_config.h"

#include <string>

#include "hw/input_error.h"

namespace polycast::hw::chips {

namespace {

void require(bool good, const std::string& what) {
    if (!good) throw input_error("coding unit: " + what, "hw/chips/coding_unit.md lists the ranges");
}

void require_range(std::uint64_t value, std::uint64_t least, std::uint64_t most, const std::string& what) {
    require(value >= least && value <= most, what + " must be " + std::to_string(least) + ".." + std::to_string(most) +
                                                 ", not " + std::to_string(value));
}

constexpr std::uint64_t most_terminal = (std::uint64_t{1} << format::destination_field.bits) - 1;

}  // namespace

bool context_works(const coding_params& params, const coding_registers& registers, unsigned context) {
    if (context >= registers.contexts.size()) return false;
    const coding_context& c = registers.contexts[context];
    return c.mode != coding_mode::off && c.count >= 2 && c.count <= params.indices &&
           unsigned{c.first_destination} + c.destination_count <= params.destinations &&
           registers.vc_sets[c.vc_class] != 0;
}

const coding_params& checked(const coding_params& p) {
    require_range(p.vcs, 1, most_vcs, "virtual channels");
    require_range(p.vc_flits, 1, 4096, "flits of a buffer");
    require_range(p.flit_bytes, 1, 64, "bytes of a flit");
    require(p.vc_flits >= p.header_flits(), "a buffer of " + std::to_string(p.vc_flits) +
                                                " flits does not hold a header of " + std::to_string(p.header_flits()));
    require_range(p.contexts, 1, 1024, "contexts");
    require_range(p.slots, 2, 4096, "slots");
    require_range(p.slot_flits, 1, 4096, "flits of a slot");
    require_range(p.indices, 2, 4096, "indices");
    require_range(p.destinations, 1, 4096, "destinations");
    require_range(p.max_latency, 0, 64, "the longest latency");
    return p;
}

coding_registers checked(const coding_params& p, coding_registers r) {
    require_range(r.number, 0, most_terminal, "its number");
    require_range(r.latency, 0, p.max_latency, "the latency");
    require_range(r.credits, 0, 65535, "credits");
    require_range(r.reserve, 1, 65535, "the reserve");
    require_range(r.packet_limit, 1, 65535, "the packet limit");
    for (const vc_set set : r.vc_sets) require(set >> p.vcs == 0, "a set names a virtual channel that does not exist");
    require(r.contexts.size() <= p.contexts, "there are more contexts than it has");
    for (const coding_context& context : r.contexts) {
        require_range(static_cast<unsigned>(context.mode), 0, 2, "the mode of a context");
        require_range(static_cast<unsigned>(context.op), 0, 15, "the op of a context");
        require_range(context.vc_class, 0, 7, "the class of a context");
    }
    require(r.destinations.size() <= p.destinations, "there are more destinations than it has");
    for (const std::uint32_t terminal : r.destinations) require_range(terminal, 0, most_terminal, "a destination");
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
