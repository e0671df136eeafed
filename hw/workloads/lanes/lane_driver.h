// SPDX-License-Identifier: Apache-2.0
/// \file A node's part of a broadcast over lanes: at the start the host says what will come and what follows it, then
/// its interfaces' firmware does everything.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hw/delivery/check.h"
#include "hw/host/application.h"
#include "hw/traffic/payload_packing.h"
#include "hw/workloads/lanes/lane_messages.h"
#include "hw/workloads/lanes/lane_scoreboard.h"

namespace polycast::hw::lanes {

struct lane_driver_params {
    std::uint64_t bytes = 1;
    std::uint64_t piece = 65536;  ///< bytes that are forwarded as soon as they have arrived
    std::uint32_t window = 0;     ///< bytes in flight of a stream between sites; 0: no limit
    unsigned streams = 1;         ///< parallel ones between sites on each lane: together they have `streams` windows
    cycle start = 100'000;        ///< the root calls; by then all nodes have said what they expect
    std::uint64_t payload_seed = 1;
};

/// Data that all drivers of a broadcast share: every node reads its own messages from it.
struct lane_job {
    lane_driver_params params;
    unsigned interfaces = 2;  ///< of each node
    std::vector<lane_message> messages;
    std::vector<std::vector<std::uint32_t>> receives;  ///< [node] messages that come
    std::vector<std::vector<std::uint32_t>> sends;     ///< [node] in order
    /// [message] counter at the child, and interfaces there that send some of it on, bit i; 0: none does.
    std::vector<unsigned> counters;
    std::vector<std::uint64_t> tells;

    unsigned interface_of(const lane_message& message) const { return interfaces == 1 ? 0 : message.lane; }
};

/// `interfaces`: of a node, 1 or 2. With one, lanes are queues of it.
/// \throws input_error for what lane_messages() refuses, and for more messages than a node's interfaces take
std::shared_ptr<const lane_job> make_lane_job(const collectives::lane_plan& plan, const lane_driver_params& params,
                                              unsigned interfaces);

/// One process of a node, at all its interfaces.
class lane_driver final : public host::application, private ni::timeline::task {
public:
    /// All must outlive it.
    lane_driver(const host::host_context& context, std::shared_ptr<const lane_job> job, lane_scoreboard& sink);
    ~lane_driver() override;

    void start() override;
    /// Everything has arrived and everything has left host memory.
    bool finished() const override { return to_come_ + to_send_ == 0; }
    std::vector<std::string> failures() const override { return failures_.first(); }
    host::process_client* client(unsigned interface) override;

private:
    class side;
    void due(cycle when, std::uint64_t tag) override;
    // What interface 0 tells; the other one's side tells the same.
    void sent(cycle when, std::uint64_t context, ni_status status) override;
    void received(cycle when, const host::delivery& message) override;
    void landed(cycle when, std::uint64_t context, ni_status status) override;
    void failed(cycle when, const host::ni_report& report) override;

    void fill();
    void expect(std::uint32_t number);
    void send(std::uint32_t number);
    void used(std::uint32_t number);
    host::process& process_of(const lane_message& message) { return *context_.everywhere[job_->interface_of(message)]; }
    std::uint32_t node() const { return context_.own.params().host; }
    void fail(const std::string& what);

    host::host_context context_;
    std::shared_ptr<const lane_job> job_;
    /// The scoreboard is told.
    engine::told<cycle, std::uint32_t, std::uint64_t, traffic::payload_view> landed_;
    std::unique_ptr<side> second_;
    std::size_t to_come_;
    std::size_t to_send_;
    std::map<std::uint32_t, unsigned> uses_;  ///< by message that comes: that it lands, and sends that follow it
    std::vector<std::uint8_t> scratch_;
    delivery::fault_list failures_;
};

/// The process of a node. `sink` must outlive it.
host::application_factory drive_lanes(std::shared_ptr<const lane_job> job, lane_scoreboard& sink);

}  // namespace polycast::hw::lanes
