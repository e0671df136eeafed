// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/messages/fault_free.h"

#include <algorithm>
#include <map>
#include <utility>

#include "hw/system/link_layer.h"

namespace polycast::tlm::sim {

namespace {

using hw::engine::cycle;

constexpr std::uint32_t longest_timeout = 1u << 30;

/// Takes the time of every message, beside a scoreboard.
class stopwatch final : public hw::traffic::message_sink {
public:
    explicit stopwatch(hw::traffic::scoreboard& board) : board_(board) {}

    void created(std::uint32_t source, const hw::traffic::message& message) override {
        begun_[{source, message.number}] = message.created;
        board_.created(source, message);
    }
    void arrived(cycle now, const hw::ni::received_packet& packet) override { board_.arrived(now, packet); }
    void delivered(cycle when, std::uint32_t host, std::uint32_t source, std::uint32_t number,
                   std::span<const std::uint8_t> data) override {
        board_.delivered(when, host, source, number, data);
    }
    void ended(const hw::traffic::send_end& end) override {
        longest = std::max(longest, end.when - begun_.at({end.source, end.number}));
    }

    cycle longest = 0;

private:
    hw::traffic::scoreboard& board_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, cycle> begun_;
};

}  // namespace

std::uint32_t measured_timeout(const scenario::loaded& scenario, const instance& on,
                               hw::traffic::workload_params params, const hw::system::multicast_choice& choice,
                               const network_factory& factory, const std::function<bool()>& stop) {
    params.gap = 0;
    params.messages = 1;
    params.end = hw::engine::never;
    if (params.kind == hw::traffic::workload_kind::unicast) {
        params.pattern = {};
        params.source.reset();
    }
    instance clean = on;
    clean.plan = hw::system::without_faults(std::move(clean.plan));
    workload_run work(scenario, clean, params, choice);
    work.plan.host.interface.reliable.timeout = longest_timeout;
    stopwatch watch(work.board);
    const endpoints ends{work.board, [&](hw::system::processor_factory processors, hw::ni::observer* watcher) {
                             return hw::system::workload_hosts(std::move(processors), work.traffic, watch, params.seed,
                                                               watcher);
                         }};
    factory.make_cores(work.plan, ends)->run(work.limits, [&stop](cycle) { return stop(); });
    return static_cast<std::uint32_t>(std::clamp<cycle>(4 * watch.longest, 1, longest_timeout));
}

}  // namespace polycast::tlm::sim
