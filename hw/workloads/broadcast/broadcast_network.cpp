// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/broadcast/broadcast_network.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "hw/format/header.h"
#include "hw/input_error.h"
#include "hw/traffic/random.h"

namespace polycast::hw::broadcast {

using chips::broadcast_event;
using engine::cycle;
using engine::pins;
using std::to_string;

namespace {

constexpr std::uint64_t shown_failures = 5;

std::uint64_t all_of(unsigned packets) {
    return ~std::uint64_t{0} >> (64 - packets);
}

unicast_scoreboard::params unicasts_of(const unicast_load& load, const chips::broadcast_params& chip,
                                       const router_network_params& params) {
    return {load.seed, chip.router.nodes(), load.flits, chip.router.pin_shape(),
            params.tables.policy == format::vc_policy::keep};
}

/// "0, 3, 4", shortened.
std::string list(std::uint64_t set) {
    constexpr int most = 8;
    std::string text;
    const int count = std::popcount(set);
    for (int shown = 0; set != 0 && shown < most; set &= set - 1, ++shown)
        text += (shown == 0 ? "" : ", ") + to_string(std::countr_zero(set));
    return count > most ? text + " and " + to_string(count - most) + " more" : text;
}

}  // namespace

struct broadcast_network::job_state {
    job_state(broadcast_job what, std::uint32_t members, std::uint32_t source, unsigned payload, std::uint64_t seed)
        : job(std::move(what)),
          packets(std::accumulate(job.split.begin(), job.split.end(), 0u)),
          bytes(payload),
          scoreboard(members, source, packets, payload, seed),
          memories(std::size_t{members} * packets * payload) {}

    broadcast_job job;
    unsigned packets;
    unsigned bytes;                 ///< of a packet, behind its header
    unsigned round = 0;             ///< modulo 16
    std::vector<unsigned> colours;  ///< [packet]
    message_packets message;
    broadcast_scoreboard scoreboard;
    std::vector<std::uint8_t> memories;  ///< [node of the community][packet][byte]
    bool begun = false;
    broadcast_times times;
};

broadcast_network::~broadcast_network() = default;

broadcast_network::broadcast_network(const router_network_params& params, std::vector<broadcast_job> jobs,
                                     const broadcast_traffic_params& traffic, const system::chip_factory& chips,
                                     const system::stepper_factory& stepper)
    : topology_(params.topology),
      plan_(make_plan(params)),
      chip_(routers_of(topology_, params)),
      dimensions_(params.dimensions),
      header_bytes_(chip_.router.pin_shape().header_bytes),
      limits_(traffic.limits),
      unicasts_(unicasts_of(traffic.unicasts, chip_, params)),
      net_(
          plan_, chips, [&](const system::system_plan&, std::uint32_t node) { return make_host(node, traffic); }, *this,
          stepper),
      units_(topology_.nodes()),
      receivers_(topology_.nodes()),
      arriving_(std::size_t{topology_.nodes()} * chip_.router.ports),
      receiving_(topology_.nodes()),
      watch_(traffic.watch) {
    limits_.slice = 1;                             // unicasts end in the cycle in which the last broadcast is there
    limits_.settle = 2 * (params.link_delay + 2);  // the way of a flit, and that of its credit
    for (unsigned part = 0; part < parts_of(params); ++part) colours_.push_back(colour_of(params, part));
    for (broadcast_job& job : jobs) add_job(std::move(job), traffic.seed + jobs_.size());
    for (const auto& job : jobs_) hosts_[job->job.source]->give(job->message);
    result_.link_sends.resize(arriving_.size());
    net_.network().observe(this);
}

std::uint32_t broadcast_network::rank_of(std::uint32_t node) const {
    const auto place = topology_.coordinates_of(node);
    std::uint32_t rank = 0;
    for (std::size_t i = dimensions_.size(); i-- != 0;) rank = rank * topology_.radix() + place[dimensions_[i]];
    return rank;
}

std::uint32_t broadcast_network::community_of(std::uint32_t node) const {
    auto place = topology_.coordinates_of(node);
    for (const unsigned dimension : dimensions_) place[dimension] = 0;
    return topology_.node_at(place);
}

void broadcast_network::check_job(const broadcast_job& job) const {
    const unsigned packets = std::accumulate(job.split.begin(), job.split.end(), 0u);
    if (job.source >= topology_.nodes()) {
        throw input_error("source " + to_string(job.source) + ": there is no such node",
                          "nodes are 0 to " + to_string(topology_.nodes() - 1));
    }
    if (job.split.size() != colours_.size()) {
        throw input_error("the packets are split into " + to_string(job.split.size()) + " parts",
                          "there are " + to_string(colours_.size()) + " colours or trees");
    }
    if (packets < 1 || packets > chip_.slots) {
        throw input_error(to_string(packets) + " packets", "the routers have slots for 1 to " + to_string(chip_.slots));
    }
    if (job.flits < 1 || job.flits > chip_.slot_flits) {
        throw input_error("packets of " + to_string(job.flits) + " flits",
                          "the routers' slots have 1 to " + to_string(chip_.slot_flits));
    }
}

void broadcast_network::add_job(broadcast_job job, std::uint64_t seed) {
    check_job(job);
    const std::uint32_t source = job.source;
    std::uint32_t members = 1;
    for (std::size_t i = 0; i < dimensions_.size(); ++i) members *= topology_.radix();
    const std::size_t header = header_bytes_ != 0 ? 0 : format::pipelined_header_bytes;
    const std::size_t size = std::size_t{job.flits} * chip_.router.flit_bytes;
    const auto payload = static_cast<unsigned>(size - header);
    std::vector<job_state*>& others = communities_[community_of(source)];
    auto made = std::make_unique<job_state>(std::move(job), members, rank_of(source), payload, seed);
    job_state& state = *made;
    state.round = static_cast<unsigned>(others.size() % chips::round_count);
    for (std::size_t part = 0; part < colours_.size(); ++part)
        state.colours.insert(state.colours.end(), state.job.split[part], colours_[part]);
    message_packets& message = state.message;
    message.packets = state.packets;
    message.flits = state.job.flits;
    message.start = state.job.start;
    message.data.resize(size * state.packets);
    message.headers.resize(header_bytes_ * state.packets);
    for (unsigned packet = 0; packet < state.packets; ++packet) {
        const std::span<std::uint8_t> data = std::span(message.data).subspan(size * packet, size);
        std::uint8_t* const to = header_bytes_ != 0 ? &message.headers[header_bytes_ * packet] : data.data();
        format::write_common({.kind = format::packet_kind::pipelined,
                              .source = source,
                              .sequence = packet,
                              .length = static_cast<std::uint16_t>(payload)},
                             to);
        format::write_pipelined(
            {static_cast<std::uint8_t>(packet), static_cast<std::uint8_t>(state.packets - 1),
             static_cast<std::uint8_t>(state.colours[packet]), static_cast<std::uint8_t>(state.round)},
            to);
        traffic::fill_payload(seed, packet, data.subspan(header));
        std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(header), payload,
                    state.memories.begin() +
                        static_cast<std::ptrdiff_t>((std::size_t{rank_of(source)} * state.packets + packet) * payload));
    }
    others.push_back(&state);
    units_left_ += members - 1;
    hosts_left_ += members - 1;
    jobs_.push_back(std::move(made));
}

std::unique_ptr<broadcast_host> broadcast_network::make_host(std::uint32_t node,
                                                             const broadcast_traffic_params& traffic) {
    host_sink& sink = *this;
    auto made = std::make_unique<broadcast_host>(chip_, node, traffic.host_pause, traffic.unicasts, unicasts_, sink);
    hosts_.push_back(made.get());
    jobs_at_.push_back(&communities_[community_of(node)]);
    return made;
}

broadcast_network::job_state* broadcast_network::expected(std::uint32_t node, progress& at) {
    const std::vector<job_state*>& jobs = *jobs_at_[node];
    while (at.job < jobs.size() && jobs[at.job]->job.source == node) ++at.job;
    return at.job < jobs.size() ? jobs[at.job] : nullptr;
}

/// The last flit of a packet has come. \returns true if that was the last one of the broadcast
bool broadcast_network::finish(const arrival& what, progress& at) {
    at.complete |= std::uint64_t{1} << what.packet;
    if (at.complete != all_of(what.job->packets)) return false;
    ++at.job;
    at.have = at.complete = 0;
    return true;
}

const broadcast_times& broadcast_network::times(std::size_t job) const {
    return jobs_[job]->times;
}

void broadcast_network::held(std::size_t job, std::span<std::uint8_t> counts) const {
    const job_state* const wanted = jobs_[job].get();
    const std::vector<job_state*>& jobs = *jobs_at_[wanted->job.source];
    const auto number = static_cast<std::size_t>(std::ranges::find(jobs, wanted) - jobs.begin());
    for (std::uint32_t node = 0; node < topology_.nodes(); ++node) {
        if (jobs_at_[node] != &jobs) continue;
        const progress& unit = units_[node];
        const bool all = unit.job > number || node == wanted->job.source;
        const int some = unit.job == number ? std::popcount(unit.complete) : 0;
        counts[rank_of(node)] = static_cast<std::uint8_t>(all ? static_cast<int>(wanted->packets) : some);
    }
}

void broadcast_network::stepped(engine::chip_id id, cycle now, const pins& in, const pins& out,
                                const engine::chip& chip) {
    if (observer_ != nullptr) observer_->stepped(id, now, in, out, chip);
    if (id >= topology_.nodes()) return;
    const std::uint64_t network = ~(std::uint64_t{1} << chip_.host_port());
    for (std::uint64_t set = (in.head | in.tail) & network; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        if (in.vc[port] == chip_.unit_vc()) came(id, port, now, in);
    }
    for (std::uint64_t set = out.valid & network; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        if (out.vc[port] != chip_.unit_vc()) continue;
        ++result_.sent_flits;
        if ((out.head >> port & 1) != 0) left(id, port, now, out);
    }
    for (const engine::chip_event& each : out.events) event(id, now, each);
    for (std::uint64_t set = out.error; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        for (unsigned bit = 0; bit < format::chip_error_count; ++bit)
            if ((out.errors[port] >> bit & 1) != 0)
                fail(id, now, "port " + to_string(port) + " raises " + std::string(format::error_name(bit)));
    }
}

void broadcast_network::came(std::uint32_t node, unsigned port, cycle now, const pins& in) {
    const std::size_t at = std::size_t{node} * chip_.router.ports + port;
    progress& unit = units_[node];
    if ((in.head >> port & 1) != 0) {
        const std::uint8_t* header = header_bytes_ != 0 ? &in.header[port * header_bytes_]
                                                        : &in.data[std::size_t{port} * chip_.router.flit_bytes];
        const auto fields = format::read_pipelined(header);
        job_state* const job = expected(node, unit);
        const bool first = job != nullptr && fields.round == job->round && fields.packet < job->packets &&
                           (unit.have >> fields.packet & 1) == 0;
        arriving_[at] = {first ? job : nullptr, fields.packet, 0};
        if (first) unit.have |= std::uint64_t{1} << fields.packet;
    }
    arrival& what = arriving_[at];
    if ((in.tail >> port & 1) == 0 || what.job == nullptr) return;
    if (finish(what, unit)) {
        --units_left_;
        what.job->times.at_units = std::max(what.job->times.at_units, now);
    }
    what.job = nullptr;
}

void broadcast_network::left(std::uint32_t node, unsigned port, cycle now, const pins& out) {
    ++result_.sends;
    ++result_.link_sends[std::size_t{node} * chip_.router.ports + port];
    const std::uint8_t* header =
        header_bytes_ != 0 ? &out.header[port * header_bytes_] : &out.data[std::size_t{port} * chip_.router.flit_bytes];
    if (format::read_field<format::source_field>(header) != node) return;
    for (job_state* job : *jobs_at_[node]) {
        if (job->begun || job->job.source != node) continue;
        if (format::read_pipelined(header).round != job->round) return;
        job->begun = true;
        job->times.begun = now;
        return;
    }
}

void broadcast_network::event(std::uint32_t node, cycle now, const engine::chip_event& what) {
    const auto code = static_cast<broadcast_event>(what.code);
    if (code == broadcast_event::duplicate) {
        ++result_.duplicates;
    } else if (code == broadcast_event::stale) {
        ++result_.stale;
    } else {
        fail(node, now,
             "refuses packet " + to_string(what.index) + " at port " + to_string(unsigned{what.pin}) + ": " +
                 std::string(format::name_of(code)));
    }
}

void broadcast_network::broadcast_came(std::uint32_t node, cycle now, const engine::flit& flit) {
    arrival& what = receiving_[node];
    progress& at = receivers_[node];
    if (flit.head) {
        const auto fields = format::read_pipelined(flit.header);
        job_state* const job = expected(node, at);
        what = {};
        if (job == nullptr || fields.round != job->round || fields.packet >= job->packets ||
            format::read_field<format::source_field>(flit.header) != job->job.source ||
            fields.colour != job->colours[fields.packet])
            return fail(node, now, "the host gets a packet that no broadcast has: " + to_string(fields.packet));
        what = {job, fields.packet, 0};
        job->scoreboard.received(rank_of(node), fields.packet);
    }
    if (what.job == nullptr) return;
    job_state& job = *what.job;
    if (what.flit >= job.job.flits || flit.tail != (what.flit + 1 == job.job.flits)) {
        what.job = nullptr;
        return fail(node, now, "the host gets packet " + to_string(unsigned{what.packet}) + " with another length");
    }
    // The part of the flit behind the header.
    const std::size_t bytes = chip_.router.flit_bytes;
    const std::size_t skipped = header_bytes_ == 0 && flit.head ? format::pipelined_header_bytes : 0;
    const std::size_t from = what.flit * bytes + skipped - (header_bytes_ == 0 ? format::pipelined_header_bytes : 0);
    std::copy_n(
        flit.data + skipped, bytes - skipped,
        job.memories.begin() +
            static_cast<std::ptrdiff_t>((std::size_t{rank_of(node)} * job.packets + what.packet) * job.bytes + from));
    ++what.flit;
    if (!flit.tail) return;
    ++delivered_;
    if (finish(what, at)) {
        --hosts_left_;
        job.times.at_hosts = std::max(job.times.at_hosts, now);
    }
    what.job = nullptr;
}

void broadcast_network::unicast_came(std::uint32_t node, cycle now, const engine::flit& flit) {
    const std::string wrong = unicasts_.came(node, flit);
    if (!wrong.empty()) fail(node, now, "the host gets " + wrong);
}

void broadcast_network::fail(std::uint32_t node, cycle now, const std::string& what) {
    failures_.emplace_back(node, "node " + to_string(node) + ", cycle " + to_string(now) + ": " + what);
}

/// The first ones, whatever the order in which chips were stepped.
std::string broadcast_network::failures() const {
    auto sorted = failures_;
    std::ranges::sort(sorted);
    std::string text = "broadcast: " + to_string(sorted.size()) + " failures";
    for (std::size_t shown = 0; shown < std::min<std::size_t>(sorted.size(), shown_failures); ++shown)
        text += (shown == 0 ? ": " : "; ") + sorted[shown].second;
    return text;
}

engine::cycle broadcast_network::delivered_until() const {
    cycle until = 0;
    for (const auto& job : jobs_) until = std::max(until, job->times.at_hosts + 1);
    return until;
}

bool broadcast_network::stop() {
    if (!failures_.empty()) return true;
    const bool stepped = std::exchange(steps_watched_, network().chip_steps()) != network().chip_steps();
    if (stepped && watch_ && watch_(*this)) return true;
    if (complete())
        for (broadcast_host* host : hosts_) host->stop_unicasts();
    return false;
}

broadcast_network_result broadcast_network::run() {
    using kind = system::run_outcome::kind;
    const kind ended = net_.run(limits_, [this](cycle) { return stop(); }).ended;
    if (!failures_.empty()) throw delivery_error(failures());
    if (ended != kind::complete) {
        throw delivery_error("broadcast: " +
                             (ended == kind::limit
                                  ? "cycle " + to_string(limits_.cycles) + ", the limit, is reached"
                                  : "nothing moves any more after cycle " + to_string(network().now())) +
                             missing());
    }
    check_end();
    for (const auto& job : jobs_) {
        job->scoreboard.compare(job->memories);
        result_.jobs.push_back(job->times);
    }
    result_.end = network().last_flit();
    result_.chip_steps = network().chip_steps();
    result_.flit_hops = network().flit_hops();
    return result_;
}

/// Which nodes lack what.
std::string broadcast_network::missing() const {
    std::string text;
    std::uint64_t shown = 0;
    for (std::uint32_t node = 0; node < topology_.nodes() && shown < shown_failures; ++node) {
        const auto lacks = [&](progress at, const char* who) {
            const std::vector<job_state*>& jobs = *jobs_at_[node];
            while (at.job < jobs.size() && jobs[at.job]->job.source == node) ++at.job;
            if (at.job == jobs.size() || shown == shown_failures) return;
            ++shown;
            const job_state& job = *jobs[at.job];
            text += "; " + std::string(who) + " of node " + to_string(node) + " lacks packets " +
                    list(all_of(job.packets) & ~at.complete) + " of broadcast " + to_string(at.job) + " from node " +
                    to_string(job.job.source);
        };
        lacks(units_[node], "the unit");
        lacks(receivers_[node], "the host");
    }
    return text;
}

void broadcast_network::check_end() {
    const std::string lost = unicasts_.missing();
    if (!lost.empty()) throw delivery_error("broadcast: " + lost);
    for (engine::chip_id id = 0; id < network().size(); ++id)
        if (!network().idle(id))
            throw delivery_error("broadcast: at the end the " + network().name(id) + " is not empty");
    result_.unicasts = unicasts_.begun();
}

}  // namespace polycast::hw::broadcast
