// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hw/ni/coded_words.h"
#include "tlm/scenario/propose.h"
#include "tlm/sim/networks/link_layer.h"

namespace polycast::tlm::sim {

using hw::format::upset_memory;
using scenario::loaded;

namespace {

using fault_setting = scenario::fault_settings::event;

hw::chips::chip_upset upset_of(const fault_setting& event) {
    return {*event.memory, event.what.upset.index, event.what.upset.bit};
}

bool can_be_upset(const hw::system::chip_kind& is) {
    return std::holds_alternative<hw::system::switch_chip>(is) || std::holds_alternative<hw::system::router_chip>(is);
}

/// The switch or router that the event is of.
const hw::system::chip_kind& chip_of(const loaded& scenario, const hw::system::system_plan& plan,
                                     const std::string& path, const fault_setting& event) {
    std::vector<std::string> names;
    for (const hw::system::planned_chip& chip : plan.chips) {
        if (can_be_upset(chip.is)) {
            if (chip.name == event.link) return chip.is;
            names.push_back(chip.name);
        } else if (chip.name == event.link) {
            scenario.fail(path + ".chip",
                          "'" + event.link + "' is no switch or router, and only memories of these can be upset",
                          "take a switch or router, or 'memory: ring' or 'counters' of a link end");
        }
    }
    scenario.fail(path + ".chip", "there is no switch or router '" + event.link + "'",
                  scenario::propose(event.link, names));
}

hw::chips::memory_shape shape_of(const hw::system::chip_kind& is, upset_memory memory) {
    if (const auto* router = std::get_if<hw::system::router_chip>(&is))
        return hw::chips::shape_of(router->params, memory);
    return hw::chips::shape_of(std::get<hw::system::switch_chip>(is).params, memory);
}

/// A switch has four tables, two of them by switch.
void check_route(const loaded& scenario, const std::string& path, const hw::chips::switch_params& params,
                 std::uint32_t index) {
    const bool of_hosts = index % 4 < 2;
    const unsigned entries = of_hosts ? params.max_hosts : params.max_switches;
    if (index / 4 < entries) return;
    scenario.fail(path + ".index",
                  std::string("there are ") + std::to_string(entries) + (of_hosts ? " hosts" : " switches") +
                      ", so no route has the index " + std::to_string(index),
                  "take at most " + std::to_string(4 * (entries - 1) + index % 4));
}

/// "0..7", "0".
std::string up_to(std::uint64_t count) {
    return count == 1 ? "0" : "0.." + std::to_string(count - 1);
}

/// Words of memory that firmware compiled for the simulator does not share with it.
void check_processor(const loaded& scenario, const std::string& path, const fault_setting& event,
                     const hw::ni::ni_params& params) {
    using hw::ni::interface_memory;
    if (processor_of(scenario.values.ni, event.link) != scenario::processor_kind::native) return;
    if (event.of_host == interface_memory::firmware)
        scenario.fail(path + ".memory",
                      "the processor of '" + event.link + "' is 'native', whose data memory is the simulator's own",
                      "take 'ni.processor: iss' or 'rtl' for it");
    if (is_own_word(params, event.what.upset.index))
        scenario.fail(path + ".index",
                      "word " + std::to_string(event.what.upset.index) +
                          " is one that firmware keeps in a slot for itself, and that of a 'native' processor is the "
                          "simulator's own",
                      "take 'ni.processor: iss' or 'rtl' for '" + event.link + "'");
}

}  // namespace

std::vector<hw::host::upset_order> interface_upsets_of(const loaded& scenario, const hw::system::system_plan& plan) {
    std::vector<hw::host::upset_order> all;
    const std::vector<fault_setting>& events = scenario.values.faults.events;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const fault_setting& event = events[i];
        if (!event.of_host) continue;
        const std::string path = "faults.events[" + std::to_string(i) + "]";
        const std::optional<std::uint32_t> host = plan.network.find_host(event.link);
        if (!host) {
            std::vector<std::string> names;
            for (const hw::topology::host_node& each : plan.network.hosts) names.push_back(each.name);
            scenario.fail(path + ".chip", "there is no host '" + event.link + "'",
                          scenario::propose(event.link, names));
        }
        const auto& [memory, word, bit] = event.what.upset;
        const std::uint64_t words = event.of_host == hw::ni::interface_memory::packets
                                        ? hw::ni::packet_words(plan.host.interface)
                                        : NI_DATA_MEMORY_SIZE / 4;
        if (word >= words)
            scenario.fail(path + ".index",
                          "'" + std::string(name_of(*event.of_host)) + "' of '" + event.link + "' has " +
                              std::to_string(words) + " words, so none has the index " + std::to_string(word),
                          "take " + up_to(words));
        const hw::ni::ni_params& interface = plan.host.interface;
        const unsigned data = hw::ni::coded_words::word_bits;
        const unsigned bits =
            data + code_bits(event.of_host == hw::ni::interface_memory::packets ? interface.protect_packets
                                                                                : interface.protect_firmware,
                             data);
        if (bit >= bits)
            scenario.fail(path + ".bit", "a word has " + std::to_string(bits) + " bits, not bit " + std::to_string(bit),
                          "take " + up_to(bits));
        check_processor(scenario, path, event, plan.host.interface);
        all.push_back({*host, 0, {*event.of_host, word, bit, event.what.at}});
    }
    std::ranges::stable_sort(all, {}, [](const hw::host::upset_order& order) { return order.what.at; });
    return all;
}

std::vector<hw::system::named_upset> upsets_of(const loaded& scenario) {
    std::vector<hw::system::named_upset> all;
    for (const fault_setting& event : scenario.values.faults.events)
        if (event.memory) all.push_back({event.link, {event.what.at, upset_of(event)}});
    return all;
}

void check_upsets(const loaded& scenario, const hw::system::system_plan& plan) {
    const std::vector<fault_setting>& events = scenario.values.faults.events;
    std::set<std::pair<std::string, hw::engine::cycle>> upsets;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const fault_setting& event = events[i];
        if (!event.memory) continue;
        const std::string path = "faults.events[" + std::to_string(i) + "]";
        const hw::system::chip_kind& chip = chip_of(scenario, plan, path, event);
        const hw::chips::chip_upset upset = upset_of(event);
        const std::string memory(hw::format::name_of(upset.memory));
        const scenario::network_settings& network = scenario.values.network;
        const auto own = network.chips.find(event.link);
        if ((own == network.chips.end() ? network.all : own->second) == scenario::fidelity::own)
            scenario.fail(path + ".chip", "own RTL has no register that upsets its memories",
                          "take 'fidelity: core' or 'rtl' for '" + event.link + "'");
        const hw::chips::memory_shape shape = shape_of(chip, upset.memory);
        if (shape.words == 0)
            scenario.fail(path + ".memory", "'" + event.link + "' has no memory '" + memory + "'", "take another one");
        if (upset.index >= shape.words)
            scenario.fail(path + ".index",
                          "'" + memory + "' of '" + event.link + "' has " + std::to_string(shape.words) +
                              " words, so none has the index " + std::to_string(upset.index),
                          "take " + up_to(shape.words));
        const auto* const of_tables = std::get_if<hw::system::switch_chip>(&chip);
        if (of_tables != nullptr && upset.memory == upset_memory::routes)
            check_route(scenario, path, of_tables->params, upset.index);
        if (upset.bit >= shape.bits)
            scenario.fail(path + ".bit",
                          "a word of '" + memory + "' has " + std::to_string(shape.bits) + " bits, not bit " +
                              std::to_string(upset.bit),
                          "take " + up_to(shape.bits));
        if (!upsets.emplace(event.link, event.what.at).second)
            scenario.fail(path + ".at", "two bits of one chip flip in cycle " + std::to_string(event.what.at),
                          "take another cycle for one");
    }
}

}  // namespace polycast::tlm::sim
