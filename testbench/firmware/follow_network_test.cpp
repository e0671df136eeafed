// SPDX-License-Identifier: Apache-2.0
// Hosts with two interfaces pass messages on piece by piece, from one interface or the other, over networks that delay
// and reorder what they like: every byte arrives where it belongs, none leaves a host before it is there, and no window
// is exceeded. Prints its seed; POLYCAST_SEED replays one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {
namespace {

constexpr unsigned lanes = 2;
constexpr std::uint32_t control_packet = 1, asking_bit = 0x10;

/// Each message goes along a chain of hosts; every hop takes one of the lanes, which are networks of their own.
class chains {
public:
    chains(std::uint32_t seed, std::uint32_t hosts, std::uint32_t messages)
        : random_(seed), hosts_(hosts), paths_(messages), at_(messages) {
        std::uint32_t bytes = 0;
        for (std::uint32_t message = 0; message < messages; ++message) {
            lengths_.push_back(1 + draw(draw(2) == 0 ? 70 : 900));
            at_[message] = bytes;
            bytes += lengths_.back();
        }
        for (std::uint32_t host = 0; host < hosts; ++host)
            for (unsigned lane = 0; lane < lanes; ++lane) {
                interfaces_.push_back(std::make_unique<ni_model>(model_params{.host = host,
                                                                              .hosts = hosts,
                                                                              .command_entries = 200,
                                                                              .link_queue = 1 + draw(4),
                                                                              .dma_queue = 1 + draw(20)}));
                give_windows(*interfaces_.back(), bytes);
                interfaces_.back()->windows[{0, 2}].read = true;
            }
        for (std::uint32_t host = 0; host < hosts; ++host)
            for (unsigned lane = 0; lane < lanes; ++lane)
                for (unsigned other = 0; other < lanes; ++other) at(host, lane).siblings.push_back(&at(host, other));
        for (std::uint32_t message = 0; message < messages; ++message) plan(message);
        for (std::uint32_t message = 0; message < messages; ++message) receives(message);
        for (const auto& each : interfaces_) each->settle();
        for (std::uint32_t message = 0; message < messages; ++message) sends(message);
    }

    /// \returns false if something is still under way after `most` events.
    bool run(std::uint64_t most) {
        for (std::uint64_t event = 0; event < most; ++event) {
            if (left_ == 0 && network_.empty()) return true;
            const std::uint32_t host = draw(hosts_);
            const unsigned lane = draw(lanes);
            ni_model& ni = at(host, lane);
            switch (draw(4)) {
                case 0: deliver(); break;
                case 1:
                    if (ni.run_dma(1 + draw(3)) != 0) share(host, lane);
                    break;
                default:
                    // Two sides of the firmware, each with stores that are late, or one.
                    ni.step(!ni.params.late_stores ? NI_ROLE_ALL : draw(2) == 0 ? NI_ROLE_RECEIVE : NI_ROLE_SEND);
                    break;
            }
            ni.run_link(1);
            collect(ni, lane);
        }
        return false;
    }

    void check() {
        for (std::uint32_t message = 0; message < paths_.size(); ++message)
            for (std::size_t i = 1; i < paths_[message].size(); ++i)
                EXPECT_TRUE(holds(at(paths_[message][i].host, 0), 0, at_[message], message, lengths_[message]))
                    << "message " << message << " at host " << paths_[message][i].host;
        for (const auto& each : interfaces_) each->expect_idle();
    }

private:
    struct hop {
        std::uint32_t host = 0;
        unsigned lane = 0;  ///< on which it goes to the next host
        std::uint32_t step = 1;
        std::uint32_t window = 0;
    };

    std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
    ni_model& at(std::uint32_t host, unsigned lane) { return *interfaces_[host * lanes + lane]; }

    void plan(std::uint32_t message) {
        std::vector<std::uint32_t> order = hosts_from(0, hosts_);
        std::shuffle(order.begin(), order.end(), random_);
        order.resize(2 + draw(hosts_ - 1));
        for (const std::uint32_t host : order)
            paths_[message].push_back({host, draw(lanes), 1 + draw(200), draw(2) == 0 ? 0 : 64 + draw(200)});
        const std::uint32_t source = order.front();
        for (unsigned lane = 0; lane < lanes; ++lane)
            for (std::uint32_t i = 0; i < lengths_[message]; ++i)
                at(source, lane).windows[{0, 2}].bytes[at_[message] + i] = pattern(message, i);
    }

    void receives(std::uint32_t message) {
        const std::vector<hop>& path = paths_[message];
        for (std::size_t i = 1; i < path.size(); ++i) {
            const bool last = i + 1 == path.size();
            ASSERT_TRUE(at(path[i].host, path[i - 1].lane)
                            .command(0, {NI_COMMAND_RECEIVE | 2 << 8 | NI_RECEIVE_EXPECTED << 16, message, at_[message],
                                         lengths_[message], path[i - 1].host, 0, message, 0,
                                         last ? 0xffffffff : message, path[i].step, 1u << path[i].lane}));
            ++left_;
        }
    }

    /// At every interface in the same order, so that the oldest message has to wait for none.
    void sends(std::uint32_t message) {
        const std::vector<hop>& path = paths_[message];
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
            std::uint32_t flags = draw(2) == 0 ? NI_SEND_SECOND : 0;
            if (i != 0) flags |= NI_SEND_FOLLOW | (draw(3) == 0 ? NI_SEND_WHOLE : 0);
            if (path[i].window != 0) flags |= NI_SEND_WINDOW;
            ASSERT_TRUE(
                at(path[i].host, path[i].lane)
                    .command(0, {NI_COMMAND_SEND | 2 << 8 | flags << 16, message, at_[message], lengths_[message],
                                 path[i + 1].host, 0, message, 0, message, path[i].step, path[i].window}));
            ++left_;
        }
    }

    /// Host memory is the same at both interfaces.
    void share(std::uint32_t host, unsigned lane) {
        for (unsigned other = 0; other < lanes; ++other)
            if (other != lane) at(host, other).windows[{0, 2}].bytes = at(host, lane).windows[{0, 2}].bytes;
    }

    void collect(ni_model& ni, unsigned lane) {
        for (const completion& one : std::exchange(ni.completions[0], {})) {
            if (one.kind == NI_COMPLETION_ERROR) {
                EXPECT_TRUE(one.status == NI_STATUS_DUPLICATE || one.status == NI_STATUS_MALFORMED ||
                            one.status == NI_STATUS_NO_BUFFER)
                    << one.status;
                continue;
            }
            EXPECT_TRUE(one.kind == NI_COMPLETION_SENT || one.kind == NI_COMPLETION_RECEIVED) << one.status;
            --left_;
        }
        for (packet& each : std::exchange(ni.sent, {})) {
            if (each.op != control_packet) sent(ni.params.host, lane, each);
            network_.emplace_back(lane, std::move(each));
        }
    }

    void sent(std::uint32_t host, unsigned lane, const packet& part) {
        for (std::uint32_t i = 0; i < part.payload.size(); ++i)
            ASSERT_EQ(part.payload[i], pattern(part.message, part.offset + i)) << "left before it was there";
        if ((part.op & asking_bit) == 0) return;
        std::size_t& bytes = under_way_[{host, lane, part.message}];
        bytes += part.payload.size();
        for (const hop& each : paths_[part.message])
            EXPECT_TRUE(each.host != host || bytes <= each.window) << "message " << part.message;
    }

    void deliver() {
        if (network_.empty()) return;
        const std::size_t index = draw(static_cast<std::uint32_t>(network_.size()));
        const auto [lane, what] = std::move(network_[index]);
        network_.erase(network_.begin() + static_cast<std::ptrdiff_t>(index));
        ni_model& ni = at(what.destination, lane);
        if (what.op == control_packet) {
            const std::uint32_t left = lengths_[what.message] - what.offset;
            under_way_[{what.destination, lane, what.message}] -= std::min(left, ni.params.payload);
        } else if (draw(5) == 0) {
            noise(ni, what);
        }
        ASSERT_TRUE(ni.arrive(what));
    }

    /// Something that looks like the packet and is none of the message, or that is there twice.
    void noise(ni_model& ni, packet like) {
        like.op = 0;
        switch (draw(3)) {
            case 0: network_.emplace_back(0, like); return;  // on whatever lane
            case 1: like.total += like.payload.size() == ni.params.payload ? ni.params.payload : 0; break;
            default: like.source_process = 1; break;
        }
        ASSERT_TRUE(ni.arrive(like));
    }

    std::mt19937 random_;
    std::uint32_t hosts_;
    std::vector<std::vector<hop>> paths_;  ///< [message]
    std::vector<std::uint32_t> at_;        ///< [message] in host memory
    std::vector<std::uint32_t> lengths_;
    std::vector<std::unique_ptr<ni_model>> interfaces_;
    std::vector<std::pair<unsigned, packet>> network_;
    std::map<std::tuple<std::uint32_t, unsigned, std::uint32_t>, std::size_t> under_way_;
    std::uint32_t left_ = 0;  ///< commands without an answer
};

TEST(firmware_follow, messages_go_through_chains_of_hosts_whatever_the_networks_do) {
    const char* const given = std::getenv("POLYCAST_SEED");
    const std::uint32_t seed =
        given != nullptr ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 0)) : std::random_device{}();
    for (const std::uint32_t hosts : {2u, 3u, 6u}) {
        SCOPED_TRACE("POLYCAST_SEED=" + std::to_string(seed) + " hosts " + std::to_string(hosts));
        chains net(seed, hosts, 60);
        ASSERT_TRUE(net.run(5'000'000)) << "it does not end";
        net.check();
        if (testing::Test::HasFailure()) return;
    }
}

}  // namespace
}  // namespace polycast::testbench::firmware
