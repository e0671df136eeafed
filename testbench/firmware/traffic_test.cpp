// SPDX-License-Identifier: Apache-2.0
// Several interfaces on a network without time, that delivers in any order: random messages of all kinds and hostile
// packets. What was asked for arrives, byte for byte and once; nothing leaks; nobody else is harmed.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {
namespace {

constexpr std::uint32_t host_count = 8;
constexpr std::uint32_t process_count = 3;
constexpr std::uint32_t buffer_bytes = 400;
constexpr std::uint32_t buffers_of_process = 12;

struct size_set {
    std::uint32_t payload, send_slots, receive_slots, link_queue, dma_queue;
};

/// Process 0 of each host takes what hostile packets leave it, the others send and receive.
class small_world {
public:
    small_world(unsigned seed, const size_set& sizes) : random_(seed) {
        for (std::uint32_t host = 0; host < host_count; ++host)
            nis_.push_back(std::make_unique<ni_model>(model_params{.host = host,
                                                                   .hosts = host_count,
                                                                   .payload = sizes.payload,
                                                                   .processes = process_count,
                                                                   .command_entries = 32,
                                                                   .group_entries = 64,
                                                                   .send_slots = sizes.send_slots,
                                                                   .receive_slots = sizes.receive_slots,
                                                                   .link_queue = sizes.link_queue,
                                                                   .dma_queue = sizes.dma_queue}));
        for (auto& ni : nis_) {
            for (std::uint32_t process = 0; process < process_count; ++process) {
                ni->windows[{process, 1}].bytes.resize(1 << 16);
                ni->windows[{process, 1}].write = false;
                ni->windows[{process, 2}].bytes.resize(buffers_of_process * buffer_bytes);
                for (std::uint32_t i = 0; i < buffers_of_process; ++i) post(*ni, process, i);
            }
        }
    }

    /// One message of a random kind. Process 2 sends to process 2 and so on, so that buffers suffice.
    void start_message() {
        const std::uint32_t root = below(host_count);
        ni_model& ni = *nis_[root];
        const std::uint32_t process = 1 + below(process_count - 1);
        const std::uint32_t number = ++messages_;
        const std::uint32_t length = 1 + below(buffer_bytes);
        const std::uint32_t offset = 1000 + (number % 100) * 512;
        auto& out = ni.windows[{process, 1}].bytes;
        for (std::uint32_t i = 0; i < length; ++i) out[offset + i] = pattern(number, i);
        job what{.length = length, .message = number, .cookie = number, .offset = offset, .process = process};
        std::set<std::uint32_t> members;
        while (members.empty())
            for (std::uint32_t host = 0; host < host_count; ++host)
                if (host != root && below(3) == 0) members.insert(host);
        switch (below(4)) {
            case 0:
                members = {*members.begin()};
                give(ni, process, send(*members.begin(), what));
                break;
            case 1: {
                std::uint32_t bits = 0;
                for (const std::uint32_t host : members) bits |= 1u << host;
                give(ni, process, send_tree({bits}, what));
                break;
            }
            case 2: give(ni, process, send_worm(NI_ROUTE_PATH, path_to(members, 2 + below(3)), what)); break;
            default:
                set_up_tree(root, number % 1000, members, process);
                give(ni, process, send_group(root, number % 1000, what));
                break;
        }
        for (const std::uint32_t host : members) expected_[{host, process, number}] = length;
    }

    /// A packet that no interface has sent, for process 0 or a process or group that there is not, or one that is on
    /// its way, found damaged. (Whoever forges a packet for a process can take one of its buffers, but nobody else's.)
    void attack() {
        packet made;
        made.source = below(host_count + 1);
        made.message = 1u << 30 | below(20);
        made.process = below(2) == 0 ? 0 : process_count + below(200);
        made.source_process = below(4);
        if (below(2) == 0) made.group = 1000 + below(1000);
        made.hops = below(3);
        made.kind = below(3) == 0 ? below(16) : below(4);
        if (made.kind == 3) made.route = {1, 0, 0, 0, 0};
        made.op = below(5) == 0 ? below(256) : 0;
        made.total = below(4) == 0 ? any() : below(2000);
        const std::uint32_t payload = nis_[0]->params.payload;
        made.offset = below(8) == 0 ? any() : below(20) * payload;
        made.payload.resize(below(payload + 2));
        if (below(2) == 0 && made.offset < made.total) made.payload.resize(std::min(payload, made.total - made.offset));
        made.status = below(4) == 0 ? 1u << below(5) : 0;
        if (!wires_.empty() && below(3) == 0) {
            made = wires_[below(static_cast<std::uint32_t>(wires_.size()))].second;
            made.status = 1u << below(5);
        }
        wires_.emplace_back(below(host_count), made);
    }

    /// A little of everything, in random order.
    void go_on() {
        const std::uint32_t host = below(host_count);
        ni_model& ni = *nis_[host];
        switch (below(6)) {
            case 0: ni.run_dma(1 + below(4)); break;
            case 1: ni.run_link(1 + below(4)); break;
            default: ni.step(); break;
        }
        collect(host);
        if (!wires_.empty() && below(3) == 0) deliver(below(static_cast<std::uint32_t>(wires_.size())));
    }

    void finish() {
        for (int silent = 0; silent < 3;) {
            bool any = false;
            for (std::uint32_t host = 0; host < host_count; ++host) {
                ni_model& ni = *nis_[host];
                ni.run();
                any = ni.run_dma() + ni.run_link() != 0 || any;
                collect(host);
            }
            for (std::size_t i = wires_.size(); i-- > 0;) any = deliver(i) || any;
            give_commands();
            if (any) continue;
            // What hostile packets have begun goes with time.
            ++silent;
            for (auto& ni : nis_) ni->run_timer();
        }
        for (std::uint32_t host = 0; host < host_count; ++host) collect(host);
    }

    void check() {
        EXPECT_TRUE(wires_.empty());
        EXPECT_TRUE(waiting_.empty());
        for (const auto& [key, length] : expected_)
            ADD_FAILURE() << "message " << std::get<2>(key) << " of " << length << " bytes to host " << std::get<0>(key)
                          << " did not arrive";
        EXPECT_EQ(sent_, messages_);
        for (auto& ni : nis_) {
            EXPECT_EQ(ni->slots_used(), 0u);
            EXPECT_EQ(ni->commands_taken(), 0u);
            EXPECT_EQ(ni->groups_used(), 0u);
            EXPECT_FALSE(ni->timer_set());
        }
    }

    std::size_t under_way() const { return expected_.size(); }

private:
    std::uint32_t any() { return static_cast<std::uint32_t>(random_()); }
    std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

    void post(ni_model& ni, std::uint32_t process, std::uint32_t buffer) {
        give(ni, process, receive(buffer_bytes, buffer, buffer * buffer_bytes));
    }

    void give(ni_model& ni, std::uint32_t process, const words& command) {
        waiting_.push_back({&ni, process, command});
        give_commands();
    }

    /// Commands stay in order for each process.
    void give_commands() {
        std::set<std::pair<ni_model*, std::uint32_t>> full;
        std::vector<waiting> left;
        for (waiting& one : waiting_) {
            if (!full.contains({one.ni, one.process}) && one.ni->command(one.process, one.command)) continue;
            full.insert({one.ni, one.process});
            left.push_back(std::move(one));
        }
        waiting_ = std::move(left);
    }

    /// Words of a path worm; its one stop's switch says where the packet goes in this network: bit h for host h.
    static words path_to(const std::set<std::uint32_t>& hosts, std::size_t count) {
        words made(count);
        made[0] = 1;
        for (const std::uint32_t host : hosts) made[0] |= 1u << (16 + host);
        return made;
    }

    /// A random tree from the root over the members, of one-message groups of hosts or of worms.
    void set_up_tree(std::uint32_t root, std::uint32_t number, const std::set<std::uint32_t>& members,
                     std::uint32_t process) {
        std::vector<std::uint32_t> placed{root};
        std::map<std::uint32_t, words> children;
        const std::uint32_t each = below(2) == 0 ? 0 : 2 + below(4);  // words of a worm
        for (auto next = members.begin(); next != members.end();) {
            words& list = children[placed[below(static_cast<std::uint32_t>(placed.size()))]];
            std::set<std::uint32_t> hosts;
            do hosts.insert(*next++);
            while (each != 0 && next != members.end() && below(2) == 0);
            const words one = each != 0 ? path_to(hosts, each) : words{*hosts.begin()};
            list.insert(list.end(), one.begin(), one.end());
            placed.insert(placed.end(), hosts.begin(), hosts.end());
        }
        const std::uint32_t kind = NI_GROUP_ONCE | (below(2) == 0 ? NI_GROUP_FCFS : 0);
        for (const std::uint32_t host : placed) {
            const std::uint32_t deliver = host == root ? 0 : deliver_to(process);
            // Set up before the root may send: no packet can come earlier.
            ni_model& ni = *nis_[host];
            const bool worms = each != 0 && !children[host].empty();
            const words command = worms ? set_worms(root, number, kind | deliver, 3, children[host], each)
                                        : set_group(root, number, kind | deliver, children[host]);
            while (!ni.command(process, command)) ni.run();
            ni.run();
            for (int i = 0; i < 100; ++i) ni.run_dma(), ni.run();
        }
    }

    void collect(std::uint32_t host) {
        ni_model& ni = *nis_[host];
        for (packet& one : ni.sent) {
            for (std::uint32_t to = 0; to < host_count; ++to) {
                const std::uint32_t hosts = one.kind == 0 ? 1u << one.destination : one.route.at(one.kind == 3 ? 2 : 0);
                if ((hosts >> to & 1) == 0) continue;
                packet copy = one;
                copy.destination = to;
                wires_.emplace_back(to, std::move(copy));
            }
        }
        ni.sent.clear();
        for (auto& [process, list] : ni.completions) {
            for (const completion& one : std::exchange(list, {})) see(host, process, one);
        }
    }

    void see(std::uint32_t host, std::uint32_t process, const completion& one) {
        ni_model& ni = *nis_[host];
        switch (one.kind) {
            case NI_COMPLETION_SENT: ++sent_; break;
            case NI_COMPLETION_RECEIVED: {
                const auto found = expected_.find({host, process, one.message});
                if (found != expected_.end()) {
                    EXPECT_EQ(one.length, found->second);
                    EXPECT_TRUE(holds(ni, process, one.cookie * buffer_bytes, one.message, one.length));
                    expected_.erase(found);
                } else {
                    EXPECT_GE(one.message, 1u << 30) << "arrived twice, or nobody sent it";
                }
                post(ni, process, one.cookie);
                break;
            }
            case NI_COMPLETION_GROUP_SET: EXPECT_EQ(one.status, 0u); break;
            case NI_COMPLETION_ERROR: break;
            default: ADD_FAILURE() << "completion " << one.kind << " with status " << one.status; break;
        }
    }

    bool deliver(std::size_t index) {
        const auto& [to, what] = wires_[index];
        if (!nis_[to]->arrive(what)) return false;
        std::swap(wires_[index], wires_.back());
        wires_.pop_back();
        return true;
    }

    struct waiting {
        ni_model* ni;
        std::uint32_t process;
        words command;
    };

    std::mt19937 random_;
    std::vector<std::unique_ptr<ni_model>> nis_;
    std::vector<std::pair<std::uint32_t, packet>> wires_;
    std::vector<waiting> waiting_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> expected_;
    std::uint32_t messages_ = 0;
    std::uint32_t sent_ = 0;
};

void run(unsigned seed, const size_set& sizes, bool hostile) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", payload " << sizes.payload);
    small_world world(seed, sizes);
    std::mt19937 random(seed + 1);
    for (int message = 0; message < 120; ++message) {
        world.start_message();
        const auto steps = random() % 400;
        for (unsigned i = 0; i < steps || world.under_way() > 6; ++i) {
            if (i > 200000) {
                ADD_FAILURE() << "stuck";
                return;
            }
            if (hostile && random() % 20 == 0) world.attack();
            world.go_on();
        }
    }
    world.finish();
    world.check();
}

// More receive slots than an FCFS message needs: where they are fewer, messages wait for a tick (forward_test.cpp).
const size_set roomy{64, 1000, 1000, 100, 100};
const size_set tight{64, 1, 64, 1, 1};
const size_set odd{50, 3, 100, 2, 3};

/// Three that are always the same, and one that a failure names.
std::vector<unsigned> seeds() {
    return {0, 1, 2, std::random_device{}()};
}

TEST(firmware_traffic, arrives) {
    for (const unsigned seed : seeds())
        for (const size_set& sizes : {roomy, tight, odd}) run(seed, sizes, false);
}

TEST(firmware_traffic, arrives_among_hostile_packets) {
    for (const unsigned seed : seeds())
        for (const size_set& sizes : {roomy, tight, odd}) run(seed, sizes, true);
}

}  // namespace
}  // namespace polycast::testbench::firmware
