// SPDX-License-Identifier: Apache-2.0
// An interface with reliable messages among packets that mean it ill: nothing that the model of the registers forbids,
// and in the end everything is free. Prints its seed; POLYCAST_SEED replays one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "testbench/firmware/reliable_bench.h"

namespace polycast::testbench::firmware {
namespace {

class mob {
public:
    explicit mob(std::uint32_t seed)
        : random_(seed),
          ni_({.hosts = 12,
               .processes = 2,
               .command_entries = 40,
               .group_entries = 30,
               .send_slots = 1 + draw(8),
               .receive_slots = 4 + draw(20),
               .link_queue = 1 + draw(3),
               .dma_queue = 1 + draw(6),
               .reliable_timeout = 300,
               .reliable_attempts = 3,
               .reliable_ack_delay = 100,
               .restarts = draw(2),
               .late_stores = draw(2) == 0}) {
        give_windows(ni_, 65536);
        for (std::uint32_t group = 0; group < 3; ++group) {
            set(group, 0);
            set(group, 1 + draw(3));
        }
    }

    void run(std::uint32_t events) {
        for (std::uint32_t event = 0; event < events; ++event) {
            switch (draw(8)) {
                case 0: command(); break;
                case 1:
                case 2: ni_.arrive(draw(2) == 0 ? data() : control()); break;
                case 3: ni_.run_dma(1 + draw(3)); break;
                case 4: ni_.advance(draw(200)); break;
                default: ni_.step(draw(2) == 0 ? NI_ROLE_RECEIVE : draw(2) == 0 ? NI_ROLE_SEND : NI_ROLE_ALL); break;
            }
            ni_.run_link(draw(2));
            if (draw(200) == 0) ni_.windows[{draw(2), 1 + draw(2)}].read = draw(3) != 0;
            if (draw(200) == 0) ni_.windows[{draw(2), 2}].write = draw(3) != 0;
        }
        for (int tick = 0; tick < 100'000 && (ni_.settle(), ni_.run_timer()); ++tick) continue;
        EXPECT_FALSE(ni_.timer_set());
        for (std::uint32_t process = 0; process < 2; ++process)
            for (const completion& one : ni_.completions[process])
                open_ -=
                    one.kind == NI_COMPLETION_SENT || (one.kind == NI_COMPLETION_FAILED && (one.cookie & sends) != 0);
        EXPECT_EQ(open_, 0u) << "every command is answered once";
        ni_.expect_idle();
    }

private:
    static constexpr std::uint32_t sends = 1 << 20;

    std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
    std::uint32_t any(std::uint32_t usual) {
        constexpr std::uint32_t odd[] = {0, 1, 31, 32, 33, 64, 0xffff, 0x10000, 0x7fffffff, 0x80000000, all_there};
        return draw(6) == 0 ? odd[draw(std::size(odd))] + draw(2) : draw(usual);
    }

    void set(std::uint32_t group, std::uint32_t root) {
        const std::uint32_t process = draw(2);
        words made =
            set_group(root, group, (root == 0 ? 0 : deliver_to(process)) | NI_GROUP_RECEIPTS, hosts_from(4, draw(4)));
        made[NI_COMMAND_MESSAGE] = root == 0 ? no_host : root;
        made[NI_COMMAND_TAG] = 2 | 5 << 16;
        made.push_back(8);
        made.push_back(9);
        ASSERT_TRUE(ni_.command(process, made));
        ni_.settle();
    }

    void command() {
        const std::uint32_t process = draw(2);
        if (draw(3) == 0) {
            ni_.command(process, receive(1 + draw(500), 7, draw(60'000)));
            return;
        }
        const job what{.length = 1 + draw(draw(2) == 0 ? 64 : 900), .cookie = sends + draw(100), .process = draw(3)};
        const bool grouped = draw(2) == 0;
        words made = grouped ? send_group(0, draw(4), what) : send(draw(13), what);
        const bool sent = ni_.command(process, draw(4) != 0 ? reliable(made, draw(2) << NI_SEND_PATIENCE_SHIFT) : made);
        open_ += sent;
    }

    packet data() {
        packet made = part_of(ni_.params, draw(40), 1 + draw(400), draw(6));
        made.op = draw(8) == 0 ? draw(256) : reliable_op;
        made.source = draw(13);
        made.process = draw(3);
        made.source_process = draw(2);
        made.group = draw(2) == 0 ? draw(4) : no_group;
        made.hops = draw(3);
        made.kind = draw(10) == 0 ? draw(5) : 0;
        made.message = any(40);
        if (draw(10) == 0) made.total = any(500);
        return made;
    }

    packet control() {
        constexpr std::uint32_t words[] = {receipt_word, receipt_word, probe_word, probe_word, declined_word, 35};
        const bool mine = draw(2) == 0;
        const std::uint32_t from = draw(13);
        const std::uint32_t flow = (mine ? 0 : draw(3) == 0 ? draw(13) : from) | draw(2) << 24;
        const std::uint32_t tag = draw(2) == 0 ? draw(4) : flow_of_process(draw(3));
        const std::uint32_t word = words[draw(std::size(words))];
        packet made = control_from(from, word | (draw(4) == 0 ? draw(256) : draw(4)) << 8, flow, tag, any(40), any(20));
        if (word != receipt_word) return made;
        std::vector<receipt> entries(draw(5));
        for (receipt& one : entries)
            one = {(draw(2) == 0 ? from : any(13)) | draw(2) << 31, any(40), draw(3) == 0 ? all_there : any(14) * 64,
                   static_cast<std::uint32_t>(random_())};
        made = receipt_from(from, flow, tag, entries);
        if (draw(10) == 0) made.payload.resize(draw(64));
        return made;
    }

    std::mt19937 random_;
    ni_model ni_;
    std::uint32_t open_ = 0;
};

TEST(firmware_reliable_hostile, nothing_is_upset) {
    const char* const given = std::getenv("POLYCAST_SEED");
    const std::uint32_t seed =
        given != nullptr ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 0)) : std::random_device{}();
    for (std::uint32_t i = 0; i < 20; ++i) {
        SCOPED_TRACE("POLYCAST_SEED=" + std::to_string(seed) + " part " + std::to_string(i));
        mob(seed + i).run(20'000);
        if (testing::Test::HasFailure()) return;
    }
}

}  // namespace
}  // namespace polycast::testbench::firmware
