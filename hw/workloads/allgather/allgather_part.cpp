// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/allgather/allgather_part.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace polycast::hw::system {

namespace {

using bytes = std::vector<std::uint8_t>;

bytes xor_of(const bytes& a, const bytes& b) {
    if (a.size() != b.size()) throw std::runtime_error("an XOR of data of different lengths");
    bytes result(a.size());
    std::ranges::transform(a, b, result.begin(), [](std::uint8_t x, std::uint8_t y) { return x ^ y; });
    return result;
}

}  // namespace

allgather::part::part(allgather& run, std::uint32_t host)
    : run_(run),
      host_(host),
      own_(run.nodes_[host]),
      data_(run.nodes_.size()),
      links_(run.nodes_.size()),
      combined_(own_.messages.size()) {}

host::program allgather::part::main(host::endpoint& self) {
    co_await self.sleep_until(run_.options_.start);
    if (std::ranges::find(run_.sources_, host_) != run_.sources_.end()) learn(self, host_, run_.datum_of(host_));
    for (std::uint32_t count = 0; count < own_.expected;) {
        const host::message got = co_await self.receive();
        if (!expected(got)) continue;
        take(self, got);
        ++count;
    }
    run_.finished(complete_at_, host_, data_);
    for (std::size_t index = 0; index < sending_.size(); ++index)
        if (co_await sending_[index] != NI_STATUS_OK) throw std::runtime_error("a message was not sent");
    if (self.error_count() != 0) throw std::runtime_error("the interface dropped something");
}

bool allgather::part::expected(const host::message& got) {
    const std::string what = "host " + std::to_string(host_) + " gets a message with tag " + std::to_string(got.tag);
    if (!own_.arrivals.contains(got.tag)) {
        run_.problem(what + ", which nobody is to send to it");
        return false;
    }
    const std::size_t data = got.tag >= message_tag ? run_.contents_of_message(got.tag).size() : 1;
    if (got.bytes.size() == data * run_.options_.bytes) return true;
    run_.problem(what + " and " + std::to_string(got.bytes.size()) + " bytes instead of " +
                 std::to_string(data * run_.options_.bytes));
    return false;
}

void allgather::part::take(host::endpoint& self, const host::message& got) {
    if (got.tag >= message_tag) {
        run_.arrived(host_, got.tag, self.now());
        send(self, got.tag, got.bytes);
        const std::vector<std::uint32_t> contents = run_.contents_of_message(got.tag);
        const std::size_t each = run_.options_.bytes;
        for (std::size_t place = 0; place < contents.size(); ++place) {
            const auto from = got.bytes.begin() + static_cast<std::ptrdiff_t>(place * each);
            learn(self, contents[place], bytes(from, from + static_cast<std::ptrdiff_t>(each)));
        }
    } else if (got.tag >= chain_tag) {
        const std::uint32_t number = got.tag - chain_tag;
        run_.arrived(host_, got.tag, self.now());
        send(self, got.tag, got.bytes);
        learn_chain(number, got.bytes);
        const auto [first, second] = run_.chains_[number];
        if (has(first)) found_.push_back(first);
        if (has(second)) found_.push_back(second);
    } else {
        run_.arrived(host_, got.tag, self.now());
        learn(self, got.tag, got.bytes);
    }
    while (!found_.empty()) {
        const std::uint32_t datum = found_.front();
        found_.pop_front();
        learn_one(self, datum);
    }
}

void allgather::part::learn_chain(std::uint32_t number, const bytes& content) {
    const auto kept = std::make_shared<const bytes>(content);
    const auto [first, second] = run_.chains_[number];
    links_[first].push_back({second, kept});
    links_[second].push_back({first, kept});
}

/// A datum that is there for the first time goes to everybody who is to get it from here.
void allgather::part::learn(host::endpoint& self, std::uint32_t datum, bytes content) {
    if (has(datum)) return;
    data_[datum] = std::move(content);
    found_.push_back(datum);
    complete_at_ = self.now();
    run_.learnt(datum, complete_at_);
    send(self, datum, data_[datum]);
    give_operands(self, datum);
    combine(self);
}

/// Walks from a datum along the chain packets that have it in them.
void allgather::part::learn_one(host::endpoint& self, std::uint32_t datum) {
    for (const link& each : links_[datum]) {
        if (has(each.other)) continue;
        ++run_.decoding_xors_;
        learn(self, each.other, xor_of(data_[datum], *each.content));
    }
}

void allgather::part::send(host::endpoint& self, std::uint32_t tag, const bytes& content) {
    const auto found = own_.sends.find(tag);
    if (found == own_.sends.end()) return;
    run_.host_messages_ += found->second.size();
    for (const sending& each : found->second)
        sending_.push_back(self.isend(each.to, content, {.tag = tag, .vc_class = each.vc_class}));
}

void allgather::part::give_operands(host::endpoint& self, std::uint32_t datum) {
    for (std::size_t context = 0; context < own_.makers.size(); ++context) {
        const chain_maker& maker = own_.makers[context];
        const auto found = std::ranges::find(maker.sources, datum);
        if (found == maker.sources.end()) continue;
        const auto index = static_cast<std::size_t>(found - maker.sources.begin());
        if (!run_.options_.coded_by_hosts) {
            const auto unit = static_cast<std::uint32_t>(run_.nodes_.size()) + host_;
            sending_.push_back(self.isend_operand(unit, static_cast<std::uint16_t>(context),
                                                  static_cast<std::uint32_t>(index), data_[datum]));
            continue;
        }
        if (index > 0 && has(maker.sources[index - 1])) self.spawn(make_chain(self, maker, index - 1));
        if (index + 1 < maker.sources.size() && has(maker.sources[index + 1]))
            self.spawn(make_chain(self, maker, index));
    }
}

/// In software, one after the other.
host::program allgather::part::make_chain(host::endpoint& self, const chain_maker& maker, std::size_t index) {
    coder_free_ = std::max(coder_free_, self.now()) + run_.options_.host_coding;
    co_await self.sleep_until(coder_free_);
    const bytes content = xor_of(data_[maker.sources[index]], data_[maker.sources[index + 1]]);
    ++own_.coding_xors;
    run_.host_messages_ += maker.destinations.size();
    const std::uint32_t tag = chain_tag + maker.first_chain + static_cast<std::uint32_t>(index);
    for (const std::uint32_t to : maker.destinations)
        sending_.push_back(self.isend(to, content, {.tag = tag, .vc_class = maker.vc_class}));
}

/// Messages all of whose data have come.
void allgather::part::combine(host::endpoint& self) {
    for (std::size_t index = 0; index < own_.messages.size(); ++index) {
        if (combined_[index]) continue;
        const std::vector<std::uint32_t> contents = run_.contents_of_message(own_.messages[index]);
        if (!std::ranges::all_of(contents, [this](std::uint32_t datum) { return has(datum); })) continue;
        combined_[index] = true;
        bytes all;
        for (const std::uint32_t datum : contents) all.insert(all.end(), data_[datum].begin(), data_[datum].end());
        send(self, own_.messages[index], all);
    }
}

}  // namespace polycast::hw::system
