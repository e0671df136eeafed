// SPDX-License-Identifier: Apache-2.0
#include "hw/host/endpoint.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace polycast::hw::host {

namespace {

// Tags on the timeline; larger ones are numbers of sleepers.
constexpr std::uint64_t tag_ready = 0;
constexpr std::uint64_t tag_begin = 1;
constexpr std::uint64_t first_sleeper = 2;

bool fits(const match& which, const delivery& what) {
    if (which.tag ? *which.tag != what.tag : what.tag >= first_reserved_tag) return false;
    return which.source.value_or(what.source) == what.source && which.process.value_or(what.process) == what.process &&
           which.group.value_or(what.group) == what.group;
}

std::string text_of(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

}  // namespace

endpoint::endpoint(const host_context& context, program_function main)
    : process_(context.own), time_(context.time), main_(std::move(main)) {}

void endpoint::start() {
    started_ = true;
    try {
        spawn(main_(*this));
    } catch (...) {  // before the first co_await of a function that is no coroutine itself
        failed_with(std::current_exception());
    }
}

void endpoint::spawn(program other) {
    beginning_.push_back(std::move(other));
    time_.schedule(time_.now(), *this, tag_begin);
}

std::uint64_t endpoint::error_count() const {
    const auto& errors = process_.statistics().errors;
    return std::accumulate(errors.begin(), errors.end(), std::uint64_t{0});
}

request<ni_status> endpoint::isend(std::uint32_t to, std::span<const std::uint8_t> bytes, envelope how) {
    send_order what;
    what.to = to;
    return order(std::move(what), bytes, how);
}

request<ni_status> endpoint::isend_operand(std::uint32_t unit, std::uint16_t context, std::uint32_t index,
                                           std::span<const std::uint8_t> bytes, envelope how) {
    send_order what;
    what.kind = send_kind::operand;
    what.to = unit;
    what.group = context;
    how.tag = index;
    return order(std::move(what), bytes, how);
}

request<ni_status> endpoint::imulticast(std::uint16_t group, std::span<const std::uint8_t> bytes, envelope how) {
    send_order what;
    what.kind = send_kind::group;
    what.group = group;
    what.hops = static_cast<std::uint16_t>(std::min(hosts(), 0xffffu));
    return order(std::move(what), bytes, how);
}

request<ni_status> endpoint::isend_worm(format::route route, std::span<const std::uint8_t> bytes, envelope how) {
    send_order what;
    what.kind = send_kind::worm;
    what.route = std::move(route);
    return order(std::move(what), bytes, how);
}

request<ni_status> endpoint::isend_tree(const std::vector<std::uint32_t>& to, std::span<const std::uint8_t> bytes,
                                        envelope how) {
    return isend_worm(format::tree_route(header_shape(), to), bytes, how);
}

request<ni_status> endpoint::order(send_order&& what, std::span<const std::uint8_t> bytes, const envelope& how) {
    auto state = std::make_shared<detail::request_result<ni_status>>();
    what.process = how.process;
    what.tag = how.tag;
    what.vc_class = how.vc_class;
    what.reliable = how.reliable;
    what.patience = how.patience;
    if (what.kind == send_kind::worm) what.group = how.group;
    what.number = next_number_++;
    what.context = next_id_;
    process_.send(what, bytes);
    if (how.reliable) reliable_.emplace(next_id_, how.tag);
    remember(state);
    return request<ni_status>(std::move(state));
}

request<ni_status> endpoint::join(const group_order& order) {
    auto state = std::make_shared<detail::request_result<ni_status>>();
    process_.set_group(order, next_id_);
    remember(state);
    return request<ni_status>(std::move(state));
}

request<ni_status> endpoint::leave(std::uint32_t root, std::uint16_t group) {
    auto state = std::make_shared<detail::request_result<ni_status>>();
    process_.clear_group(root, group, next_id_);
    remember(state);
    return request<ni_status>(std::move(state));
}

void endpoint::remember(const result_state<ni_status>& state) {
    asked_.emplace(next_id_++, state);
}

request<std::vector<std::uint32_t>> endpoint::statistics() {
    auto state = std::make_shared<detail::request_result<std::vector<std::uint32_t>>>();
    questions_.push_back(state);
    process_.read_statistics();
    return request<std::vector<std::uint32_t>>(std::move(state));
}

request<message> endpoint::ireceive(const match& which) {
    auto state = std::make_shared<detail::request_result<message>>();
    const auto found =
        std::ranges::find_if(unexpected_, [&](const kept_message& kept) { return fits(which, kept.what); });
    if (found != unexpected_.end()) {
        finish(state, take(*found));
        unexpected_.erase(found);
    } else {
        receives_.push_back({which, state});
    }
    return request<message>(std::move(state));
}

request<cycle> endpoint::sleep_until(cycle when) {
    auto state = std::make_shared<detail::request_result<cycle>>();
    if (when <= now()) {
        finish(state, now());
    } else {
        const std::uint64_t tag = first_sleeper + next_id_++;
        sleeping_.emplace(tag, state);
        time_.schedule(when, *this, tag);
    }
    return request<cycle>(std::move(state));
}

program endpoint::barrier(std::vector<std::uint32_t> hosts, std::uint16_t context) {
    std::vector<participant> all;
    all.reserve(hosts.size());
    for (const std::uint32_t host : hosts) all.push_back({host, process_number()});
    co_await barrier(std::move(all), context);
}

program endpoint::barrier(std::vector<participant> all, std::uint16_t context) {
    const auto self = std::ranges::find(all, participant{host(), process_number()});
    if (self == all.end()) throw std::invalid_argument("barrier: this process is not among its participants");
    const std::size_t count = all.size();
    const auto position = static_cast<std::size_t>(self - all.begin());
    const std::array<std::uint8_t, 1> token{};
    std::vector<request<ni_status>> sends;
    std::uint32_t round = 0;
    for (std::size_t distance = 1; distance < count; distance *= 2, ++round) {
        const std::uint32_t tag = first_reserved_tag | std::uint32_t{context} << 8 | round;
        const participant& next = all[(position + distance) % count];
        const participant& before = all[(position + count - distance) % count];
        match which;
        which.source = before.host;
        which.process = before.process;
        which.tag = tag;
        request<message> token_in = ireceive(which);
        envelope how;
        how.process = next.process;
        how.tag = tag;
        sends.push_back(isend(next.host, token, how));
        co_await token_in.finished();
    }
    for (request<ni_status>& each : sends)
        if (each.test() && each.take() != NI_STATUS_OK) throw std::runtime_error("barrier: a message was refused");
}

void endpoint::sent(cycle /*when*/, std::uint64_t context, ni_status status) {
    reliable_.erase(context);
    settle(context, status);
}

void endpoint::unacknowledged(cycle /*when*/, std::uint64_t context, std::span<const lacking_host> hosts) {
    const auto found = reliable_.find(context);
    if (found != reliable_.end()) failed_sends_.push_back({found->second, {hosts.begin(), hosts.end()}});
}

void endpoint::group_set(cycle /*when*/, std::uint64_t context, ni_status status) {
    settle(context, status);
}

void endpoint::settle(std::uint64_t context, ni_status status) {
    const auto found = asked_.find(context);
    if (found == asked_.end()) return;
    const result_state<ni_status> state = std::move(found->second);
    asked_.erase(found);
    finish(state, status);
}

void endpoint::statistics(cycle /*when*/, std::span<const std::uint32_t> words) {
    if (questions_.empty()) return;
    const auto state = std::move(questions_.front());
    questions_.pop_front();
    finish(state, std::vector<std::uint32_t>(words.begin(), words.end()));
}

void endpoint::received(cycle when, const delivery& arrived) {
    const kept_message kept{arrived, when};
    for (auto each = receives_.begin(); each != receives_.end();) {
        if (each->state.use_count() == 1) {  // its request was dropped
            each = receives_.erase(each);
        } else if (fits(each->which, arrived)) {
            const result_state<message> state = std::move(each->state);
            receives_.erase(each);
            finish(state, take(kept));
            return;
        } else {
            ++each;
        }
    }
    unexpected_.push_back(kept);
}

/// Copies a message out of host memory and frees its buffer.
message endpoint::take(const kept_message& kept) {
    const std::span<const std::uint8_t> bytes = process_.bytes(kept.what, scratch_);
    message taken{kept.what.source, kept.what.process,           kept.what.number, kept.what.tag, kept.what.group,
                  kept.arrived,     {bytes.begin(), bytes.end()}};
    process_.release(kept.what);
    return taken;
}

/// Programs never resume inside a call of the interface: the timeline resumes them, in the same cycle.
void endpoint::complete(const std::shared_ptr<detail::request_state>& state) {
    state->done = true;
    if (!state->waiter) return;
    ready_.push_back(state);
    time_.schedule(time_.now(), *this, tag_ready);
}

void endpoint::due(cycle when, std::uint64_t tag) {
    if (tag == tag_ready) {
        const std::shared_ptr<detail::request_state> state = std::move(ready_.front());
        ready_.pop_front();
        // The waiting program may have been destroyed meanwhile.
        if (const std::coroutine_handle<> waiter = std::exchange(state->waiter, {})) waiter.resume();
    } else if (tag == tag_begin) {
        running_.push_back(std::move(beginning_.front()));
        beginning_.pop_front();
        const std::size_t index = running_.size() - 1;
        running_[index].start();
    } else {
        const auto found = sleeping_.find(tag);
        const result_state<cycle> state = std::move(found->second);
        sleeping_.erase(found);
        finish(state, when);
        return;
    }
    sweep();
}

/// Takes note of how programs have ended.
void endpoint::sweep() {
    std::erase_if(running_, [this](const program& each) {
        if (!each.done()) return false;
        if (const std::exception_ptr exception = each.exception()) failed_with(exception);
        return true;
    });
}

void endpoint::failed_with(const std::exception_ptr& exception) {
    failures_.push_back("host " + std::to_string(host()) + ", process " + std::to_string(process_number()) + ": " +
                        text_of(exception));
}

application_factory run_program(program_function main) {
    return [main = std::move(main)](const host_context& context) { return std::make_unique<endpoint>(context, main); };
}

}  // namespace polycast::hw::host
