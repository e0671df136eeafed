// SPDX-License-Identifier: Apache-2.0
// Many interfaces that reserve rails from each other, over a network that delays and reorders what it likes: every
// message gets through, and no interface is ever taken twice. Prints its seed; POLYCAST_SEED replays one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {
namespace {

constexpr std::uint32_t control = 1;

/// Hosts with `rails` interfaces each. Every host has one message at a time, which it tries on one rail after the
/// other.
class world {
public:
    /// `liar`: a host with ten times as many messages, of each of which it says that it is as old as the world, and
    /// urgent. The others need not wait for these to end.
    world(std::uint32_t seed, std::uint32_t hosts, unsigned rails, unsigned messages, unsigned patience,
          std::uint32_t liar = no_host)
        : random_(seed),
          hosts_(hosts),
          rails_(rails),
          messages_(messages),
          patience_(patience),
          liar_(liar),
          state_(hosts) {
        for (std::uint32_t host = 0; host < hosts; ++host) {
            for (unsigned rail = 0; rail < rails; ++rail) {
                auto ni = std::make_unique<ni_model>(model_params{.host = host, .hosts = hosts, .processes = 1});
                give_windows(*ni, 4096);
                for (int buffer = 0; buffer < 8; ++buffer) ni->command(0, receive(512, 100));
                ni->run();
                interfaces_.push_back(std::move(ni));
            }
            next_message(host);
        }
    }

    /// Messages that a host has sent.
    unsigned sent_by(std::uint32_t host) const { return state_[host].number - (state_[host].bytes != 0 ? 1 : 0); }
    bool all_sent() const {
        if (liar_ == no_host) return ended_ == hosts_ * messages_;
        for (std::uint32_t host = 0; host < hosts_; ++host)
            if (host != liar_ && sent_by(host) != messages_) return false;
        return true;
    }

    /// \returns false if it has not ended after `most` events.
    bool run(std::uint64_t most) {
        for (std::uint64_t event = 0; event < most; ++event) {
            if (all_sent()) return true;
            const std::uint32_t host = draw(hosts_);
            const unsigned rail = draw(rails_);
            ni_model& ni = at(host, rail);
            ni.time = clock_;
            switch (draw(4)) {
                case 0: deliver(); break;
                case 1: ni.run_dma(1 + draw(3)); break;
                case 2: ni.step(); break;
                default: attempt(host); break;
            }
            ni.run_link(1);
            collect(host, rail);
        }
        return false;
    }

    std::uint64_t refused = 0, most_refusals = 0;

private:
    struct host_state {
        std::uint32_t to = 0;
        std::uint32_t ticket = 0;
        std::uint32_t number = 0;
        std::uint32_t bytes = 0;
        unsigned left = 0;      ///< messages still to be sent
        unsigned rail = 0;      ///< to be tried next
        bool waiting = false;   ///< for an answer of the interface
        unsigned refusals = 0;  ///< of the present message
        std::vector<bool> kept;
    };

    std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
    ni_model& at(std::uint32_t host, unsigned rail) { return *interfaces_[host * rails_ + rail]; }

    void next_message(std::uint32_t host) {
        host_state& own = state_[host];
        if (own.number == 0) own.left = host == liar_ ? 10 * messages_ : messages_;
        if (own.left == 0) return;
        --own.left;
        own.to = draw(3) == 0 ? (host == 0 ? 1u : 0u) : (host + 1 + draw(hosts_ - 1)) % hosts_;  // one is popular
        own.ticket = clock_++;
        if (host == liar_) own.ticket = 0xffffff80;
        ++own.number;
        own.bytes = 1 + draw(500);
        own.rail = draw(rails_);
        own.refusals = 0;
        own.kept.assign(rails_, false);
    }

    void attempt(std::uint32_t host) {
        host_state& own = state_[host];
        if (own.waiting || (own.bytes == 0)) return;
        own.waiting = true;
        words made = send(own.to, {.length = own.bytes, .message = own.number, .cookie = 1});
        made[NI_COMMAND_OPERATION] |=
            (NI_SEND_RESERVE | (own.refusals >= patience_ || host == liar_ ? NI_SEND_URGENT : 0)) << 16;
        made[NI_COMMAND_GROUP] = own.ticket;
        ASSERT_TRUE(at(host, own.rail).command(0, made));
    }

    void collect(std::uint32_t host, unsigned rail) {
        ni_model& ni = at(host, rail);
        for (const completion& one : ni.completions[0]) {
            if (one.kind == NI_COMPLETION_RECEIVED) {
                received(host, rail, one);
            } else if (one.kind == NI_COMPLETION_SENT) {
                sent(host);
            } else if (one.kind == NI_COMPLETION_FAILED && one.status == NI_STATUS_BUSY) {
                host_state& own = state_[host];
                own.kept[rail] = own.kept[rail] || one.group == 1;
                own.waiting = false;
                own.rail = (own.rail + 1) % rails_;
                ++refused;
                most_refusals = std::max<std::uint64_t>(most_refusals, ++own.refusals);
            } else {
                ASSERT_EQ(one.kind, static_cast<std::uint32_t>(NI_COMPLETION_WITHDRAWN));
            }
        }
        ni.completions[0].clear();
        for (packet& each : ni.sent) {
            check_one_sender(rail, each);
            network_.push_back({rail, std::move(each)});
        }
        ni.sent.clear();
    }

    /// While parts of a message are under way to an interface, no other message may be, nor may it send one itself.
    void check_one_sender(unsigned rail, const packet& part) {
        if (part.op == control) return;
        const std::pair key(part.source, part.message);
        taker& end = takers_[{rail, part.destination}];
        if (part.offset == 0) {
            EXPECT_EQ(end.left, 0u) << "host " << part.destination << " already receives on rail " << rail;
            end = {key, part.total};
        }
        EXPECT_EQ(end.who, key);
        EXPECT_EQ((takers_[{rail, part.source}].left), 0u) << "host " << part.source << " sends and receives";
    }

    void sent(std::uint32_t host) {
        host_state& own = state_[host];
        own.waiting = false;
        for (unsigned rail = 0; rail < rails_; ++rail) {
            if (!own.kept[rail] || rail == own.rail) continue;
            ASSERT_TRUE(at(host, rail).command(0, {NI_COMMAND_WITHDRAW, 8, 0, 0, own.to, own.ticket, 0, 0}));
        }
        own.bytes = 0;
        next_message(host);
    }

    void received(std::uint32_t host, unsigned rail, const completion& one) {
        ++ended_;
        EXPECT_TRUE(holds(at(host, rail), 0, 0, 1, one.length));
        ASSERT_TRUE(at(host, rail).command(0, receive(512, 100)));
    }

    void deliver() {
        if (network_.empty()) return;
        const std::size_t index = draw(static_cast<std::uint32_t>(network_.size()));
        auto [rail, what] = std::move(network_[index]);
        network_.erase(network_.begin() + static_cast<std::ptrdiff_t>(index));
        ni_model& ni = at(what.destination, rail);
        if (what.op != control) {
            taker& end = takers_[{rail, what.destination}];
            EXPECT_EQ(end.who, std::pair(what.source, what.message));
            end.left -= static_cast<std::uint32_t>(what.payload.size());
        }
        ASSERT_TRUE(ni.arrive(what));
    }

    struct taker {
        std::pair<std::uint32_t, std::uint32_t> who{};
        std::uint32_t left = 0;
    };

    std::mt19937 random_;
    std::uint32_t hosts_;
    unsigned rails_, messages_, patience_;
    std::uint32_t liar_;
    std::vector<std::unique_ptr<ni_model>> interfaces_;
    std::vector<host_state> state_;
    std::vector<std::pair<unsigned, packet>> network_;
    std::map<std::pair<unsigned, std::uint32_t>, taker> takers_;
    std::uint32_t clock_ = 0xffffff80;  // passes the end of the count
    std::uint32_t ended_ = 0;
};

std::uint32_t first_seed() {
    const char* const given = std::getenv("POLYCAST_SEED");
    return given != nullptr ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 0)) : std::random_device{}();
}

TEST(firmware_rails, every_message_gets_through_whatever_meets) {
    const std::uint32_t seed = first_seed();
    for (const unsigned patience : {0u, 3u, 20u})
        for (const unsigned rails : {1u, 3u})
            for (const std::uint32_t hosts : {2u, 9u}) {
                SCOPED_TRACE("POLYCAST_SEED=" + std::to_string(seed) + " patience " + std::to_string(patience) +
                             ", rails " + std::to_string(rails) + ", hosts " + std::to_string(hosts));
                world net(seed, hosts, rails, 100, patience);
                ASSERT_TRUE(net.run(20'000'000)) << "it does not end";
                EXPECT_GT(net.refused, 0u);
                RecordProperty("most_refusals_" + std::to_string(patience) + "_" + std::to_string(rails) + "_" +
                                   std::to_string(hosts),
                               std::to_string(net.most_refusals));
                if (testing::Test::HasFailure()) return;
            }
}

// Three hosts, so that whoever sends is in the way of the others. Without turns the liar sends all that it has first.
TEST(firmware_rails, a_host_that_forges_its_tickets_gets_no_more_turns_than_others) {
    const std::uint32_t seed = first_seed();
    SCOPED_TRACE("POLYCAST_SEED=" + std::to_string(seed));
    constexpr unsigned messages = 100;
    world net(seed, 3, 1, messages, 3, 1);
    ASSERT_TRUE(net.run(20'000'000)) << "it does not end";
    RecordProperty("sent_by_liar", std::to_string(net.sent_by(1)));
    EXPECT_LT(net.sent_by(1), 2 * messages);
    EXPECT_GT(net.sent_by(1), messages / 2) << "but its share it has";
}

}  // namespace
}  // namespace polycast::testbench::firmware
