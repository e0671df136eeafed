// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/lanes/lane_streams.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "hw/delivery/check.h"
#include "hw/format/header.h"
#include "hw/host/application.h"
#include "hw/input_error.h"
#include "hw/traffic/random.h"
#include "hw/workloads/lanes/lane_messages.h"

namespace polycast::hw::lanes {

namespace {

constexpr unsigned most_processes = 64;
constexpr unsigned warm_up = 2;       ///< round trips
constexpr unsigned run_out = 2;       ///< windows behind those that are measured
constexpr cycle start = 100'000;      ///< the receiver has said by then what it expects
constexpr std::size_t slice = 65536;  ///< bytes that are made, or looked at, at once

/// What both ends and the meter know of the streams.
struct streams {
    unsigned count = 1;
    std::uint32_t bytes = 0;  ///< of each
    std::uint32_t window = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint64_t payload_seed = 1;

    unsigned processes() const { return std::min(count, most_processes); }
    /// Of a process: its number, and that number of processes further.
    template <typename function>
    void of_process(unsigned process, const function& call) const {
        for (unsigned stream = process; stream < count; stream += most_processes) call(stream);
    }
    std::uint64_t place(unsigned stream) const { return std::uint64_t{stream / most_processes} * bytes; }
    void make(unsigned stream, std::uint64_t first, std::vector<std::uint8_t>& content) const {
        traffic::fill_payload(payload_seed, stream, content, first);
    }
};

template <typename function>
void for_slices(std::uint32_t bytes, const function& call) {
    for (std::uint32_t done = 0; done < bytes; done += slice) call(done, std::min<std::size_t>(slice, bytes - done));
}

/// Sees packets when they come, and every byte when its message is complete.
class stream_meter final : public ni::observer, private delivery::check {
public:
    stream_meter(const streams& all, unsigned rounds)
        : check(all.payload_seed),
          all_(all),
          first_(std::uint64_t{warm_up} * all.window),
          last_(first_ + std::uint64_t{rounds} * all.window),
          states_(all.count) {}

    void arrived(cycle now, const ni::received_packet& packet) override {
        if (packet.host != all_.to || packet.transport.op != format::transport_op::data) return;
        if (packet.transport.message >= states_.size()) return;
        state& own = states_[packet.transport.message];
        own.bytes += packet.payload.size();
        if (own.bytes >= first_ && own.begin == 0) {
            own.begin = now;
            own.at_begin = own.bytes;
        }
        if (own.bytes >= last_ && own.end == 0) {
            own.end = now;
            own.at_end = own.bytes;
        }
    }

    void landed(cycle when, unsigned stream, std::uint64_t first, std::span<const std::uint8_t> bytes) {
        until_ = std::max(until_, when + 1);
        if (const auto wrong = first_wrong(stream, first, bytes))
            return fault("stream " + std::to_string(stream) + ": byte " + std::to_string(first + *wrong) + " is wrong");
        checked_ += bytes.size();
    }

    std::uint64_t checked() const { return checked_; }
    cycle until() const { return until_; }
    bool complete() const { return checked_ == std::uint64_t{all_.count} * all_.bytes; }
    std::vector<std::string> faults() const {
        std::vector<std::string> all = check::faults();
        if (!complete())
            all.push_back(std::to_string(std::uint64_t{all_.count} * all_.bytes - checked_) + " bytes are missing");
        return all;
    }
    double bytes_per_cycle() const {
        double sum = 0;
        for (const state& own : states_)
            if (own.end > own.begin)
                sum += static_cast<double>(own.at_end - own.at_begin) / static_cast<double>(own.end - own.begin);
        return sum;
    }

private:
    struct state {
        std::uint64_t bytes = 0;
        cycle begin = 0, end = 0;
        std::uint64_t at_begin = 0, at_end = 0;
    };

    const streams& all_;
    std::uint64_t first_, last_;
    std::vector<state> states_;
    std::uint64_t checked_ = 0;
    cycle until_ = 0;
};

/// A process at either end: the sending one tells what it has sent, the receiving one what has come.
class stream_process final : public host::application, private ni::timeline::task {
public:
    stream_process(const host::host_context& context, const streams& all, stream_meter& meter)
        : context_(context), all_(all), meter_(meter), sends_(context.own.params().host == all.from) {
        all_.of_process(number(), [this](unsigned) { ++open_; });
    }

    void start() override {
        context_.own.open_region(std::uint64_t{open_} * all_.bytes);
        if (sends_) return context_.time.schedule(lanes::start, *this);
        all_.of_process(number(), [this](unsigned stream) {
            context_.own.expect({.source = all_.from,
                                 .process = number(),
                                 .number = stream,
                                 .offset = all_.place(stream),
                                 .bytes = all_.bytes,
                                 .context = stream});
        });
    }
    bool finished() const override { return open_ == 0; }
    std::vector<std::string> failures() const override { return failures_; }

private:
    unsigned number() const { return context_.own.params().process; }

    void due(cycle /*when*/, std::uint64_t /*tag*/) override {
        all_.of_process(number(), [this](unsigned stream) {
            for_slices(all_.bytes, [&](std::uint32_t first, std::size_t bytes) {
                scratch_.resize(bytes);
                all_.make(stream, first, scratch_);
                context_.own.write_region(all_.place(stream) + first, scratch_);
            });
            host::send_order order;
            order.to = all_.to;
            order.process = number();
            order.number = stream;
            order.window = all_.window;
            order.second = stream >= most_processes;
            order.context = stream;
            context_.own.send_region(order, all_.place(stream), all_.bytes);
        });
    }
    void sent(cycle /*when*/, std::uint64_t context, ni_status status) override { done(context, status); }
    void landed(cycle when, std::uint64_t context, ni_status status) override {
        const auto stream = static_cast<unsigned>(context);
        if (status == NI_STATUS_OK) {
            for_slices(all_.bytes, [&](std::uint32_t first, std::size_t bytes) {
                meter_.landed(when, stream, first, context_.own.region(all_.place(stream) + first, bytes, scratch_));
            });
        }
        done(context, status);
    }
    void received(cycle /*when*/, const host::delivery& message) override {
        failures_.push_back("nobody expected message " + std::to_string(message.number));
    }
    void done(std::uint64_t stream, ni_status status) {
        --open_;
        if (status != NI_STATUS_OK)
            failures_.push_back("stream " + std::to_string(stream) + ": status " + std::to_string(status));
    }

    host::host_context context_;
    const streams& all_;
    stream_meter& meter_;
    bool sends_;
    unsigned open_ = 0;
    std::vector<std::uint8_t> scratch_;
    std::vector<std::string> failures_;
};

/// \throws input_error on parameters out of range
streams streams_of(const lane_stream_params& params) {
    if (params.network.sites.size() < 2) throw input_error("streams between sites need two of them");
    if (params.streams == 0 || params.streams > most_streams)
        throw input_error(std::to_string(params.streams) + " streams", "1 to " + std::to_string(most_streams));
    if (params.rounds == 0) throw input_error("streams are measured for one round trip or more");
    if (params.window < params.network.payload_bytes)
        throw input_error("a window of " + std::to_string(params.window) + " bytes, but packets carry " +
                              std::to_string(params.network.payload_bytes),
                          "a larger window, or shorter packets");
    const std::uint64_t bytes = std::uint64_t{params.window} * (warm_up + params.rounds + run_out);
    const std::uint64_t most = most_bytes / ((params.streams - 1) / most_processes + 1);
    if (bytes > most)
        throw input_error("a stream of " + std::to_string(bytes) + " bytes does not fit into a region",
                          "fewer round trips, or a smaller window");
    return {.count = params.streams,
            .bytes = static_cast<std::uint32_t>(bytes),
            .window = params.window,
            .from = 0,
            .to = params.network.sites.front(),
            .payload_seed = params.payload_seed};
}

system::system_plan plan_of(const lane_stream_params& params, const streams& all) {
    lane_network_params network = params.network;
    network.lanes = 1;
    network.processes = all.processes();
    return make_sites(network);
}

}  // namespace

struct lane_stream_run::parts {
    explicit parts(const lane_stream_params& params)
        : all(streams_of(params)), meter(all, params.rounds), plan(plan_of(params, all)) {}

    streams all;
    stream_meter meter;
    system::system_plan plan;
};

lane_stream_run::lane_stream_run(const lane_stream_params& params) : parts_(std::make_unique<parts>(params)) {}

lane_stream_run::~lane_stream_run() = default;

const system::system_plan& lane_stream_run::plan() const {
    return parts_->plan;
}

system::host_factory lane_stream_run::hosts(system::processor_factory processors) {
    const auto programs = [&of = *parts_](std::uint32_t node) -> std::vector<host::application_factory> {
        if (node != of.all.from && node != of.all.to) return {};
        return {of.all.processes(), [&of](const host::host_context& context) {
                    return std::make_unique<stream_process>(context, of.all, of.meter);
                }};
    };
    return system::program_hosts(std::move(processors), programs, &parts_->meter);
}

bool lane_stream_run::complete() const {
    return parts_->meter.complete();
}

cycle lane_stream_run::delivered_until() const {
    return parts_->meter.until();
}

std::string lane_stream_run::oldest_missing() const {
    return complete() ? "" : parts_->meter.faults().back();
}

double lane_stream_run::bytes_per_cycle() const {
    return parts_->meter.bytes_per_cycle();
}

std::uint64_t lane_stream_run::bytes() const {
    return parts_->meter.checked();
}

std::vector<std::string> lane_stream_run::faults() const {
    return parts_->meter.faults();
}

}  // namespace polycast::hw::lanes
