// SPDX-License-Identifier: Apache-2.0
#include "testbench/firmware/reliable_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace polycast::testbench::firmware {

namespace {

constexpr std::uint32_t control_packet = 1, reliable_bit = 0x20;
constexpr std::uint32_t place = 1024;   // bytes of a message's place in a window
constexpr std::uint32_t buffers = 200;  // of each process
constexpr std::uint32_t probe_word = 33, tree = 1;

}  // namespace

reliable_network::reliable_network(std::uint32_t seed, std::uint32_t hosts, const weather& how, std::uint32_t processes)
    : random_(seed), hosts_(hosts), weather_(how), dead_(hosts) {
    for (std::uint32_t host = 0; host < hosts; ++host) {
        model_params params{.host = host,
                            .hosts = hosts,
                            .processes = processes,
                            .command_entries = 60,
                            .group_entries = 64,
                            .send_slots = 2 + draw(30),
                            .link_queue = 1 + draw(4),
                            .dma_queue = 1 + draw(20)};
        params.reliable_timeout = how.timeout;
        params.reliable_attempts = how.attempts;
        params.reliable_ack_delay = 500;
        params.late_stores = draw(3) == 0;
        interfaces_.push_back(std::make_unique<ni_model>(params));
        give_windows(*interfaces_.back(), buffers * place);
        post_buffers(*interfaces_.back());
    }
}

void reliable_network::post_buffers(ni_model& ni) {
    for (std::uint32_t process = 0; process < ni.params.processes; ++process)
        for (std::uint32_t buffer = 0; buffer < buffers / ni.params.processes; ++buffer) {
            EXPECT_TRUE(ni.command(process, receive(place, buffer, buffer * place)));
            ni.settle();
        }
}

void reliable_network::restart(std::uint32_t host) {
    collect(host);
    ++restarts;
    lost += std::erase_if(network_, [&](const packet& each) { return each.destination == host; });
    for (std::uint32_t i = 0; i < issued_; ++i) {
        reliable_message& each = messages[i];
        // The completion of one that landed may be lost; then its buffer ends as all others do.
        if (each.received[host] == 0 && there(i, host)) each.held[host] = true;
        if (each.source != host || each.ended) continue;
        each.ended = true;
        each.status = NI_STATUS_HUNG;
        ++ended_;
    }
    model_params params = interfaces_[host]->params;
    ++params.restarts;
    auto anew = std::make_unique<ni_model>(params);
    anew->windows = std::move(interfaces_[host]->windows);
    interfaces_[host] = std::move(anew);
    post_buffers(*interfaces_[host]);
}

void reliable_network::add_unicasts(std::uint32_t count, std::uint32_t longest) {
    for (std::uint32_t i = 0; i < count; ++i) {
        reliable_message made;
        made.source = draw(hosts_);
        do made.members = {draw(hosts_)};
        while (made.members.front() == made.source);
        made.process = draw(interfaces_.front()->params.processes);
        made.length = 1 + draw(longest);
        made.received.resize(hosts_);
        made.held.resize(hosts_);
        messages.push_back(made);
    }
}

void reliable_network::add_group(std::uint32_t members, bool worms, std::uint32_t fan, std::uint32_t count,
                                 std::uint32_t longest) {
    reliable_group made;
    std::vector<std::uint32_t> order = hosts_from(0, hosts_);
    std::shuffle(order.begin(), order.end(), random_);
    made.root = order.back();
    made.number = static_cast<std::uint32_t>(groups.size());
    made.process = draw(interfaces_.front()->params.processes);
    made.worms = worms;
    made.members.assign(order.begin(), order.begin() + members);
    for (std::uint32_t i = 0; i < members; ++i) made.parent.push_back(i < fan ? i : (i - fan) / fan);
    groups.push_back(made);
    set_up(made);
    for (std::uint32_t i = 0; i < count; ++i) {
        reliable_message message;
        message.source = made.root;
        message.process = made.process;
        message.group = made.number;
        message.members = made.members;
        message.length = 1 + draw(longest);
        message.received.resize(hosts_);
        message.held.resize(hosts_);
        messages.insert(messages.begin() + draw(static_cast<std::uint32_t>(messages.size()) + 1), message);
    }
}

/// Data and receipts go along the same tree; worms reach all members from the root.
void reliable_network::set_up(const reliable_group& group) {
    const auto command = [&](std::uint32_t host, std::uint32_t parent, words below) {
        const bool root = host == group.root;
        const std::uint32_t flags = NI_GROUP_RECEIPTS | (root ? 0 : deliver_to(group.process));
        words made = group.worms ? set_worms(group.root, group.number, flags, tree, {}, 1)
                                 : set_group(group.root, group.number, flags, below);
        if (group.worms && root) {
            std::uint32_t bits = 0;
            for (const std::uint32_t member : group.members) bits |= 1u << member;
            made = set_worms(group.root, group.number, flags, tree, {bits}, 1);
        }
        made[NI_COMMAND_MESSAGE] = parent;
        made[NI_COMMAND_TAG] =
            static_cast<std::uint32_t>(below.size()) | static_cast<std::uint32_t>(group.members.size()) << 16;
        made.insert(made.end(), below.begin(), below.end());
        ni_model& ni = *interfaces_[host];
        ASSERT_TRUE(ni.command(group.process, made));
        ni.settle();
        ASSERT_EQ(ni.completions[group.process].back().status, 0u);
        ni.completions[group.process].clear();
    };
    words first;
    for (std::uint32_t i = 0; i < group.members.size(); ++i) {
        words below;
        for (std::uint32_t j = 0; j < group.members.size(); ++j)
            if (group.parent[j] == i && j != i) below.push_back(group.members[j]);
        const bool top = group.parent[i] == i;
        if (top) first.push_back(group.members[i]);
        command(group.members[i], top ? group.root : group.members[group.parent[i]], below);
    }
    command(group.root, no_host, first);
}

std::vector<std::uint8_t> reliable_network::bytes_of(std::uint32_t message) const {
    std::vector<std::uint8_t> made(messages[message].length);
    for (std::uint32_t i = 0; i < made.size(); ++i) made[i] = pattern(message, i);
    return made;
}

void reliable_network::issue() {
    const reliable_message& next = messages[issued_];
    ni_model& ni = *interfaces_[next.source];
    job what{.length = next.length,
             .message = 5000 + issued_,
             .cookie = 10'000 + issued_,
             .offset = issued_ % buffers * place,
             .process = next.process,
             .tag = issued_};
    const auto bytes = bytes_of(issued_);
    words command =
        next.group == no_group ? send(next.members.front(), what) : send_group(next.source, next.group, what);
    command[0] |= (NI_SEND_RELIABLE | (next.group == no_group && draw(2) == 0 ? NI_SEND_SECOND : 0)) << 16;
    auto& window = ni.windows[{next.process, 1}].bytes;
    std::copy(bytes.begin(), bytes.end(), window.begin() + what.offset);
    if (!ni.command(next.process, command)) return;
    messages[issued_++].issued = true;
}

bool reliable_network::run(std::uint64_t most) {
    for (std::uint64_t event = 0; event < most; ++event) {
        if (issued_ != messages.size() && issued_ - ended_ < buffers / 2 && draw(8) == 0) issue();
        const std::uint32_t host = draw(hosts_);
        ni_model& ni = *interfaces_[host];
        switch (draw(4)) {
            case 0: deliver(); break;
            case 1: ni.run_dma(1 + draw(3)); break;
            default:
                ni.step(!ni.params.late_stores ? NI_ROLE_ALL : draw(2) == 0 ? NI_ROLE_RECEIVE : NI_ROLE_SEND);
                break;
        }
        ni.run_link(1);
        collect(host);
        if (weather_.hangs != 0 && draw(10'000) < weather_.hangs) restart(draw(hosts_));
        const std::uint32_t cycles = draw(10);
        for (const auto& each : interfaces_) each->advance(cycles);
        if (event % 256 != 0 || !quiet() || issued_ != messages.size()) continue;
        const bool timers = std::ranges::any_of(interfaces_, [](const auto& each) { return each->timer_set(); });
        if (ended_ == messages.size() && !timers) return true;
        if (timers) wait();
    }
    return false;
}

/// Nothing is on its way.
bool reliable_network::quiet() const {
    return network_.empty() && std::ranges::all_of(interfaces_, [](const auto& each) {
               return each->events() == 0 && each->transfers() == 0 && each->link.empty();
           });
}

/// Nothing happens until the next timer runs out.
void reliable_network::wait() {
    for (const auto& each : interfaces_)
        if (!each->run().empty()) return;
    std::uint32_t left = 1u << 30;
    for (const auto& each : interfaces_)
        if (each->timer_set()) left = std::min(left, each->timer_left());
    for (const auto& each : interfaces_) each->advance(left);
}

void reliable_network::collect(std::uint32_t host) {
    ni_model& ni = *interfaces_[host];
    for (std::uint32_t process = 0; process < ni.params.processes; ++process)
        for (const completion& one : std::exchange(ni.completions[process], {})) told(host, one);
    for (const packet& each : std::exchange(ni.sent, {})) put(host, each);
}

bool reliable_network::there(std::uint32_t message, std::uint32_t host) const {
    const auto bytes = bytes_of(message);
    const auto& window = interfaces_[host]->windows.at({messages[message].process, 2}).bytes;
    for (std::uint32_t at = 0; at + place <= window.size(); at += place)
        if (std::equal(bytes.begin(), bytes.end(), window.begin() + at)) return true;
    return false;
}

void reliable_network::told(std::uint32_t host, const completion& one) {
    switch (one.kind) {
        case NI_COMPLETION_RECEIVED: {
            reliable_message& message = messages.at(one.tag);
            EXPECT_EQ(one.length, message.length);
            ++message.received[host];
            EXPECT_EQ(message.received[host], 1u) << "message " << one.tag << " came twice to host " << host;
            EXPECT_TRUE(std::ranges::find(message.members, host) != message.members.end());
            const auto bytes = bytes_of(one.tag);
            auto& window = interfaces_[host]->windows[{message.process, 2}].bytes;
            EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), window.begin() + one.cookie * place));
            // The buffer's turn comes again, so a place may be used for another message.
            ASSERT_TRUE(interfaces_[host]->command(message.process, receive(place, one.cookie, one.cookie * place)));
            break;
        }
        case NI_COMPLETION_SENT:
        case NI_COMPLETION_FAILED: {
            ASSERT_GE(one.cookie, 10'000u);
            reliable_message& message = messages.at(one.cookie - 10'000);
            EXPECT_FALSE(message.ended);
            EXPECT_EQ(one.message, 5000 + one.cookie - 10'000);
            message.ended = true;
            message.status = one.status;
            ++ended_;
            if (one.kind == NI_COMPLETION_FAILED) break;
            for (const std::uint32_t member : message.members)
                EXPECT_TRUE(message.received[member] == 1 || message.held[member] || there(one.cookie - 10'000, member))
                    << "message " << one.cookie - 10'000 << " is not at host " << member;
            break;
        }
        case NI_COMPLETION_LACKS: messages.at(one.cookie - 10'000).lacking.push_back(one.source); break;
        case NI_COMPLETION_ERROR:  // its part of what the source gave up
            EXPECT_EQ(one.status, static_cast<std::uint32_t>(NI_STATUS_INCOMPLETE));
            ++incomplete;
            break;
        default: ADD_FAILURE() << "host " << host << ": kind " << one.kind << ", status " << one.status; break;
    }
}

/// What leaves an interface: worms are copied to all their hosts.
void reliable_network::put(std::uint32_t from, const packet& what) {
    std::vector<std::uint32_t> to{what.destination};
    if (what.kind == tree) {
        to.clear();
        for (std::uint32_t host = 0; host < hosts_; ++host)
            if ((what.route[host / 8] >> host % 8 & 1) != 0) to.push_back(host);
        if (what.hops == 0) ++worms_again;
    } else if (what.op == reliable_bit && what.hops == 0 && what.group != no_group) {
        ++repairs;
    }
    if (what.op == control_packet && (what.group & 0xff) == probe_word) ++probes;
    for (const std::uint32_t host : to) {
        packet copy = what;
        copy.destination = host;
        if (dead_[from] || dead_[host] || chance(weather_.lost)) {
            ++lost;
            continue;
        }
        if (chance(weather_.doubled)) network_.push_back(copy);
        network_.push_back(copy);
    }
}

void reliable_network::deliver() {
    if (network_.empty()) return;
    const std::size_t index = chance(weather_.overtaken) ? draw(static_cast<std::uint32_t>(network_.size())) : 0;
    const packet what = std::move(network_[index]);
    network_.erase(network_.begin() + static_cast<std::ptrdiff_t>(index));
    ASSERT_TRUE(interfaces_[what.destination]->arrive(what));
}

void reliable_network::check() {
    for (std::uint32_t i = 0; i < messages.size(); ++i) {
        const reliable_message& message = messages[i];
        if (message.status != NI_STATUS_OK) continue;
        for (std::uint32_t host = 0; host < hosts_; ++host) {
            const bool member = std::ranges::find(message.members, host) != message.members.end();
            if (message.held[host] && message.received[host] == 0) continue;
            EXPECT_EQ(message.received[host], member ? 1u : 0u) << "message " << i << " at host " << host;
        }
    }
    for (const auto& each : interfaces_) each->expect_idle();
}

}  // namespace polycast::testbench::firmware
