// SPDX-License-Identifier: Apache-2.0
/// \file The host program that drives a workload: sends what it is given, checks nothing, hands over what it gets.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hw/delivery/check.h"
#include "hw/delivery/message.h"
#include "hw/host/application.h"
#include "hw/traffic/payload_packing.h"

namespace polycast::hw::traffic {

/// What a host still has to do. It outlives a reset of the host, which drops what is in progress and continues with the
/// next message.
struct message_feed {
    message_source& source;  ///< must outlive it; hosts may ask it at the same time
    std::uint32_t host = 0;
    std::optional<message> upcoming{};
    std::optional<group_setup> upcoming_group{};
    std::uint32_t next_number = 0;
    bool begun = false;
};

/// Calls send for every message in the cycle in which it is created, and tells its interface about groups. At most
/// `most_sends` messages wait in the interface, the others in the program: the firmware's tables are finite. A message
/// that its program has to send on goes from memory as it came, once it is there whole and t_hr is paid.
class workload_program final : public host::application, private ni::timeline::task {
public:
    static constexpr unsigned most_sends = 48;

    /// Everything must outlive it. `shape`: of the network's headers.
    workload_program(const host::host_context& context, std::shared_ptr<message_feed> feed, std::uint64_t payload_seed,
                     message_sink& sink, const format::header_shape& shape);

    void start() override;
    bool finished() const override;
    /// What the interface refused or dropped: the first 20. Duplicates that it dropped are none: the sink has seen
    /// them.
    std::vector<std::string> failures() const override { return failures_.first(); }

private:
    /// A send call that has to wait; `content` only where it is not made from the seed.
    struct waiting_send {
        message what;
        std::shared_ptr<const std::vector<std::uint8_t>> content;
    };

    void due(engine::cycle when, std::uint64_t tag) override;
    void sent(engine::cycle when, std::uint64_t context, ni_status status) override;
    void received(engine::cycle when, const host::delivery& arrived) override;
    void unacknowledged(engine::cycle when, std::uint64_t context, std::span<const host::lacking_host> hosts) override;
    void group_set(engine::cycle when, std::uint64_t context, ni_status status) override;
    void failed(engine::cycle when, const host::ni_report& report) override;

    void fetch_message();
    void fetch_group();
    void create(message&& created, std::shared_ptr<const std::vector<std::uint8_t>> content);
    void learn_groups();
    void learn(group_setup&& part);
    void send_waiting();
    void fail(engine::cycle when, const std::string& what, ni_status status);

    host::process& process_;
    ni::timeline& time_;
    std::shared_ptr<message_feed> feed_;
    std::uint64_t payload_seed_;
    // What the sink is told.
    engine::told<std::uint32_t, const message&> created_;
    engine::told<engine::cycle, std::uint32_t, std::uint32_t, std::uint32_t, payload_view> delivered_;
    engine::told<std::uint32_t, std::uint32_t, std::uint32_t> lost_;
    engine::told<const send_end&> ended_;
    format::header_shape shape_;
    std::deque<waiting_send> waiting_;
    unsigned sending_ = 0;
    std::unordered_map<std::uint32_t, group_setup> to_forward_;  ///< by tag: what this program sends on
    std::vector<std::uint8_t> content_;
    std::vector<lacking_receiver> lacking_;  ///< of the reliable message that is about to fail
    delivery::fault_list failures_;
};

/// What a transmission's packets have in their headers. \param shape of the network's headers
format::route route_of(const format::header_shape& shape, format::packet_kind kind,
                       const std::vector<std::uint32_t>& hosts, const std::vector<format::stop>& stops);

/// Why an interface did not do something, in words.
std::string_view words_of(ni_status status);

/// Makes the program of one host; everything must outlive the host. `shape`: of the network's headers.
host::application_factory run_workload(std::uint32_t host, message_source& source, message_sink& sink,
                                       std::uint64_t payload_seed, const format::header_shape& shape);

/// Tells a message_sink what arrives, and another observer, which may be null, everything.
class arrival_watcher final : public ni::observer {
public:
    arrival_watcher(message_sink& sink, ni::observer* other) : sink_(sink), other_(other) {}

    void arrived(engine::cycle now, const ni::received_packet& packet) override {
        sink_.arrived(now, packet);
        if (other_ != nullptr) other_->arrived(now, packet);
    }
    void departed(engine::cycle now, const ni::departed_packet& packet) override {
        sink_.departed(now, packet);
        if (other_ != nullptr) other_->departed(now, packet);
    }
    void used(const ni::span_record& span) override {
        if (other_ != nullptr) other_->used(span);
    }
    bool wants_spans() const override { return other_ != nullptr && other_->wants_spans(); }

private:
    message_sink& sink_;
    ni::observer* other_;
};

}  // namespace polycast::hw::traffic
