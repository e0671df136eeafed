// SPDX-License-Identifier: Apache-2.0
#include "testbench/ni/star_bench.h"

#include <algorithm>
#include <map>
#include <utility>

#include "hw/chips/switch/switch_core.h"
#include "testbench/ni/commands.h"

namespace polycast::testbench::ni {

using namespace hw;

namespace {

chips::switch_tables star_tables(const chips::switch_params& params) {
    chips::switch_tables tables;
    tables.packet_limit = params.chunks * params.chunk_flits;
    tables.tree_header_flits =
        params.header_free ? 1 : format::header_flits(format::tree_header_bytes(params.max_hosts), params.flit_bytes);
    tables.port_direction.assign(params.ports, format::direction::down);
    tables.buffer_chunks.assign(params.ports, params.chunks);
    tables.credits.assign(params.ports, params.chunks);
    tables.reach_total.edit().assign(1, 0xff);
    for (unsigned port = 0; port < params.ports; ++port) {
        tables.unicast_up.edit().push_back(std::uint64_t{1} << port);
        tables.reach_port.push_back({std::uint64_t{1} << port});
    }
    tables.unicast_down = tables.unicast_up;
    return tables;
}

}  // namespace

/// Puts packets on its output pins, each from a given cycle on, flit after flit. Nobody sends to it.
class star_bench::wire_sender final : public engine::chip {
public:
    explicit wire_sender(const engine::pin_shape& shape) : shape_(shape) {}

    void add(cycle when, link_packet packet) { packets_.emplace(when, std::move(packet)); }

    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override {
        packets_.clear();
        next_ = 0;
    }
    cycle step(cycle now, const engine::pins&, engine::pins& out) override {
        if (packets_.empty()) return engine::never;
        const auto first = packets_.begin();
        if (first->first > now) return first->first;
        const link_packet& packet = first->second;
        const std::size_t width = shape_.flit_bytes;
        out.valid = 1;
        out.head = next_ == 0 ? 1 : 0;
        std::copy_n(packet.flits.begin() + static_cast<std::ptrdiff_t>(next_), width, out.data.begin());
        if (next_ == 0) std::ranges::copy(packet.header, out.header.begin());
        next_ += width;
        if (next_ == packet.flits.size()) {
            out.tail = 1;
            next_ = 0;
            packets_.erase(first);
        }
        return now + 1;
    }
    bool idle() const override { return packets_.empty(); }

private:
    engine::pin_shape shape_;
    std::multimap<cycle, link_packet> packets_;
    std::size_t next_ = 0;
};

/// Collects the packets that leave each chip with one port.
class star_bench::link_log final : public engine::observer {
public:
    explicit link_log(observation& seen) : seen_(seen) {}

    void stepped(engine::chip_id id, cycle, const engine::pins&, const engine::pins& out,
                 const engine::chip& chip) override {
        if (id >= seen_.nodes.size() || out.valid == 0) return;
        std::vector<link_packet>& link = seen_.nodes[id].link;
        if (out.head != 0) {
            link.emplace_back();
            link.back().header.assign(out.header.begin(), out.header.end());
        }
        if (link.empty()) return;
        link.back().flits.insert(link.back().flits.end(), out.data.begin(),
                                 out.data.begin() + static_cast<std::ptrdiff_t>(chip.shape().flit_bytes));
    }

private:
    observation& seen_;
};

star_bench::star_bench(const star_params& params,
                       const std::function<hw::ni::processor_factory(std::uint32_t host)>& factory_of)
    : params_(params) {
    chips::switch_params chip;
    chip.ports = chip.max_hosts = 8;
    chip.flit_bytes = params.flit_bytes;
    chip.header_free = params.header_free;
    const engine::pin_shape shape = chip.pin_shape();
    interface_.hosts = 8;
    interface_.flit_bytes = params.flit_bytes;
    interface_.header_bytes = shape.header_bytes;
    interface_.chunk_flits = chip.chunk_flits;
    interface_.credits = chip.chunks;
    interface_.payload_bytes = 64;
    interface_.processes = params.processes;
    interface_.wait = params.wait;
    for (std::uint32_t host = 0; host < params.hosts; ++host) {
        interface_.host = host;
        auto made = std::make_unique<ni_node>(interface_, factory_of(host), params.processes * process_layout::bytes);
        nodes_.push_back(made.get());
        network_.add(std::move(made), "host" + std::to_string(host));
        node(host).at(10, [this, host] { set_up(host); });
    }
    seen_.nodes.resize(params.hosts);
    auto wire = std::make_unique<wire_sender>(engine::pin_shape{1, shape.flit_bytes, shape.header_bytes});
    wire_ = wire.get();
    network_.add(std::move(wire), "wire");
    const engine::chip_id middle =
        network_.add(std::make_unique<chips::switch_core>(chip, star_tables(chip)), "switch");
    for (std::uint32_t port = 0; port <= params.hosts; ++port) {
        network_.connect({port, 0}, {middle, port}, {.delay = 1, .chunk_flits = chip.chunk_flits});
    }
    log_ = std::make_unique<link_log>(seen_);
    network_.observe(log_.get());
}

star_bench::~star_bench() = default;

std::uint8_t star_bench::content(std::uint32_t host, unsigned process, std::uint32_t offset) {
    return static_cast<std::uint8_t>(host * 37 + process * 11 + offset * 7 + offset / 256 * 13 + 1);
}

void star_bench::set_up(std::uint32_t host) {
    using layout = process_layout;
    ni_node& own = node(host);
    for (unsigned process = 0; process < params_.processes; ++process) {
        const std::uint32_t start = process * layout::bytes;
        for (std::uint32_t offset = 0; offset < layout::send_bytes; ++offset)
            own.memory[start + offset] = content(host, process, offset);
        own.open_window(process, send_window, start, layout::send_bytes, 1);
        own.open_window(process, receive_window, start + layout::receive_at, layout::receive_bytes, 2);
        own.open_window(process, statistics_window, start + layout::statistics_at, 4 * NI_STATISTICS, 2);
        own.open_queue(process, start + layout::queue_at, layout::queue_entries);
        own.enable(process, process == 0);
    }
}

void star_bench::next_phase(cycle length) {
    phase_ = end_;
    end_ = phase_ + length;
    for (std::uint32_t host = 0; host < params_.hosts; ++host) {
        node(host).at(end_ - 1, [this, host, phase = phase_] {
            if (!node(host).idle())
                seen_.unfinished.push_back("host " + std::to_string(host) + ", phase from cycle " +
                                           std::to_string(phase));
        });
    }
}

void star_bench::command(std::uint32_t host, unsigned process, std::vector<std::uint32_t> what, cycle delay) {
    node(host).at(phase_ + delay, [&own = node(host), process, what = std::move(what)] { own.command(process, what); });
}

void star_bench::wire(const packet_fields& fields, cycle delay) {
    wire_->add(phase_ + delay, build_packet(interface_, fields));
}

observation star_bench::run() {
    network_.run(end_);
    for (std::uint32_t host = 0; host < params_.hosts; ++host) {
        observation::node& seen = seen_.nodes[host];
        const hw::ni::ni_statistics counts = node(host).interface().statistics();
        seen.memory = node(host).memory;
        seen.packets_in = counts.packets_in;
        seen.packets_out = counts.packets_out;
        seen.transfers_refused = counts.transfers_refused;
        seen.completions_lost = counts.completions_lost;
        seen.commands_refused = counts.commands_refused;
        seen.errors = counts.errors;
        seen.panic = counts.panic;
    }
    return std::move(seen_);
}

}  // namespace polycast::testbench::ni
