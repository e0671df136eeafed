// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/lanes/lane_driver.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "hw/input_error.h"
#include "hw/ni/abi/ni_registers.h"
#include "hw/traffic/random.h"

namespace polycast::hw::lanes {

namespace {

/// Bytes that are made, or looked at, at once.
constexpr std::size_t slice = 65536;
/// Of a message. Each has a window of its own, so where there are windows there is one.
constexpr std::uint32_t segments = 16;
constexpr unsigned most_expected = 1000;  ///< firmware has 1,024 receive buffers, some for what nobody expects

template <typename function>
void for_slices(const collectives::byte_range& range, const function& call) {
    for (std::uint64_t done = 0; done < range.bytes; done += slice)
        call(range.first + done, static_cast<std::size_t>(std::min<std::uint64_t>(slice, range.bytes - done)));
}

std::string name_of(const collectives::lane_plan& plan, std::size_t node) {
    return std::string(collectives::name_of(plan.algorithm)) + " over " + std::to_string(plan.nodes()) +
           " nodes: node " + std::to_string(node);
}

/// Gives the messages that a node sends on counters, one after the other at each interface.
void number_counters(lane_job& job, const collectives::lane_plan& plan) {
    job.counters.resize(job.messages.size());
    job.tells.resize(job.messages.size());
    for (const lane_message& message : job.messages)
        if (message.supplier != lane_message::none)
            job.tells[message.supplier] |= std::uint64_t{1} << job.interface_of(message);
    for (std::size_t node = 0; node < job.receives.size(); ++node) {
        std::array<unsigned, collectives::broadcast_lanes> next{};
        for (const std::uint32_t number : job.receives[node]) {
            for (unsigned interface = 0; interface < next.size(); ++interface)
                if ((job.tells[number] >> interface & 1) != 0)
                    job.counters[number] = std::max(job.counters[number], next[interface]);
            for (unsigned interface = 0; interface < next.size(); ++interface)
                if ((job.tells[number] >> interface & 1) != 0) next[interface] = job.counters[number] + 1;
        }
        const unsigned most = *std::ranges::max_element(next);
        if (most > NI_COUNTER_ELEMENTS)
            throw input_error(name_of(plan, node) + " needs " + std::to_string(most) +
                                  " counters of an interface that has " + std::to_string(NI_COUNTER_ELEMENTS),
                              "fewer nodes, two lanes, or another algorithm");
    }
}

}  // namespace

/// What the driver is told by the second interface.
class lane_driver::side final : public host::process_client {
public:
    explicit side(lane_driver& driver) : driver_(driver) {}

    void sent(cycle when, std::uint64_t context, ni_status status) override { driver_.sent(when, context, status); }
    void received(cycle when, const host::delivery& message) override { driver_.received(when, message); }
    void landed(cycle when, std::uint64_t context, ni_status status) override { driver_.landed(when, context, status); }
    void failed(cycle when, const host::ni_report& report) override { driver_.failed(when, report); }

private:
    lane_driver& driver_;
};

std::shared_ptr<const lane_job> make_lane_job(const collectives::lane_plan& plan, const lane_driver_params& params,
                                              unsigned interfaces) {
    if (interfaces == 0 || interfaces > collectives::broadcast_lanes)
        throw input_error("nodes with " + std::to_string(interfaces) + " interfaces for two lanes", "1 or 2");
    if (params.streams == 0) throw input_error("no stream between sites", "1 or more");
    auto job = std::make_shared<lane_job>();
    job->params = params;
    job->interfaces = interfaces;
    job->messages = lane_messages(plan, params.bytes, params.piece, params.window == 0 ? segments : 1);
    job->receives.resize(plan.nodes());
    job->sends.resize(plan.nodes());
    for (std::uint32_t number = 0; number < job->messages.size(); ++number) {
        job->receives[job->messages[number].child].push_back(number);
        job->sends[job->messages[number].parent].push_back(number);
    }
    for (std::size_t node = 0; node < job->receives.size(); ++node) {
        std::array<unsigned, collectives::broadcast_lanes> expected{};
        for (const std::uint32_t number : job->receives[node]) ++expected[job->interface_of(job->messages[number])];
        const unsigned most = *std::ranges::max_element(expected);
        if (most > most_expected)
            throw input_error(name_of(plan, node) + " expects " + std::to_string(most) +
                                  " messages at an interface that has room for " + std::to_string(most_expected),
                              "fewer nodes, two lanes, or another algorithm");
    }
    number_counters(*job, plan);
    return job;
}

lane_driver::lane_driver(const host::host_context& context, std::shared_ptr<const lane_job> job, lane_scoreboard& sink)
    : context_(context),
      job_(std::move(job)),
      landed_(context.told, [&sink](cycle when, std::uint32_t node, std::uint64_t first,
                                    std::span<const std::uint8_t> bytes) { sink.landed(when, node, first, bytes); }),
      second_(std::make_unique<side>(*this)),
      to_come_(job_->receives[node()].size()),
      to_send_(job_->sends[node()].size()) {}

lane_driver::~lane_driver() = default;

host::process_client* lane_driver::client(unsigned interface) {
    return interface == 0 ? static_cast<host::process_client*>(this) : second_.get();
}

void lane_driver::start() {
    for (host::process* const each : context_.everywhere) each->open_region(job_->params.bytes);
    for (const std::uint32_t number : job_->receives[node()]) expect(number);
    if (node() == 0) {
        context_.time.schedule(std::max(job_->params.start, context_.time.now()), *this);
    } else {
        for (const std::uint32_t number : job_->sends[node()]) send(number);
    }
}

void lane_driver::due(cycle /*when*/, std::uint64_t /*tag*/) {
    fill();
    for (const std::uint32_t number : job_->sends[node()]) send(number);
}

/// The root makes the payload.
void lane_driver::fill() {
    for_slices({0, job_->params.bytes}, [this](std::uint64_t first, std::size_t bytes) {
        scratch_.resize(bytes);
        traffic::fill_payload(job_->params.payload_seed, broadcast_transfer, scratch_, first);
        context_.own.write_region(first, scratch_);
    });
}

void lane_driver::expect(std::uint32_t number) {
    const lane_message& message = job_->messages[number];
    host::landing_order order;
    order.source = message.parent;
    order.process = context_.own.params().process;
    order.number = number;
    order.offset = message.range.first;
    order.bytes = static_cast<std::uint32_t>(message.range.bytes);
    order.tell = job_->tells[number];
    if (order.tell != 0) order.count = {job_->counters[number], message.step};
    order.context = number;
    ++uses_[number];
    process_of(message).expect(order);
}

void lane_driver::send(std::uint32_t number) {
    const lane_message& message = job_->messages[number];
    const auto bytes = static_cast<std::uint32_t>(message.range.bytes);
    host::send_order order;
    order.to = message.child;
    order.process = context_.own.params().process;
    order.number = number;
    order.context = number;
    order.second = job_->interfaces == 1 && message.lane == 1;
    if (message.supplier != lane_message::none) {
        // What is not pipelined counts once, so its first count stands for everything.
        const lane_message& before = job_->messages[message.supplier];
        order.follow = {job_->counters[message.supplier], before.pipelined ? before.step : bytes};
        order.whole = !message.pipelined;
    }
    for (const std::uint32_t source : message.sources) ++uses_[source];
    if (message.wide) {
        const std::uint64_t window = std::uint64_t{job_->params.window} * job_->params.streams;
        order.window =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(window, std::numeric_limits<std::uint32_t>::max()));
    }
    process_of(message).send_region(order, message.range.first, bytes);
}

void lane_driver::landed(cycle when, std::uint64_t context, ni_status status) {
    const auto number = static_cast<std::uint32_t>(context);
    --to_come_;
    if (status != NI_STATUS_OK)
        return fail("message " + std::to_string(number) + " did not come, status " + std::to_string(status));
    const lane_message& message = job_->messages[number];
    for_slices(message.range, [&](std::uint64_t first, std::size_t bytes) {
        landed_(when, node(), first, context_.own.region(first, bytes, scratch_));
    });
    used(number);
}

void lane_driver::sent(cycle /*when*/, std::uint64_t context, ni_status status) {
    const auto number = static_cast<std::uint32_t>(context);
    --to_send_;
    if (status != NI_STATUS_OK)
        fail("message " + std::to_string(number) + " was not sent, status " + std::to_string(status));
    for (const std::uint32_t source : job_->messages[number].sources) used(source);
    if (node() == 0 && to_send_ == 0) context_.own.release_region(0, job_->params.bytes);
}

/// Gives the memory of a message back that has landed and has been sent on everywhere.
void lane_driver::used(std::uint32_t number) {
    if (--uses_[number] != 0) return;
    const collectives::byte_range& range = job_->messages[number].range;
    context_.own.release_region(range.first, range.bytes);
}

void lane_driver::received(cycle /*when*/, const host::delivery& message) {
    fail("nobody expected message " + std::to_string(message.number) + " of node " + std::to_string(message.source));
}

void lane_driver::failed(cycle /*when*/, const host::ni_report& report) {
    fail("an interface reports status " + std::to_string(report.status) + " of message " +
         std::to_string(report.message));
}

void lane_driver::fail(const std::string& what) {
    failures_.add("cycle " + std::to_string(context_.time.now()) + ", node " + std::to_string(node()) + ": " + what);
}

host::application_factory drive_lanes(std::shared_ptr<const lane_job> job, lane_scoreboard& sink) {
    return [job = std::move(job), &sink](const host::host_context& context) {
        return std::make_unique<lane_driver>(context, job, sink);
    };
}

}  // namespace polycast::hw::lanes
