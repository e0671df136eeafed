// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/program/program_check.h"

#include <algorithm>
#include <cstring>

#include "hw/collectives/definition.h"
#include "hw/programs/inputs.h"

namespace polycast::hw::programs {

namespace {

bool is_open(const operation& receive) {
    return receive.any_source || receive.any_tag;
}

/// Rules of MPI, written down here once more.
bool may_match(const operation& receive, const source_tag_communicator& message) {
    const auto& [source, tag, communicator] = message;
    return (receive.any_source || receive.peer == source) && (receive.any_tag || receive.tag == tag) &&
           receive.communicator == communicator;
}

source_tag_communicator key_of_send(const operation& send, std::uint32_t source) {
    return {source, send.tag, send.communicator};
}
source_tag_communicator key_of_receive(const operation& receive) {
    return {receive.peer, receive.tag, receive.communicator};
}

/// Takes `what` out of its list, and a list that is empty then out of the others; nothing if it is not there.
template <typename lists, typename value>
void take_out(lists& all, const source_tag_communicator& key, const value& what) {
    const auto list = all.find(key);
    if (list == all.end()) return;
    std::erase_if(list->second, [&](const auto& one) { return one.what == what; });
    if (list->second.empty()) all.erase(list);
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
    end& here = ends_[receive.rank];
    const operation& taking = of_.at(receive);
    (is_open(taking) ? here.open : here.posted[key_of_receive(taking)]).push_back({here.ages++, receive.index});
}

void program_check::arrived(std::uint32_t rank, operation_id send) {
    end& here = ends_[rank];
    here.arrived[key_of_send(of_.at(send), send.rank)].push_back({here.ages++, send});
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

std::optional<std::uint32_t> program_check::oldest_posted(const end& here, std::uint32_t rank,
                                                          operation_id send) const {
    const source_tag_communicator key = key_of_send(of_.at(send), send.rank);
    const auto exact = here.posted.find(key);
    const auto open = std::ranges::find_if(here.open, [&](const auto& one) {
        return may_match(of_.at({rank, one.what}), key);
    });
    if (exact == here.posted.end()) return open == here.open.end() ? std::nullopt : std::optional(open->what);
    const aged<std::uint32_t>& first = exact->second.front();
    return open != here.open.end() && open->age < first.age ? open->what : first.what;
}

std::optional<operation_id> program_check::oldest_arrived(const end& here, const operation& receive) {
    const aged<operation_id>* oldest = nullptr;
    const auto consider = [&](const std::deque<aged<operation_id>>& list) {
        if (oldest == nullptr || list.front().age < oldest->age) oldest = &list.front();
    };
    if (is_open(receive)) {
        for (const auto& [key, list] : here.arrived)
            if (may_match(receive, key)) consider(list);
    } else if (const auto list = here.arrived.find(key_of_receive(receive)); list != here.arrived.end()) {
        consider(list->second);
    }
    return oldest == nullptr ? std::nullopt : std::optional(oldest->what);
}

void program_check::matched(operation_id receive, operation_id send) {
    end& here = ends_[receive.rank];
    const operation& taking = of_.at(receive);
    const operation& taken = of_.at(send);
    const std::uint32_t number = of_.number(send);
    const source_tag_communicator key = key_of_send(taken, send.rank);
    if (taken_[number]) mismatch(text(receive, send) + ", which was taken before");
    taken_[number] = true;
    if (!may_match(taking, key)) mismatch(text(receive, send) + ", which does not fit");
    if (taking.length != taken.length) mismatch(text(receive, send) + ", which is of another length");
    const std::optional<std::uint32_t> oldest = oldest_posted(here, receive.rank, send);
    if (oldest != receive.index)
        mismatch(text(receive, send) +
                 (oldest ? " before " + of_.describe({receive.rank, *oldest}) : " and was not posted"));
    const std::optional<operation_id> first = oldest_arrived(here, taking);
    if (first != send)
        mismatch(text(receive, send) +
                 (first ? ", although " + of_.describe(*first) + " was there before" : ", which has not come"));
    if (is_open(taking))
        std::erase_if(here.open, [&](const auto& one) { return one.what == receive.index; });
    else
        take_out(here.posted, key_of_receive(taking), receive.index);
    take_out(here.arrived, key, send);
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
