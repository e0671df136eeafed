// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <boost/rational.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>

#include "hw/format/header.h"
#include "hw/system/link_layer.h"
#include "tlm/ranks/ranks.h"
#include "tlm/sim/usage.h"
#include "tlm/topologies/kind.h"
#include "tlm/workloads/kind.h"
#include "tlm/workloads/program/interface_program.h"

namespace polycast::tlm::sim {

namespace {

using hw::system::system_plan;
using scenario::loaded;
namespace fs = std::filesystem;

// Measured, in bytes: what objects of these kinds take beside what their parameters say.
constexpr std::uint64_t nothing_known = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t thread_space = 130'000'000;  ///< addresses that a thread's heap reserves
constexpr std::uint64_t native_space = 90'000;       ///< addresses of an interface's firmware without memory

constexpr std::uint64_t program = 15'000'000;
constexpr std::uint64_t planned_switch = 2000;
constexpr std::uint64_t planned_host = 500;
constexpr std::uint64_t chip_base = 1500;      ///< a chip in the engine
constexpr std::uint64_t port_base = 700;       ///< its port with both ends of a link
constexpr std::uint64_t module_port = 20'000;  ///< the same as a SystemC module
constexpr std::uint64_t verilated_base = 60'000;
constexpr std::uint64_t interface_base = 10'000;
constexpr std::uint64_t native_firmware = 30'000;  ///< pages of its state that are touched
constexpr std::uint64_t iss_firmware = 145'000;
constexpr std::uint64_t rtl_firmware = 175'000;
constexpr std::uint64_t receive_buffer = 90;  ///< records of a posted buffer: host, command, firmware
constexpr std::uint64_t loaded_buffers = 256;
constexpr std::uint64_t message_record = 250;
constexpr std::uint64_t receiver_record = 24;
constexpr std::uint64_t cable_base = 6000;  ///< two link ends and their wires
constexpr std::uint64_t ring_mark = 8;      ///< beside the bytes of a flit that a link end may have to send again
constexpr std::uint64_t link_result = 50;   ///< a direction of a cable, until its row is written
constexpr std::uint64_t grid_node = 400;    ///< name and cables of a router that is no chip of a plan, and its host's
constexpr std::uint64_t fabric_router = 1100;  ///< while little waits in it
constexpr std::uint64_t step_node = 300;       ///< of broadcasts in steps

std::uint64_t word_bytes(std::uint64_t bits) {
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : (bits + 63) / 64 * 8;
}

/// Pins of a port: inputs and outputs.
std::uint64_t pin_bytes(const hw::engine::pin_shape& shape) {
    return port_base + 2 * std::uint64_t{shape.flit_bytes} + shape.header_bytes + 16 * std::uint64_t{shape.vcs};
}

std::uint64_t bytes_of(const hw::chips::switch_params& p, bool rtl) {
    const hw::engine::pin_shape pins = p.pin_shape();
    const std::uint64_t flits = std::uint64_t{p.chunks} * p.chunk_flits;
    const std::uint64_t string = hw::format::string_bits(p.max_hosts) / 8;
    if (!rtl)
        return chip_base + p.ports * (flits * (p.flit_bytes + 1) + 2 * std::uint64_t{p.chunks} + pin_bytes(pins) +
                                      std::uint64_t{2} * pins.header_bytes);
    return verilated_base + 2 * (std::uint64_t{p.max_hosts} + p.max_switches) * word_bytes(p.ports) +
           (p.ports + 1) * string +
           p.ports *
               (flits * word_bytes(8 * p.flit_bytes + 2) + pin_bytes(pins) + 12 * std::uint64_t{p.header_bytes()} +
                (p.header_free ? std::uint64_t{p.chunks} * pins.header_bytes : 0));
}

std::uint64_t bytes_of(const hw::chips::vl_switch_params& p, bool rtl) {
    const hw::engine::pin_shape pins = p.pin_shape();
    const std::uint64_t lanes = std::uint64_t{p.ports} * p.vls, flits = lanes * p.chunks * p.chunk_flits;
    const std::uint64_t chunks = lanes * p.chunks, headers = p.header_free ? chunks * pins.header_bytes : 0;
    constexpr std::uint64_t copies = 2;  // of the tables: the run's plan has one
    const std::uint64_t tables = copies * (p.max_lids + 8 * std::uint64_t{p.max_groups});
    const std::uint64_t sets = lanes * (lanes + 63) / 64 * 8;
    if (rtl)
        return verilated_base + tables + p.ports * pin_bytes(pins) + flits * word_bytes(8 * p.flit_bytes + 2) +
               headers + lanes * 400 + chunks * 16;
    return chip_base + tables + p.ports * pin_bytes(pins) + flits * (p.flit_bytes + 1) + chunks * 17 + headers +
           lanes * 200 + sets;
}

std::uint64_t bytes_of(const hw::chips::router_params& p, const hw::chips::router_tables& tables, bool rtl) {
    const std::uint64_t flits = std::uint64_t{p.ports} * p.vcs * p.vc_flits, table = 4 * tables.route.size();
    constexpr std::uint64_t copies = 2;  // of the table: the run's plan has one
    const hw::engine::pin_shape pins = p.pin_shape();
    const std::uint64_t headers = p.header_free ? flits * pins.header_bytes : 0;
    if (rtl)
        return verilated_base + table + std::uint64_t{p.max_nodes} * word_bytes(p.ports) + p.ports * pin_bytes(pins) +
               flits * word_bytes(8 * p.flit_bytes + 2) + headers + std::uint64_t{p.ports} * p.vcs * 200;
    return chip_base + copies * table + p.ports * pin_bytes(pins) + flits * (p.flit_bytes + 4) + headers +
           std::uint64_t{p.ports} * p.vcs * 120;
}

/// Of every kind of chip that is neither switch nor router nor host.
std::uint64_t other_bytes(const hw::system::chip_kind& is, bool rtl) {
    std::uint64_t bytes = chip_base + (rtl ? verilated_base : 0);
    if (const auto* unit = std::get_if<hw::system::coding_chip>(&is))
        bytes += std::uint64_t{unit->params.slots} * (unit->params.flit_bytes * std::uint64_t{64} + 64) +
                 std::uint64_t{unit->params.contexts} * unit->params.indices * 2;
    if (const auto* unit = std::get_if<hw::system::broadcast_chip>(&is))
        bytes += bytes_of(unit->params.router, unit->registers.router, rtl) +
                 std::uint64_t{unit->params.slots} * unit->params.slot_flits * (unit->params.router.flit_bytes + 8);
    if (const auto* event = std::get_if<hw::system::event_chip>(&is)) bytes += event->params.ports * port_base;
    return bytes;
}

std::uint64_t firmware_bytes(scenario::processor_kind kind) {
    return kind == scenario::processor_kind::native ? native_firmware
           : kind == scenario::processor_kind::iss  ? iss_firmware
                                                    : rtl_firmware;
}

/// The parts of one run.
class run_parts {
public:
    run_parts(const loaded& scenario, const instance& on, std::size_t workload)
        : s_(scenario.values), w_(s_.workloads[workload]) {
        if (w_.kind == scenario::traffic_kind::program || w_.kind == scenario::traffic_kind::collective) {
            programs_.bytes += memory_of_program(scenario, on, workload);
            if (w_.program.machine == scenario::program_machine::loggops) return;
        }
        const bool chips = s_.network.all != scenario::fidelity::core || !s_.network.chips.empty();
        if (on.unlisted || (s_.host.model == scenario::host_model::ideal && !chips)) {
            add_nodes(on);
        } else {
            const std::optional<system_plan> own =
                workload_kind_of(scenario, workload).own_plan(scenario, on, workload);
            const system_plan& plan = own ? *own : on.plan;
            for (const hw::system::planned_chip& chip : plan.chips) add_chip(plan, chip);
            for (const std::size_t index : plan.layered) add_cable(plan, plan.cables[index]);
        }
        // Ideal hosts keep no messages, only histograms.
        if (s_.host.model == scenario::host_model::interface) add_messages(on);
    }

    std::vector<memory_estimate::part> largest_first() const {
        std::vector<memory_estimate::part> found;
        for (const memory_estimate::part& one :
             {switches_, routers_, units_, cables_, interfaces_, messages_, nodes_, programs_})
            if (one.bytes != 0) found.push_back(one);
        std::ranges::sort(found, std::greater{}, &memory_estimate::part::bytes);
        return found;
    }

private:
    void add_chip(const system_plan& plan, const hw::system::planned_chip& chip) {
        if (std::holds_alternative<hw::system::host_place>(chip.is)) {
            add_host(plan, chip.name);
            return;
        }
        const scenario::fidelity how = fidelity_of(s_.network, chip.name);
        const bool rtl = how == scenario::fidelity::rtl || how == scenario::fidelity::own;
        const bool both = how == scenario::fidelity::own && s_.network.compare;
        const auto bytes = [&](const auto&... of) {
            return (both ? bytes_of(of..., false) : 0) + bytes_of(of..., rtl);
        };
        if (const auto* one = std::get_if<hw::system::switch_chip>(&chip.is)) {
            switches_.bytes +=
                bytes(one->params) + (how == scenario::fidelity::tlm ? one->params.ports * module_port : 0);
        } else if (const auto* vl = std::get_if<hw::system::vl_switch_chip>(&chip.is)) {
            switches_.bytes +=
                bytes(vl->params) + (how == scenario::fidelity::tlm ? vl->params.ports * module_port : 0);
        } else if (const auto* router = std::get_if<hw::system::router_chip>(&chip.is)) {
            routers_.bytes += bytes(router->params, router->tables) +
                              (how == scenario::fidelity::tlm ? router->params.ports * module_port : 0);
        } else {
            units_.bytes += other_bytes(chip.is, rtl);
        }
    }

    /// With two rings, which grow to the flits of the buffer behind the other end at most.
    void add_cable(const system_plan& plan, const hw::system::planned_cable& cable) {
        if (!cable.layer) {
            cables_.bytes += cable_base + 2 * pin_bytes(plan.host.interface.pin_shape());
            return;
        }
        const hw::chips::link_config config = hw::system::config_of(plan, cable);
        const std::uint64_t flits = config.ring_flits() + hw::chips::other_end(config).ring_flits();
        cables_.bytes +=
            cable_base + flits * (config.flit_bytes + ring_mark) + 2 * pin_bytes(plan.host.interface.pin_shape());
        if (fidelity_of(s_.network, plan.port_text(cable.a)) == scenario::fidelity::tlm)
            cables_.bytes += 2 * module_port;
    }

    void add_host(const system_plan& plan, const std::string& name) {
        if (s_.host.model == scenario::host_model::ideal) {
            nodes_.bytes += chip_base + pin_bytes(plan.host.interface.pin_shape());
            return;
        }
        const std::uint64_t processes = plan.host.interface.processes;
        const std::uint64_t posted = plan.host.receive_buffers != 0 ? plan.host.receive_buffers
                                     : w_.rate                      ? loaded_buffers
                                               : std::clamp<std::uint64_t>(2 * plan.hosts.size(), 64, 256);
        interfaces_.bytes +=
            chip_base +
            plan.host.interfaces * (interface_base + pin_bytes(plan.host.interface.pin_shape()) +
                                    firmware_bytes(processor_of(s_.ni, name)) + processes * posted * receive_buffer);
    }

    /// Networks whose routers and hosts are stepped as one.
    void add_nodes(const instance& on) {
        const network_size size = on.size();
        nodes_.bytes += std::max(size.switches, size.hosts) * (on.unlisted ? step_node : fabric_router);
    }

    void add_messages(const instance& on) {
        const std::uint64_t hosts = std::max<std::uint64_t>(on.size().hosts, 1);
        const std::uint64_t receivers = std::max(w_.degree, 1u);
        std::uint64_t created = w_.messages;
        if (w_.kind == scenario::traffic_kind::unicast && !w_.rate) {
            const auto load = hw::traffic::pattern_kind_of(w_.pattern.name).rate;
            created = hosts * (load == hw::traffic::pattern_kind::load::none ? hosts - 1 : created);
        }
        if (w_.kind == scenario::traffic_kind::list) created = w_.list.size();
        std::uint64_t at_once = created * (receivers + 1);
        // Nodes that send nothing before they have it all.
        if (s_.network.topology.has_sites() && w_.lanes.algorithm == hw::collectives::lane_algorithm::binomial)
            at_once = created * hosts;
        if (w_.rate && w_.message_bytes != 0) {
            const double flits = static_cast<double>(w_.message_bytes) / flit_bytes_of(s_);
            const auto cycles = static_cast<double>(s_.measurement.warmup + s_.measurement.window);
            created = static_cast<std::uint64_t>(static_cast<double>(hosts) * cycles *
                                                 boost::rational_cast<double>(*w_.rate) / flits);
            at_once = std::min(created, 2 * hosts);
        }
        messages_.bytes += created * (message_record + receivers * receiver_record) + at_once * w_.message_bytes;
    }

    const scenario::settings& s_;
    const scenario::workload_settings& w_;
    memory_estimate::part switches_{"switches"}, routers_{"routers"}, units_{"units"}, cables_{"cables"},
        interfaces_{"interfaces"}, messages_{"messages"}, nodes_{"nodes"}, programs_{"programs"};
};

/// Number at the beginning of a file; most if there is none ("max").
std::uint64_t number_in(const fs::path& file) {
    std::uint64_t number = 0;
    return std::ifstream(file) >> number ? number : nothing_known;
}

/// Tables of a plan: of switches for each pair of them, bit strings of their ports; of routers for each host.
std::uint64_t table_bytes(const loaded& scenario, const hw::topology::graph& network) {
    const std::uint64_t switches = network.switches.size(), hosts = network.hosts.size();
    const scenario::network_settings& n = scenario.values.network;
    if (n.topology.has_routers())
        return n.topology.is_grid() && !scenario.values.router.route_tables ? 0 : switches * hosts * 4;
    const std::uint64_t ports = hw::system::header_shape_of(network, 1).ports;
    std::uint64_t down = 0;  // ports, about
    for (const hw::topology::switch_node& node : network.switches) down += node.ports.size() / 2 + 1;
    return 2 * switches * switches * (ports / 8) + down * (hw::format::string_bits(static_cast<unsigned>(hosts)) / 8);
}

std::string chips_of(const loaded& scenario) {
    return scenario.values.network.topology.has_routers() ? "routers" : "switches";
}

/// What a control group leaves; pages of files in it can be given up.
std::uint64_t left_in_group(const fs::path& limit, const fs::path& used, const fs::path& statistics) {
    const std::uint64_t most = number_in(limit), now = number_in(used);
    if (most >= std::uint64_t{1} << 60 || now == nothing_known) return nothing_known;
    const std::uint64_t files = value_in(statistics, "inactive_file") + value_in(statistics, "active_file");
    const std::uint64_t taken = now - std::min(now, files);
    return most - std::min(most, taken);
}

}  // namespace

std::uint64_t memory_estimate::run() const {
    return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const part& one) { return sum + one.bytes; });
}

std::string memory_estimate::text() const {
    std::vector<std::string> listed;
    for (const part& one : parts)
        if (one.bytes >= run() / 20) listed.push_back(size_text(one.bytes) + " for " + one.name);
    return size_text(run()) + (listed.size() > 1 ? ": " + fmt::format("{}", fmt::join(listed, ", ")) : "");
}

memory_estimate memory_of(const loaded& scenario, const std::vector<instance>& instances) {
    memory_estimate found;
    found.kept = program;
    const std::size_t workloads = scenario.values.workloads.size();
    for (const instance& on : instances) {
        const network_size size = on.size();
        if (!on.plan.chips.empty()) {
            found.kept += size.switches * planned_switch + size.hosts * planned_host;
            found.kept += table_bytes(scenario, on.plan.network);
        } else if (!on.unlisted) {
            found.kept += size.switches * grid_node;
        }
        if (!on.unlisted && (!on.plan.chips.empty() || scenario.values.measurement.links))
            found.kept += workloads * 2 * (size.links + size.hosts) * link_result;
        for (std::size_t workload = 0; workload < workloads; ++workload) {
            memory_estimate one;
            one.parts = run_parts(scenario, on, workload).largest_first();
            if (one.run() <= found.run()) continue;
            found.parts = std::move(one.parts);
            found.untouched = on.plan.hosts.size() * native_space;
        }
    }
    return found;
}

void check_tables(const loaded& scenario, const hw::topology::graph& network) {
    const std::uint64_t bytes = table_bytes(scenario, network), left = std::min(memory_left(), space_left());
    if (bytes <= left) return;
    scenario.fail("network.topology",
                  "the tables of " + std::to_string(network.switches.size()) + " " + chips_of(scenario) + " for " +
                      std::to_string(network.hosts.size()) + " hosts take about " + size_text(bytes) + "; " +
                      size_text(left) + " of memory are left",
                  "take a smaller network");
}

std::uint64_t memory_left() {
    std::uint64_t left = 1024 * value_in("/proc/meminfo", "MemAvailable:");
    if (left == 0) left = nothing_known;
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        // "0::/path" of version 2, "4:memory:/path" of version 1; in a container the path may not exist.
        const bool second = line.starts_with("0::");
        if (!second && line.find(":memory:") == std::string::npos) continue;
        const fs::path root = second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
        fs::path group = root / fs::path(line.substr(line.rfind(':') + 1)).relative_path();
        for (;; group = group.parent_path()) {
            left = std::min(
                left, second ? left_in_group(group / "memory.max", group / "memory.current", group / "memory.stat")
                             : left_in_group(group / "memory.limit_in_bytes", group / "memory.usage_in_bytes",
                                             group / "memory.stat"));
            if (group == root || !group.has_relative_path()) break;
        }
    }
    return left;
}

std::uint64_t space_left() {
    rlimit most{};
    if (::getrlimit(RLIMIT_AS, &most) != 0 || most.rlim_cur == RLIM_INFINITY) return nothing_known;
    const std::uint64_t taken = number_in("/proc/self/statm") * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return most.rlim_cur - std::min<std::uint64_t>(most.rlim_cur, taken);
}

std::size_t runs_at_once(const loaded& scenario, const memory_estimate& each, std::size_t wanted) {
    const std::uint64_t space = each.run() + each.untouched, space_is = space_left();
    const std::uint64_t left = std::min(memory_left(), space_is);
    const std::uint64_t ranks = scenario.ranks > 1 ? ranks::ranks_of_machine() : 1;  // each holds all chips
    std::uint64_t fit = memory_left() / std::max<std::uint64_t>(each.run() * ranks, 1);
    if (space > space_is) fit = 0;
    // Each further thread has a heap of its own.
    if (fit != 0) fit = std::min(fit, 1 + (space_is - space) / (space + thread_space));
    if (fit == 0) {
        const std::string& largest = each.parts.front().name;
        scenario.fail("network.topology",
                      (ranks > 1 ? "each of " + std::to_string(ranks) + " ranks of this machine" : "a run") +
                          " needs about " + each.text() + "; " + size_text(left) + " of memory are left",
                      "take fewer hosts or " + chips_of(scenario) +
                          (largest == "switches"   ? ", or shorter buffers ('switch.buffer')"
                           : largest == "routers"  ? ", or shorter buffers ('router.buffer')"
                           : largest == "messages" ? ", or a lower rate or a shorter 'measurement.window'"
                                                   : ""));
    }
    if (fit >= wanted) return wanted;
    spdlog::info("{} of {} runs at once: each needs about {}, and {} of memory are left", fit, wanted,
                 size_text(each.run()), size_text(left));
    return fit;
}

}  // namespace polycast::tlm::sim
