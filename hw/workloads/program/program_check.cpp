// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/program/program_check.h"

#include <algorithm>
#include <cstring>

#include "hw/collectives/definition.h"
#include "hw/programs/inputs.h"

namespace polycast::hw::programs {

namespace {

/// Rules of MPI, written down here once more.
bool may_match(const operation& receive, const operation& send, std::uint32_t source) {
    const bool from = receive.any_source || receive.peer == source;
    const bool tag = receive.any_tag || receive.tag == send.tag;
    return from && tag && receive.communicator == send.communicator;
}

}  // namespace

program_check::program_check(const program& of, std::uint64_t payload_seed, element_type type)
    : check(payload_seed),
      of_(of),
      ends_(of.ranks()),
      seed_(payload_seed),
      left_(of.ranks()),
      taken_(of.operations()),
      over_(of.operations()),
      came_(of.operations()),
      acknowledged_(of.operations()) {
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank)
        counts_.expected +=
            static_cast<std::uint64_t>(std::ranges::count(of.of_rank(rank), operation_kind::send, &operation::kind));
    if (!of.has_buffers()) return;
    interpreter_options options;
    options.fill = [&](std::uint32_t rank, std::uint32_t buffer, std::span<std::byte> bytes) {
        fill_buffer(of, type, payload_seed, rank, buffer, bytes);
    };
    options.on_message = [this](operation_id send, std::span<const std::byte> bytes) {
        messages_.emplace(of_.number(send), std::vector<std::byte>(bytes.begin(), bytes.end()));
    };
    expected_ = interpret(of, options);
}

bool program_check::right(operation_id send, std::span<const std::uint8_t> bytes) const {
    const operation& sent = of_.at(send);
    if (bytes.size() != bytes_on_wire(sent)) return false;
    if (!of_.has_buffers()) return !first_wrong(content_of(of_.first_of(send)), 0, bytes);
    const std::vector<std::byte>& wanted = messages_.at(of_.number(send));
    return wanted.empty() || std::memcmp(wanted.data(), bytes.data(), wanted.size()) == 0;
}

void program_check::left(std::uint32_t rank, std::uint32_t buffer, std::span<const std::uint8_t> bytes) {
    const buffer_bytes& wanted = expected_.buffers[rank][buffer];
    buffer_bytes& got = left_[rank].emplace_back(bytes.size());
    if (!bytes.empty()) std::memcpy(got.data(), bytes.data(), bytes.size());
    const auto differs = std::ranges::mismatch(got, wanted);
    if (differs.in1 == got.end() && differs.in2 == wanted.end()) return;
    ++counts_.wrong_results;
    fault([&] {
        return "rank " + std::to_string(rank) + " has other bytes in buffer " + std::to_string(buffer) +
               " than its program leaves there, from byte " + std::to_string(differs.in1 - got.begin()) + " on";
    });
}

void program_check::judge() {
    const std::optional<collective>& what = of_.computes();
    if (!what) return;
    const element_type type = what->combined.type;
    std::vector<buffer_bytes> inputs(what->ranks);
    for (std::uint32_t rank = 0; rank < what->ranks; ++rank) {
        inputs[rank].resize(what->input(rank).bytes);
        make_inputs(type, seed_, rank, 0, inputs[rank]);
    }
    const auto output = [&](std::uint32_t rank) {
        const region to = what->output(rank);
        if (to.bytes == 0 || left_[rank].size() <= to.at.buffer) return std::span<const std::byte>{};
        return std::span<const std::byte>(left_[rank][to.at.buffer]).subspan(to.at.offset, to.bytes);
    };
    const bool rounds = is_float(type) && reduces(what->kind) && what->combined.how == reduction::sum;
    const collectives::definition_result found = collectives::compare_with_definition(
        *what, [&](std::uint32_t rank) { return std::span<const std::byte>(inputs[rank]); }, output,
        rounds ? depth_of_sums(of_, type) : 0);
    counts_.wrong_results += found.wrong;
    if (found.first) fault([&] { return collectives::wrong_text(*what, *found.first); });
}

std::uint64_t program_check::broken() {
    std::uint64_t found = 0;
    for (std::uint32_t number = 0; number < acknowledged_.size(); ++number) {
        if (!acknowledged_[number] || came_[number]) continue;
        ++found;
        fault([&] { return of_.describe(of_.id_of(number)) + " was acknowledged, and its receiver never got it"; });
    }
    return found;
}

std::string program_check::text(operation_id receive, operation_id send) const {
    return of_.describe(receive) + " takes " + of_.describe(send);
}

void program_check::mismatch(const std::string& what) {
    ++counts_.mismatched;
    fault([&] { return what; });
}

void program_check::sent(operation_id send) {
    if (of_.at(send).multicast)
        multicasts_sent_.insert(of_.number(send));
    else
        pairs_[{send.rank, of_.at(send).peer}].push_back(send.index);
}

void program_check::posted(operation_id receive) {
    ends_[receive.rank].posted.push_back(receive.index);
}

void program_check::arrived(std::uint32_t rank, operation_id send) {
    ends_[rank].arrived.push_back(send);
    if (of_.at(send).multicast) {
        if (multicasts_sent_.erase(of_.number(send)) == 0)
            mismatch(of_.describe(send) + " is matched at rank " + std::to_string(rank) +
                     " and was never sent there, or before");
        return;
    }
    std::deque<std::uint32_t>& way = pairs_[{send.rank, rank}];
    if (way.empty() || way.front() != send.index) {
        mismatch(of_.describe(send) + " is matched at rank " + std::to_string(rank) +
                 (way.empty() ? " and was never sent there" : " before " + of_.describe({send.rank, way.front()})));
        std::erase(way, send.index);
    } else {
        way.pop_front();
    }
}

void program_check::matched(operation_id receive, operation_id send) {
    end& here = ends_[receive.rank];
    const operation& taking = of_.at(receive);
    const operation& taken = of_.at(send);
    const std::uint32_t number = of_.number(send);
    if (taken_[number]) mismatch(text(receive, send) + ", which was taken before");
    taken_[number] = true;
    if (!may_match(taking, taken, send.rank)) mismatch(text(receive, send) + ", which does not fit");
    if (taking.length != taken.length) mismatch(text(receive, send) + ", which is of another length");
    const auto oldest = std::ranges::find_if(here.posted, [&](std::uint32_t one) {
        return may_match(of_.at({receive.rank, one}), taken, send.rank);
    });
    if (oldest == here.posted.end() || *oldest != receive.index)
        mismatch(text(receive, send) + (oldest == here.posted.end()
                                            ? " and was not posted"
                                            : " before " + of_.describe({receive.rank, *oldest})));
    const auto first =
        std::ranges::find_if(here.arrived, [&](operation_id one) { return may_match(taking, of_.at(one), one.rank); });
    if (first == here.arrived.end() || *first != send)
        mismatch(text(receive, send) + (first == here.arrived.end()
                                            ? ", which has not come"
                                            : ", although " + of_.describe(*first) + " was there before"));
    std::erase(here.posted, receive.index);
    std::erase(here.arrived, send);
}

void program_check::delivered(engine::cycle when, operation_id receive, operation_id send,
                              std::span<const std::uint8_t> bytes) {
    const operation& taken = of_.at(send);
    const auto said = [&](const char* what) {
        return "cycle " + std::to_string(when) + ": " + text(receive, send) + ": " + what;
    };
    const std::uint32_t number = of_.number(send);
    if (over_[number]) {
        ++counts_.duplicated;
        return fault([&] { return said("it has been delivered before"); });
    }
    over_[number] = true;
    if (taken.peer != receive.rank) {
        ++counts_.misdelivered;
        return fault([&] { return said("it belongs to another rank"); });
    }
    if (!right(send, bytes)) {
        ++counts_.corrupted;
        return fault([&] { return said("the bytes are others than those that were sent"); });
    }
    ++counts_.delivered;
    counts_.bytes += taken.length;
}

}  // namespace polycast::hw::programs
