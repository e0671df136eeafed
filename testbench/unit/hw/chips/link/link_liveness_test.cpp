// SPDX-License-Identifier: Apache-2.0
// Whatever symbols are lost, how long flits wait: every choice of a few losses, in both directions.
#include <compare>
#include <memory>

#include "testbench/unit/hw/chips/link/cable_bench.h"

namespace polycast::testbench::unit {
namespace {

using hw::chips::link_tx_state;

class link_liveness : public testing::TestWithParam<char> {
protected:
    /// A symbol becomes idle, or has a bit flipped, or all symbols of a frame become idle from its first on.
    enum class how : std::uint8_t { lost, flipped, frame };
    struct loss {
        cycle when = 0;
        unsigned towards = 0;
        how what = how::lost;
        auto operator<=>(const loss&) const = default;
    };
    static constexpr cycle start = 1000;  ///< the link is up, and quiet but for its timers
    static constexpr unsigned flits = 2;

    /// What a direction loses of `losses`; in `more` what it could lose behind the last of them until all is there.
    struct wire_script {
        void operator()(cycle now, link_symbol& symbol) {
            if (symbol.kind == symbol_kind::idle) return;
            bool first = false;
            bool last = true;
            const bool of_frame = symbol.kind == symbol_kind::flit || symbol.kind == symbol_kind::check;
            if (of_frame) {
                bool signal = true;
                frames(now, symbol, signal);
                first = began;
                last = ended;
            }
            const auto hit = std::ranges::find_if(
                losses, [&](const loss& each) { return each.when == now && each.towards == towards; });
            if (hit == losses.end() && !inside_lost) {
                if (now >= start && more != nullptr && !all_there() &&
                    (losses.empty() || losses.back() < loss{now, towards}))
                    offer(now, of_frame, first && !last);
                return;
            }
            if (hit != losses.end() && hit->what == how::flipped) {
                symbol.data[0] ^= 1;
                return;
            }
            symbol = {};
            inside_lost = !last && (inside_lost || hit->what == how::frame);
        }
        void offer(cycle now, bool of_frame, bool longer) const {
            more->push_back({now, towards, how::lost});
            // An ordered set that is bad is one that is lost.
            if (of_frame) more->push_back({now, towards, how::flipped});
            if (longer) more->push_back({now, towards, how::frame});
        }

        const unsigned towards;
        const std::vector<loss>& losses;
        std::vector<loss>* const more;
        const std::function<bool()> all_there;
        bool began = false;
        bool ended = false;
        bool inside_lost = false;
        frame_script frames;
    };

    /// The second flit comes when the frame of the first is on the wire.
    void run(cable_bench& bench, const std::vector<loss>& losses, std::vector<loss>* more) {
        for (unsigned towards = 0; towards < 2; ++towards) {
            const auto script = std::make_shared<wire_script>(
                towards, losses, more, [&] { return bench.seen[1].size() == flits; }, false, false, false,
                frame_script(config, {}));
            script->frames = frame_script(config, [seen = script.get()](unsigned, bool first, bool last, link_symbol&) {
                seen->began = first;
                seen->ended = last;
            });
            bench.spoil(
                towards, [script](cycle now, link_symbol& symbol, bool&) { (*script)(now, symbol); }, false);
        }
        bench.frees = true;
        bench.send(start, 1);
        bench.send(start + P, 1);
        bench.run(start + 4 * P + bound(losses.size()) + 4 * config.delay);
        ++runs_;
    }

    /// Each loss costs a timer at most. Once it begins anew: with the ack of the first flit, D - 1 cycles behind its
    /// frame. The copy takes no longer than the flit would have.
    cycle bound(std::uint64_t losses) const {
        const cycle turn = 2 * config.delay + config.set_symbols() + 2;  // D
        return losses == 0 ? 0 : losses * R + turn - 1;
    }

    /// What comes of these losses; in `more` what could be lost next.
    void look(const std::vector<loss>& losses, std::vector<loss>* more) {
        cable_bench bench(config);
        run(bench, losses, more);
        ASSERT_EQ(bench.seen[1].size(), flits) << told(losses);
        for (unsigned index = 0; index < flits; ++index) {
            ASSERT_EQ(bench.seen[1][index].tag, index + 1) << told(losses);
            const cycle when = bench.seen[1][index].when;
            ASSERT_LE(when, clean_[index] + bound(losses.size())) << told(losses);
        }
        ASSERT_TRUE(bench.errors[0].empty() && bench.errors[1].empty()) << told(losses);
        ASSERT_NE(bench.cable.end(0).probe().tx, link_tx_state::flush) << told(losses);
        longest_[losses.size()] = std::max(longest_[losses.size()], bench.seen[1].back().when - clean_.back());
    }

    /// All choices of `left` further losses, each in or behind the cycle of the one before.
    void explore(std::vector<loss>& losses, unsigned left) {
        std::vector<loss> more;
        ASSERT_NO_FATAL_FAILURE(look(losses, left == 0 ? nullptr : &more));
        for (const loss& next : more) {
            losses.push_back(next);
            ASSERT_NO_FATAL_FAILURE(explore(losses, left - 1));
            losses.pop_back();
        }
    }

    void explore(unsigned most) {
        {
            cable_bench bench(config);
            run(bench, {}, nullptr);
            ASSERT_EQ(bench.seen[1].size(), flits);
            for (const cable_bench::flit& each : bench.seen[1]) clean_.push_back(each.when);
        }
        longest_.assign(most + 1, 0);
        std::vector<loss> losses;
        explore(losses, most);
        // Where nothing else comes only the timer knows: the bound is reached.
        for (unsigned lost = 1; lost <= most; ++lost) EXPECT_EQ(longest_[lost], bound(lost));
        RecordProperty("runs", std::to_string(runs_));
        std::string longest;
        for (unsigned lost = 1; lost <= most; ++lost) longest += std::to_string(longest_[lost]) + " ";
        RecordProperty("longest", longest);
    }

    static std::string told(const std::vector<loss>& losses) {
        static constexpr const char* words[] = {"", " flipped", " and the rest of the frame"};
        std::string text = "lost:";
        for (const loss& each : losses)
            text += " cycle " + std::to_string(each.when) + (each.towards == 0 ? " back" : " forth") +
                    words[static_cast<unsigned>(each.what)];
        return text;
    }

    link_config config = checked(reference(GetParam()));
    cycle P = 1 + config.trailer_symbols();  ///< of a frame of one flit
    cycle R = config.replay_timer;

private:
    std::vector<cycle> clean_;    ///< by flit
    std::vector<cycle> longest_;  ///< by the number of losses: cycles that the last flit comes later
    std::uint64_t runs_ = 0;
};
INSTANTIATE_TEST_SUITE_P(all, link_liveness, testing::Values('X', 'Y', 'Z'), row_name);

TEST_P(link_liveness, each_loss_costs_a_timer_at_most) {
    const bool core = fidelity() == "core";
    explore(GetParam() == 'Y' ? (core ? 2 : 1) : core ? 4 : 3);
}

}  // namespace
}  // namespace polycast::testbench::unit
