// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/keys.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace polycast::tlm::scenario {

namespace {

/// Takes a checked number into a member's type. \throws std::overflow_error, which the loader reports as "too large"
template <class number>
number narrow(const boost::multiprecision::checked_int128_t& wide) {
    if (wide < std::numeric_limits<number>::min() || wide > std::numeric_limits<number>::max()) throw std::overflow_error("too large");
    return wide.convert_to<number>();
}

void assign(bool& member, const value& v) { member = v.flag; }
void assign(std::string& member, const value& v) { member = v.text; }
void assign(std::vector<std::string>& member, const value& v) { member = v.names; }
void assign(double& member, const value& v) { member = v.number.numerator().convert_to<double>() / v.number.denominator().convert_to<double>(); }
void assign(ratio& member, const value& v) {
    member = {narrow<std::int64_t>(v.number.numerator()), narrow<std::int64_t>(v.number.denominator())};
}

template <class number>
    requires std::is_integral_v<number>
void assign(number& member, const value& v) {
    member = narrow<number>(v.number.numerator());
}

template <class choices>
    requires std::is_enum_v<choices>
void assign(choices& member, const value& v) {
    member = static_cast<choices>(v.choice);
}

void assign(std::map<std::string, fidelity>& member, const value& v) {
    member.clear();
    for (const auto& [name, chosen] : v.map) member[name] = static_cast<fidelity>(chosen);
}

template <class inner>
void assign(std::optional<inner>& member, const value& v) {
    member.reset();
    if (!v.word) assign(member.emplace(), v);
}

/// Stores into the member that the pointers lead to.
template <auto... path>
void into(settings& s, const value& v) {
    assign((s.*....*path), v);
}

template <auto... path>
void into_workload(settings& s, const value& v) {
    assign((s.workloads.back().*....*path), v);
}

/// The choices start with "auto", which stands for nothing.
void into_format(settings& s, const value& v) {
    s.network.topology.format.reset();
    if (v.choice > 0) s.network.topology.format = static_cast<hw::topology::file_format>(v.choice - 1);
}

constexpr std::string_view tr41 = "Sivaram et al., OSU-CISRC-10/98-TR41";
constexpr std::string_view most_cycles = "1000000000000000";
using v = value_type;
using d = dimension;
using N = network_settings;
using T = topology_settings;
using S = switch_settings;
using H = host_settings;
using W = workload_settings;
using M = measurement_settings;
using R = trace_settings;
constexpr auto net = &settings::network;
constexpr auto topo = &network_settings::topology;

std::vector<key> top_and_network_keys() {
    const std::vector<condition> drawn{{"kind", {"irregular"}}};
    const std::vector<condition> read{{"kind", {"file"}}};
    const std::vector<choice> fidelities{{"core", "the cycle-exact C++ core"}, {"tlm", "SystemC modules, one per chip"}, {"rtl", "the SystemVerilog, built by Verilator"}};
    return {
        {.path = "name", .type = v::name, .fallback = "scenario", .doc = "Name of the scenario, in results and reports.", .store = into<&settings::name>},
        {.path = "seed", .type = v::number, .fallback = "1", .least = "0", .doc = "Seed of sources, destinations and message times; topologies have their own.",
         .store = into<&settings::seed>},
        {.path = "network", .doc = "Switches, cables and routing."},
        {.path = "network.topology", .doc = "How switches and hosts are cabled."},
        {.path = "network.topology.kind", .type = v::choice, .fallback = "irregular",
         .choices = {{"irregular", "random networks"}, {"file", "one network, from a file"}}, .doc = "Where the network comes from.", .source = tr41, .store = into<net, topo, &T::kind>},
        {.path = "network.topology.switches", .type = v::number, .fallback = "8", .least = "1", .most = "65536", .only = drawn, .doc = "Number of switches.", .source = tr41,
         .store = into<net, topo, &T::switches>},
        {.path = "network.topology.ports", .type = v::number, .fallback = "8", .least = "2", .most = "64", .only = drawn, .doc = "Ports of every switch.", .source = tr41,
         .store = into<net, topo, &T::ports>},
        {.path = "network.topology.hosts", .type = v::number, .fallback = "32", .least = "2", .most = "16384", .only = drawn, .doc = "Number of hosts.", .source = tr41,
         .store = into<net, topo, &T::hosts>},
        {.path = "network.topology.connectivity", .type = v::number, .fallback = "0.8", .unit = d::fraction, .whole = false, .least = "0", .most = "1", .only = drawn,
         .doc = "Fraction of the ports without a host that is cabled to other switches.", .source = tr41, .store = into<net, topo, &T::connectivity>},
        {.path = "network.topology.placement", .type = v::choice, .fallback = "random",
         .choices = {{"random", "on ports drawn from all ports alike"}, {"even", "the same number on every switch, for large networks"}}, .only = drawn,
         .doc = "How hosts are spread over the switches.", .source = tr41, .store = into<net, topo, &T::placement>},
        {.path = "network.topology.instances", .type = v::number, .fallback = "10", .least = "1", .most = "10000", .only = drawn,
         .doc = "Number of random networks, each of which runs every workload.", .source = tr41, .store = into<net, topo, &T::instances>},
        {.path = "network.topology.seed", .type = v::number, .fallback = "1", .least = "0", .only = drawn, .doc = "Seed of the first network; the next ones count on from it.",
         .store = into<net, topo, &T::seed>},
        {.path = "network.topology.path", .type = v::text, .required = true, .only = read, .doc = "Topology file, relative to the folder of the scenario.",
         .store = into<net, topo, &T::path>},
        {.path = "network.topology.format", .type = v::choice, .fallback = "auto",
         .choices = {{"auto", "told from the content"}, {"graphml", "GraphML"}, {"edge_list", "plain edge list"}, {"ibnetdiscover", "print-out of InfiniBand's ibnetdiscover"},
                     {"ibsim", "net file of InfiniBand's ibsim"}},
         .only = read, .doc = "Format of the file.", .store = into_format},
        {.path = "network.fidelity", .type = v::choice, .fallback = "core", .choices = fidelities, .doc = "Model of every switch; results are the same for each.",
         .store = into<net, &N::all>},
        {.path = "network.chips", .type = v::choice_map, .fallback = "{}", .choices = fidelities, .doc = "Switches, by name, whose fidelity differs.", .store = into<net, &N::chips>},
        {.path = "network.link", .doc = "Every cable."},
        {.path = "network.link.delay", .type = v::number, .fallback = "1 cycle", .unit = d::cycles, .least = "1", .most = "100000", .doc = "Time from output register to input pin.",
         .source = tr41, .store = into<net, &N::link_delay>},
        {.path = "network.routing", .doc = "Up*/down* routing."},
        {.path = "network.routing.root", .type = v::text, .fallback = "lowest",
         .doc = "Root of the spanning tree: `lowest` (lowest id), `best` (smallest mean path length), or the name of a switch.", .source = tr41, .store = into<net, &N::root>},
        {.path = "network.routing.selection", .type = v::choice, .fallback = "least_loaded",
         .choices = {{"least_loaded", "not held before held, then most credits"}, {"round_robin", "in turn"}, {"deterministic", "the lowest port: packets of a pair stay in order"}},
         .doc = "Which of several minimal output ports a packet takes.", .source = tr41, .store = into<net, &N::selection>},
        {.path = "network.routing.tie", .type = v::choice, .fallback = "id", .choices = {{"id", "lower number"}, {"guid", "lower node GUID, as InfiniBand's OpenSM"}},
         .doc = "Which of two switches on the same level is the upper one.", .source = tr41, .store = into<net, &N::tie>},
    };
}

std::vector<key> chip_and_host_keys() {
    constexpr auto chip = &settings::chip;
    constexpr auto packet = &settings::packet;
    constexpr auto host = &settings::host;
    return {
        {.path = "switch", .doc = "Every switch."},
        {.path = "switch.flit", .type = v::number, .fallback = "1 B", .unit = d::flit_size, .least = "1", .most = "64", .doc = "Size of a flit.", .source = tr41,
         .store = into<chip, &S::flit_bytes>},
        {.path = "switch.buffer", .type = v::number, .fallback = "640 flit", .unit = d::flits, .least = "2", .most = "1048576",
         .doc = "Size of each input buffer, a whole number of chunks; must hold the longest packet.", .source = tr41, .store = into<chip, &S::buffer_flits>},
        {.path = "switch.chunk", .type = v::number, .fallback = "8 flit", .unit = d::flits, .least = "1", .most = "256", .doc = "Unit in which buffer space is freed; one credit.",
         .store = into<chip, &S::chunk_flits>},
        {.path = "switch.packet_limit", .type = v::number, .fallback = "auto", .unit = d::flits, .least = "2", .most = "1048576", .words = {"auto"},
         .doc = "Longest packet that a switch takes, header and check word included; `auto`: the longest of the scenario.", .store = into<chip, &S::packet_limit_flits>},
        {.path = "switch.route_delay", .type = v::number, .fallback = "1 cycle", .unit = d::cycles, .least = "1", .most = "15", .doc = "Time to route a header.", .source = tr41,
         .store = into<chip, &S::route_delay>},
        {.path = "switch.crossbar_delay", .type = v::number, .fallback = "1 cycle", .unit = d::cycles, .least = "1", .most = "16", .doc = "Time through the crossbar.", .source = tr41,
         .store = into<chip, &S::crossbar_delay>},
        {.path = "switch.arbitration", .type = v::choice, .fallback = "round_robin", .choices = {{"round_robin", "in turn"}, {"fixed", "the lowest input first"}},
         .doc = "Which input an output takes.", .store = into<chip, &S::arbitration>},
        {.path = "switch.read_ports", .type = v::number, .fallback = "all", .least = "1", .most = "64", .words = {"all"},
         .doc = "Outputs that may read one input buffer in the same cycle.", .source = tr41, .store = into<chip, &S::read_ports>},
        {.path = "packet", .doc = "What travels."},
        {.path = "packet.header", .type = v::choice, .fallback = "inline",
         .choices = {{"inline", "in the first flits"}, {"free", "beside the head flit at no cost, as the paper counts"}}, .doc = "Where header and check word travel.", .source = tr41,
         .store = into<packet, &packet_settings::header>},
        {.path = "packet.payload", .type = v::number, .fallback = "128 B", .unit = d::bytes, .least = "1", .most = "65535",
         .doc = "Longest payload; longer messages are cut into packets.", .source = tr41, .store = into<packet, &packet_settings::payload_bytes>},
        {.path = "host", .doc = "Every host with its network interface (NI)."},
        {.path = "host.send_overhead", .type = v::number, .fallback = "1000 cycle", .unit = d::cycles, .least = "0", .most = "1000000000", .doc = "t_hs: host's work to send a message.",
         .source = tr41, .store = into<host, &H::send_overhead>},
        {.path = "host.receive_overhead", .type = v::number, .fallback = "1000 cycle", .unit = d::cycles, .least = "0", .most = "1000000000",
         .doc = "t_hr: host's work to receive a message.", .source = tr41, .store = into<host, &H::receive_overhead>},
        {.path = "host.ni_send", .type = v::number, .fallback = "1000 cycle", .unit = d::cycles, .least = "0", .most = "1000000000", .doc = "t_ns: NI's work to send a packet.",
         .source = tr41, .store = into<host, &H::ni_send>},
        {.path = "host.ni_receive", .type = v::number, .fallback = "1000 cycle", .unit = d::cycles, .least = "0", .most = "1000000000", .doc = "t_nr: NI's work to receive a packet.",
         .source = tr41, .store = into<host, &H::ni_receive>},
        {.path = "host.bus", .type = v::number, .fallback = "800/3 MB/s", .unit = d::bandwidth, .whole = false, .least = "1/1000000", .most = "1000000",
         .doc = "Bandwidth of the I/O bus, one for both directions; a DMA of b bytes takes ceil(b / bandwidth) cycles. The default is what is rounded to \"266 MB/s\" "
                "(8 bytes at 33 1/3 MHz): exactly ceil(3b/4) cycles of 5 ns, while a literal `266 MB/s` takes a little longer.",
         .source = tr41, .store = into<host, &H::bus>},
        {.path = "host.cycle", .type = v::number, .fallback = "5 ns", .unit = d::period, .whole = false, .least = "1/1000", .most = "1000000",
         .doc = "Length of a cycle; converts seconds to cycles everywhere.", .source = tr41, .store = into<host, &H::cycle_ns>},
        {.path = "host.overlapped", .type = v::boolean, .fallback = "false",
         .doc = "Whether the NI receives at no cost to what it sends, as in the paper; else one processor does both.", .source = tr41, .store = into<host, &H::overlapped>},
    };
}

std::vector<key> workload_keys() {
    const std::vector<condition> multicast{{"kind", {"multicast"}}};
    const std::vector<condition> unicast{{"kind", {"unicast"}}};
    const std::vector<condition> hotspot{{"kind", {"unicast"}}, {"pattern", {"hotspot"}}};
    const std::vector<condition> not_all{{"pattern", {"uniform", "permutation", "hotspot"}}};
    return {
        {.path = "workload", .type = v::sections, .required = true, .doc = "List of workloads; each runs alone on every network.",
         .store = [](settings& s, const value&) { s.workloads.emplace_back(); }},
        {.path = "workload[].name", .type = v::name, .required = true, .doc = "Name in results; no two alike.", .store = into_workload<&W::name>},
        {.path = "workload[].kind", .type = v::choice, .required = true, .choices = {{"unicast", "each message to one host"}, {"multicast", "each message to several hosts"}},
         .doc = "What is sent.", .store = into_workload<&W::kind>},
        {.path = "workload[].scheme", .type = v::choice, .fallback = "tree",
         .choices = {{"tree", "one tree worm, copied by the switches"}, {"unicasts", "a unicast to each destination, one after the other"}}, .only = multicast,
         .doc = "How a multicast is done.", .source = tr41, .store = into_workload<&W::scheme>},
        {.path = "workload[].degree", .type = v::number, .fallback = "15", .least = "1", .most = "16383", .only = multicast,
         .doc = "Number of destinations of a random multicast; with given destinations it is their number and may be left out.", .source = tr41, .store = into_workload<&W::degree>},
        {.path = "workload[].destinations", .type = v::names, .fallback = "random", .words = {"random"}, .only = multicast,
         .doc = "Hosts, by name or number; `random`: a new draw for every message, the same in workloads of equal degree.", .source = tr41,
         .store = into_workload<&W::destinations>},
        {.path = "workload[].source", .type = v::text, .fallback = "random", .words = {"random"}, .only = multicast,
         .doc = "Sending host of single messages, by name or number; `random`: a new draw for every message.", .source = tr41, .store = into_workload<&W::source>},
        {.path = "workload[].pattern", .type = v::choice, .fallback = "uniform",
         .choices = {{"uniform", "to any other host alike"}, {"permutation", "every host to a partner of its own, drawn once"}, {"hotspot", "uniform, but a fraction goes to a few hosts"},
                     {"each_to_each", "every host one message to every other, all at once"}},
         .only = unicast, .doc = "Who sends to whom.", .store = into_workload<&W::pattern>},
        {.path = "workload[].hotspot", .only = hotspot, .doc = "The hosts that get more."},
        {.path = "workload[].hotspot.hosts", .type = v::names, .required = true, .doc = "Hosts, by name or number.", .store = into_workload<&W::hotspot_hosts>},
        {.path = "workload[].hotspot.fraction", .type = v::number, .fallback = "0.2", .unit = d::fraction, .whole = false, .least = "0", .most = "1",
         .doc = "Fraction of all messages that goes to them, each alike.", .store = into_workload<&W::hotspot_fraction>},
        {.path = "workload[].message", .type = v::number, .fallback = "128 B", .unit = d::bytes, .least = "1", .most = "1000000000", .doc = "Length of a message.", .source = tr41,
         .store = into_workload<&W::message_bytes>},
        {.path = "workload[].rate", .type = v::number, .fallback = "single", .unit = d::load, .whole = false, .least = "1/1000000000", .most = "1", .words = {"single"}, .only = not_all,
         .doc = "Message flits that every host generates per cycle, at random times; `single`: messages one by one through an empty network.", .source = tr41,
         .store = into_workload<&W::rate>},
        {.path = "workload[].messages", .type = v::number, .fallback = "1", .least = "1", .most = "1000000", .only = not_all, .doc = "Number of single messages.",
         .store = into_workload<&W::messages>},
    };
}

std::vector<key> measurement_keys() {
    constexpr auto measurement = &settings::measurement;
    constexpr auto trace = &settings::trace;
    return {
        {.path = "measurement", .doc = "What of a run under load is counted; single messages are always counted whole."},
        {.path = "measurement.warmup", .type = v::number, .fallback = "10000 cycle", .unit = d::cycles, .least = "0", .most = most_cycles,
         .doc = "Time before the first message that counts.", .store = into<measurement, &M::warmup>},
        {.path = "measurement.window", .type = v::number, .fallback = "100000 cycle", .unit = d::cycles, .least = "1", .most = most_cycles,
         .doc = "Time in which messages are created that count.", .store = into<measurement, &M::window>},
        {.path = "measurement.drain_limit", .type = v::number, .fallback = "10000000 cycle", .unit = d::cycles, .least = "0", .most = most_cycles,
         .doc = "Longest time after the window until all is delivered; a run that takes longer fails.", .store = into<measurement, &M::drain_limit>},
        {.path = "measurement.batches", .type = v::number, .fallback = "20", .least = "2", .most = "1000",
         .doc = "Batches of the window whose means give the confidence interval under load.", .store = into<measurement, &M::batches>},
        {.path = "watchdog", .doc = "Stops a run that hangs."},
        {.path = "watchdog.patience", .type = v::number, .fallback = "100000 cycle", .unit = d::cycles, .least = "100", .most = most_cycles,
         .doc = "Time without any movement, with packets under way, after which a run fails.", .store = into<&settings::patience>},
        {.path = "trace", .doc = "Waves."},
        {.path = "trace.chips", .type = v::names, .fallback = "[]", .words = {"all"}, .doc = "Switches, by name, whose pins and state are written; `all`.",
         .store = into<trace, &R::chips>},
        {.path = "trace.from", .type = v::number, .fallback = "0 cycle", .unit = d::cycles, .least = "0", .most = most_cycles, .doc = "First cycle.",
         .store = into<trace, &R::from>},
        {.path = "trace.to", .type = v::number, .fallback = "end", .unit = d::cycles, .least = "0", .most = most_cycles, .words = {"end"}, .doc = "Last cycle.",
         .store = into<trace, &R::to>},
        {.path = "trace.format", .type = v::choice, .fallback = "fst", .choices = {{"fst", "GTKWave's compressed format"}, {"vcd", "text that every viewer reads"}},
         .doc = "File format.", .store = into<trace, &R::format>},
        {.path = "trace.on_failure", .type = v::number, .fallback = "200 cycle", .unit = d::cycles, .least = "0", .most = "1000000",
         .doc = "Cycles before a failing check that are written even without `chips`; 0: none.", .store = into<trace, &R::on_failure>},
    };
}

}  // namespace

const std::vector<key>& keys() {
    static const std::vector<key> all = [] {
        std::vector<key> joined = top_and_network_keys();
        for (const std::vector<key>& more : {chip_and_host_keys(), workload_keys(), measurement_keys()}) joined.insert(joined.end(), more.begin(), more.end());
        return joined;
    }();
    return all;
}

const key* find_key(std::string_view path) {
    const auto found = std::find_if(keys().begin(), keys().end(), [&](const key& k) { return k.path == path; });
    return found == keys().end() ? nullptr : &*found;
}

std::vector<const key*> keys_in(std::string_view parent) {
    std::vector<const key*> found;
    for (const key& k : keys()) {
        if (k.parent() == parent) found.push_back(&k);
    }
    return found;
}

std::string range_text(const key& k) {
    const auto with_unit = [&](std::string_view bound) {
        const std::string_view unit = base_unit(k.unit);
        return std::string(bound) + (unit.empty() ? "" : " ") + std::string(unit);
    };
    if (!k.least.empty() && !k.most.empty()) return std::string(k.least) + ".." + with_unit(k.most);
    if (!k.least.empty()) return "at least " + with_unit(k.least);
    return k.most.empty() ? "" : "at most " + with_unit(k.most);
}

}  // namespace polycast::tlm::scenario
