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

hw::system::system_plan fault_free(hw::system::system_plan plan) {
    hw::system::system_plan clean = hw::system::without_faults(std::move(plan));
    clean.host.interface.reliable.timeout = longest_timeout;
    return clean;
}

std::uint32_t measured_timeout(const scenario::loaded& scenario, const hw::system::system_plan& plan,
                               const endpoints& ends, const hw::system::run_limits& limits,
                               const network_factory& factory, const std::function<bool()>& stop,
                               const std::function<cycle()>& longest) {
    const hw::system::run_outcome outcome =
        factory.make_cores(plan, ends)->run(limits, [&stop](cycle) { return stop(); });
    if (outcome.ended == hw::system::run_outcome::kind::stuck && longest() == 0)
        scenario.fail(
            "ni.reliable.timeout",
            "the time-out 'auto' of reliable messages is measured without faults, where the run is stuck before "
            "any is acknowledged: " +
                outcome.diagnosis,
            "mend the network, or give 'ni.reliable.timeout' a number of cycles");
    return static_cast<std::uint32_t>(std::clamp<cycle>(4 * longest(), 1, longest_timeout));
}

void set_timeout(std::uint32_t timeout, hw::system::system_plan& plan, hw::system::run_limits& limits) {
    hw::ni::ni_params& interface = plan.host.interface;
    interface.reliable.timeout = timeout;
    limits.retries = cycle{timeout} << std::min(interface.reliable.attempts, 31u);
}

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
    clean.plan = fault_free(std::move(clean.plan));
    workload_run work(scenario, clean, params, choice);
    stopwatch watch(work.board);
    const endpoints ends{work.board, [&](hw::system::processor_factory processors, hw::ni::observer* watcher) {
                             return hw::system::workload_hosts(std::move(processors), work.traffic, watch, params.seed,
                                                               watcher);
                         }};
    return measured_timeout(scenario, work.plan, ends, work.limits, factory, stop, [&watch] { return watch.longest; });
}

}  // namespace polycast::tlm::sim
