// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/tenants/hostile_program.h"

#include <algorithm>
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <memory>

#include "hw/format/route.h"
#include "hw/host/command_words.h"
#include "hw/ni/abi/ni_registers.h"

namespace polycast::hw::tenants {

namespace {

using words = std::vector<std::uint32_t>;

constexpr std::uint32_t send_window = 0;     ///< of hw/host/process.cpp
constexpr std::uint32_t receive_window = 1;  ///< likewise
constexpr std::uint32_t message_numbers = 64;
constexpr std::uint32_t group_numbers = 8;
constexpr std::uint32_t most_children = 12;

class hostile_program final : public host::application, private ni::timeline::task {
public:
    hostile_program(const host::host_context& context, std::uint32_t host, const hostile_params& params,
                    std::size_t first)
        : process_(context.own),
          time_(context.time),
          host_(host),
          params_(params),
          first_(first),
          random_(traffic::random_stream(params.seed, host)(), context.own.params().process) {
        if (params_.attacks.empty())
            for (const auto& each : attack_kinds) params_.attacks.push_back(each.value);
        if (params_.shape.stops == 0 || params_.shape.hosts > format::most_tree_hosts)
            std::erase(params_.attacks, attack_kind::worms);
    }

    void start() override { next(params_.start); }
    bool finished() const override { return done_ == params_.attempts || params_.attacks.empty(); }
    std::vector<std::uint64_t> counts() const override {
        std::vector<std::uint64_t> all(first_);
        all.insert(all.end(), counts_.begin(), counts_.end());
        return all;
    }

private:
    void due(engine::cycle /*when*/, std::uint64_t /*tag*/) override {
        attempt();
        ++done_;
        next(time_.now());
    }
    void sent(engine::cycle, std::uint64_t, ni_status) override {}
    void received(engine::cycle /*when*/, const host::delivery& arrived) override {
        ++count(hostile_count::heard);
        if (std::ranges::find(params_.own, arrived.process) == params_.own.end()) ++count(hostile_count::heard_of_jobs);
        process_.release(arrived);
    }
    void failed(engine::cycle, const host::ni_report&) override { ++count(hostile_count::reports); }

    void next(engine::cycle from) {
        if (finished()) return;
        const double wait = boost::random::exponential_distribution<double>(1 / std::max(params_.gap, 1.0))(random_);
        time_.schedule(from + static_cast<engine::cycle>(std::ceil(std::min(wait, 1e12))), *this, 0);
    }

    std::uint64_t& count(hostile_count what) { return counts_[static_cast<std::size_t>(what)]; }
    std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }
    std::uint32_t below(std::uint32_t bound) {
        return boost::random::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random_);
    }
    bool chance(std::uint32_t percent) { return below(100) < percent; }
    std::uint32_t any_host() { return chance(98) ? below(params_.hosts) : word() & 0xffffff; }
    std::uint32_t other_host() { return (host_ + 1 + below(params_.hosts - 1)) % params_.hosts; }
    std::uint32_t victim() {
        if (params_.victims.empty() || chance(10)) return word() & 0xff;
        return params_.victims[below(static_cast<std::uint32_t>(params_.victims.size()))];
    }

    /// A send of bytes that the process may send, with everything else as others' messages have it.
    words sending(std::uint32_t operation, std::uint32_t to) {
        words made(NI_COMMAND_WORDS);
        made[NI_COMMAND_OPERATION] = operation | send_window << 8;
        made[NI_COMMAND_OFFSET] = below(1u << 16);
        made[NI_COMMAND_LENGTH] = 1 + below(chance(50) ? params_.payload_bytes : params_.message_bytes);
        made[NI_COMMAND_TO] = to | victim() << 24;
        made[NI_COMMAND_MESSAGE] = chance(80) ? below(message_numbers) : word();
        made[NI_COMMAND_TAG] = chance(50) ? made[NI_COMMAND_MESSAGE] : below(message_numbers);
        return made;
    }

    words half() {
        words made = sending(NI_COMMAND_SEND, other_host());
        made[NI_COMMAND_LENGTH] = 2 * params_.payload_bytes + below(4 * params_.payload_bytes);
        made[NI_COMMAND_OFFSET] = host::window_bytes - 1 - below(2 * params_.payload_bytes);
        return made;
    }

    words worm() {
        words made = sending(NI_COMMAND_SEND_WORM, 0);
        made[NI_COMMAND_OPERATION] |= static_cast<std::uint32_t>(NI_ROUTE_TREE) << (16 + NI_GROUP_KIND_SHIFT);
        std::vector<std::uint32_t> hosts;
        for (std::uint32_t i = 1 + below(4); i != 0; --i) hosts.push_back(other_host());
        std::ranges::sort(hosts);
        hosts.erase(std::ranges::unique(hosts).begin(), hosts.end());
        const std::vector<std::uint8_t> field = format::tree_route(params_.shape, hosts).field;
        made.resize(NI_COMMAND_WORDS + (field.size() + 3) / 4);
        for (std::size_t byte = 0; byte < field.size(); ++byte)
            made[NI_COMMAND_WORDS + byte / 4] |= std::uint32_t{field[byte]} << byte % 4 * 8;
        return made;
    }

    words grouping() {
        if (chance(40)) {
            words made = sending(NI_COMMAND_SEND_GROUP, chance(80) ? host_ : any_host());
            made[NI_COMMAND_GROUP] = below(group_numbers) | (1 + below(8)) << 16;
            return made;
        }
        constexpr std::uint32_t operations[] = {NI_COMMAND_SET_GROUP, NI_COMMAND_SET_GROUP, NI_COMMAND_EXTEND_GROUP,
                                                NI_COMMAND_CLEAR_GROUP};
        const std::uint32_t children = below(most_children);
        const std::uint32_t flags = below(8) | (chance(50) ? process_.params().process : victim())
                                                   << NI_GROUP_PROCESS_SHIFT;
        words made(NI_COMMAND_WORDS);
        made[NI_COMMAND_OPERATION] = operations[below(4)] | flags << 16;
        made[NI_COMMAND_LENGTH] = chance(90) ? children : word();
        made[NI_COMMAND_TO] = chance(30) ? host_ : any_host();
        made[NI_COMMAND_GROUP] = below(group_numbers);
        for (std::uint32_t i = 0; i < children; ++i) made.push_back(any_host());
        return made;
    }

    words reserving() {
        if (chance(30)) {
            words made(NI_COMMAND_WORDS);
            made[NI_COMMAND_OPERATION] = NI_COMMAND_WITHDRAW;
            made[NI_COMMAND_TO] = any_host();
            made[NI_COMMAND_GROUP] = below(1000);
            return made;
        }
        words made = sending(NI_COMMAND_SEND, other_host());
        made[NI_COMMAND_OPERATION] |= (NI_SEND_RESERVE | (chance(50) ? unsigned{NI_SEND_URGENT} : 0u)) << 16;
        made[NI_COMMAND_GROUP] = chance(50) ? below(1000) : word();
        return made;
    }

    words counting() {
        words made(NI_COMMAND_LONG_WORDS);
        if (chance(50)) {
            made[NI_COMMAND_OPERATION] = NI_COMMAND_SET_COUNTER;
            made[NI_COMMAND_GROUP] = chance(80) ? below(8) : word();
            made[NI_COMMAND_LENGTH] = word();
            return made;
        }
        made[NI_COMMAND_OPERATION] = NI_COMMAND_RECEIVE | receive_window << 8 | NI_RECEIVE_EXPECTED << 16;
        made[NI_COMMAND_OFFSET] = below(1u << 20);
        made[NI_COMMAND_LENGTH] = 1 + below(params_.message_bytes);
        made[NI_COMMAND_TO] = other_host() | process_.params().process << 24;
        made[NI_COMMAND_MESSAGE] = below(message_numbers);
        made[NI_COMMAND_COUNTER] = below(8);
        made[NI_COMMAND_STEP] = 1;
        made[NI_COMMAND_TELL] = word();
        return made;
    }

    words noise() {
        words made(NI_COMMAND_WORDS + below(24));
        for (std::uint32_t& each : made) each = chance(50) ? word() : below(70);
        made[NI_COMMAND_OPERATION] = below(14) | below(20) << 8 | (chance(50) ? word() & 0xffff0000u : 0);
        return made;
    }

    void attempt() {
        const attack_kind kind = params_.attacks[below(static_cast<std::uint32_t>(params_.attacks.size()))];
        words made;
        switch (kind) {
            case attack_kind::forge: made = sending(NI_COMMAND_SEND, other_host()); break;
            case attack_kind::half: made = half(); break;
            case attack_kind::worms: made = worm(); break;
            case attack_kind::groups: made = grouping(); break;
            case attack_kind::rails: made = reserving(); break;
            case attack_kind::counters: made = counting(); break;
            case attack_kind::registers:
                for (std::uint32_t i = 1 + below(8); i != 0; --i) {
                    process_.poke(4 * below(NI_HOST_PROCESS_STRIDE / 4), word());
                    ++count(hostile_count::registers);
                }
                return;
            case attack_kind::noise: made = noise(); break;
        }
        const std::uint32_t bytes = chance(98) ? static_cast<std::uint32_t>(4 * made.size()) : word();
        ++count(process_.give(made, bytes) ? hostile_count::commands : hostile_count::waited);
    }

    host::process& process_;
    ni::timeline& time_;
    std::uint32_t host_;
    hostile_params params_;
    std::size_t first_;
    traffic::random_stream random_;
    std::uint32_t done_ = 0;
    std::array<std::uint64_t, static_cast<std::size_t>(hostile_count::counts)> counts_{};
};

}  // namespace

host::application_factory run_hostile(std::uint32_t host, const hostile_params& params, std::size_t first) {
    return [host, params, first](const host::host_context& context) {
        return std::make_unique<hostile_program>(context, host, params, first);
    };
}

}  // namespace polycast::hw::tenants
