// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/messages/workload_program.h"

#include <algorithm>
#include <array>
#include <utility>

#include "hw/traffic/random.h"

namespace polycast::hw::traffic {

namespace {

constexpr std::uint64_t create_message = 0;
constexpr std::uint64_t learn_group = 1;

constexpr std::array<const char*, NI_STATUSES> status_words{"no reason",
                                                            "malformed packet",
                                                            "wrong check word",
                                                            "packet for another host",
                                                            "no such process",
                                                            "unknown group",
                                                            "no receive buffer",
                                                            "receive buffer too small",
                                                            "a table is full",
                                                            "host transfer refused",
                                                            "loop in a group",
                                                            "duplicate",
                                                            "bad command",
                                                            "the rest did not come",
                                                            "an interface is busy",
                                                            "a receiver is silent",
                                                            "a receiver declined it",
                                                            "not a member",
                                                            "the interface stood still"};
static_assert(status_words.back() != nullptr);

host::send_kind kind_of(message_kind kind) {
    switch (kind) {
        case message_kind::unicast: return host::send_kind::unicast;
        case message_kind::worm: return host::send_kind::worm;
        case message_kind::group: break;
    }
    return host::send_kind::group;
}

/// As interfaces at VL switches take it (hw/ni/lid_paths.h): LID and service level, which may be 0.
format::route lid_route(const format::stop& address) {
    return {format::packet_kind::ssr,
            {static_cast<std::uint8_t>(address.chip), static_cast<std::uint8_t>(address.chip >> 8),
             static_cast<std::uint8_t>(address.ports)}};
}

}  // namespace

format::route route_of(const format::header_shape& shape, format::packet_kind kind,
                       const std::vector<std::uint32_t>& hosts, const std::vector<format::stop>& stops) {
    switch (kind) {
        case format::packet_kind::unicast: return format::unicast_route(hosts.front());
        case format::packet_kind::tree: return format::tree_route(shape, hosts);
        case format::packet_kind::ssr: return format::ssr_route(shape, stops.front());
        case format::packet_kind::lid: return lid_route(stops.front());
        case format::packet_kind::path:
        case format::packet_kind::broadcast:
        case format::packet_kind::pipelined: break;
    }
    return format::path_route(shape, stops);
}

workload_program::workload_program(const host::host_context& context, std::shared_ptr<message_feed> feed,
                                   std::uint64_t payload_seed, message_sink& sink, const format::header_shape& shape)
    : process_(context.own),
      time_(context.time),
      feed_(std::move(feed)),
      payload_seed_(payload_seed),
      created_(context.told, [&sink](std::uint32_t source, const message& what) { sink.created(source, what); }),
      delivered_(context.told,
                 [&sink](engine::cycle when, std::uint32_t host, std::uint32_t source, std::uint32_t number,
                         std::span<const std::uint8_t> data) { sink.delivered(when, host, source, number, data); }),
      lost_(context.told, [&sink](std::uint32_t host, std::uint32_t source,
                                  std::uint32_t number) { sink.lost(host, source, number); }),
      ended_(context.told, [&sink](const send_end& end) { sink.ended(end); }),
      shape_(shape) {}

void workload_program::start() {
    if (!feed_->begun) {
        feed_->begun = true;
        feed_->upcoming_group = feed_->source.next_group(feed_->host);
        feed_->upcoming = feed_->source.next(feed_->host);
    }
    // Groups first: whoever sends to one in this cycle has to know it.
    if (feed_->upcoming_group) fetch_group();
    if (feed_->upcoming) fetch_message();
}

bool workload_program::finished() const {
    return !feed_->upcoming && !feed_->upcoming_group && waiting_.empty() && sending_ == 0;
}

void workload_program::fetch_message() {
    time_.schedule(std::max(feed_->upcoming->created, time_.now()), *this, create_message);
}

void workload_program::fetch_group() {
    time_.schedule(std::max(feed_->upcoming_group->when, time_.now()), *this, learn_group);
}

/// All that it is to know by now.
void workload_program::learn_groups() {
    while (feed_->upcoming_group && feed_->upcoming_group->when <= time_.now()) {
        learn(std::move(*feed_->upcoming_group));
        feed_->upcoming_group = feed_->source.next_group(feed_->host);
    }
}

void workload_program::due(engine::cycle /*when*/, std::uint64_t tag) {
    learn_groups();
    if (tag == learn_group) {
        if (feed_->upcoming_group) fetch_group();
        return;
    }
    create(std::move(*feed_->upcoming), nullptr);
    feed_->upcoming = feed_->source.next(feed_->host);
    if (feed_->upcoming) fetch_message();
}

void workload_program::create(message&& created, std::shared_ptr<const std::vector<std::uint8_t>> content) {
    created.number = feed_->next_number++;
    if (created.reliable && created.tag == 0) created.tag = created.number;
    created_(feed_->host, created);
    waiting_.push_back({std::move(created), std::move(content)});
    send_waiting();
}

void workload_program::send_waiting() {
    while (!waiting_.empty() && sending_ < most_sends) {
        const waiting_send next = std::move(waiting_.front());
        waiting_.pop_front();
        const message& what = next.what;
        host::send_order order;
        order.kind = kind_of(what.kind);
        if (what.kind == message_kind::unicast) {
            order.to = what.destinations.front();
        } else if (what.kind == message_kind::worm) {
            order.route = route_of(shape_, what.worm, what.destinations, what.stops);
        }
        order.process = process_.params().process;
        order.number = what.number;
        order.tag = what.tag;
        order.group = what.group;
        order.hops = what.hops;
        order.reliable = what.reliable;
        order.context = what.number;
        ++sending_;
        if (next.content) {
            process_.send(order, *next.content);
        } else {
            content_.resize(what.bytes);
            fill_payload(payload_seed_, what.transfer, content_);
            process_.send(order, content_);
        }
    }
}

void workload_program::learn(group_setup&& part) {
    if (part.how == forwarding::programs) {
        const std::uint32_t tag = part.tag;
        to_forward_.insert_or_assign(tag, std::move(part));
        return;
    }
    host::group_order order;
    order.root = part.root;
    order.group = part.group;
    order.member = part.member;
    order.fcfs = part.how == forwarding::fcfs;
    order.once = part.receipts.members == 0;
    if (!order.once) order.receipts = {part.receipts.parent, part.receipts.below, part.receipts.members};
    for (const collectives::transmission& send : part.sends)
        order.worms.push_back(route_of(shape_, send.kind, send.hosts, send.stops));
    process_.set_group(order, part.root);
}

void workload_program::sent(engine::cycle when, std::uint64_t context, ni_status status) {
    --sending_;
    if (status != NI_STATUS_OK) {
        lost_(feed_->host, feed_->host, static_cast<std::uint32_t>(context));
        std::string what = "message " + std::to_string(context) + " was not sent";
        for (const lacking_receiver& each : lacking_) {
            what += (&each == lacking_.data() ? "; it lacks at host " : ", ") + std::to_string(each.host);
            if (each.why != status) what += " (" + std::string(words_of(each.why)) + ")";
        }
        fail(when, what, status);
    }
    if (feed_->source.reliable())
        ended_(send_end{when, feed_->host, static_cast<std::uint32_t>(context), status, std::exchange(lacking_, {})});
    send_waiting();
}

void workload_program::unacknowledged(engine::cycle /*when*/, std::uint64_t /*context*/,
                                      std::span<const host::lacking_host> hosts) {
    for (const host::lacking_host& each : hosts) lacking_.push_back({each.host, each.why});
}

void workload_program::received(engine::cycle when, const host::delivery& arrived) {
    const std::span<const std::uint8_t> bytes = process_.bytes(arrived, content_);
    const bool reliable = feed_->source.reliable();
    delivered_(when, feed_->host, arrived.source, reliable ? arrived.tag : arrived.number, bytes);
    const auto found = to_forward_.find(arrived.tag);
    if (found == to_forward_.end() || (arrived.group != format::no_group && !reliable))
        return process_.release(arrived);
    const group_setup part = std::move(found->second);
    to_forward_.erase(found);
    const auto content = std::make_shared<const std::vector<std::uint8_t>>(bytes.begin(), bytes.end());
    process_.release(arrived);
    message copy;
    copy.created = when;
    copy.transfer = part.transfer;
    copy.bytes = static_cast<std::uint32_t>(content->size());
    copy.tag = part.tag;
    copy.reliable = reliable;
    for (std::size_t i = 0; i < part.sends.size(); ++i) {
        message next = sent_as(copy, part.sends[i]);
        if (!part.groups.empty()) next.group = part.groups[i];
        create(std::move(next), content);
    }
}

void workload_program::group_set(engine::cycle when, std::uint64_t context, ni_status status) {
    if (status == NI_STATUS_OK) return;
    std::string what = "a group of host " + std::to_string(context) + " was not set up";
    if (status == NI_STATUS_TABLE_FULL)
        what += ", as the interface's table of groups ('ni.groups') is too small for what is under way";
    fail(when, what, status);
}

void workload_program::failed(engine::cycle when, const host::ni_report& report) {
    if (report.status == NI_STATUS_DUPLICATE) return;
    const bool mine = report.source == host::ni_report::no_source;
    if (report.status == NI_STATUS_HUNG) return fail(when, "the interface is restarted", report.status);
    if (mine && (report.status == NI_STATUS_UNREACHABLE || report.status == NI_STATUS_DECLINED)) return;  // sent()
    const std::uint32_t message = feed_->source.reliable() ? report.tag : report.message;
    if (!mine) lost_(feed_->host, report.source, message);
    fail(when,
         mine ? "the interface refused something"
              : "the interface dropped a packet of message " + std::to_string(message) + " of host " +
                    std::to_string(report.source),
         report.status);
}

void workload_program::fail(engine::cycle when, const std::string& what, ni_status status) {
    failures_.add("cycle " + std::to_string(when) + ", host " + std::to_string(feed_->host) + ": " + what + ": " +
                  std::string(words_of(status)));
}

std::string_view words_of(ni_status status) {
    return status < NI_STATUSES ? status_words[status] : "an unknown reason";
}

host::application_factory run_workload(std::uint32_t host, message_source& source, message_sink& sink,
                                       std::uint64_t payload_seed, const format::header_shape& shape) {
    const auto feed = std::make_shared<message_feed>(message_feed{.source = source, .host = host});
    return [feed, payload_seed, &sink, shape](const host::host_context& context) {
        return std::make_unique<workload_program>(context, feed, payload_seed, sink, shape);
    };
}

}  // namespace polycast::hw::traffic
