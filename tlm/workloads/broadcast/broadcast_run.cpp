// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/broadcast/broadcast_run.h"

#include <algorithm>

#include "hw/topology/bypass_torus.h"
#include "hw/traffic/random.h"
#include "hw/workloads/broadcast/step_engine.h"
#include "tlm/workloads/broadcast/broadcast_cycles.h"
#include "tlm/workloads/broadcast/broadcast_rules.h"
#include "tlm/workloads/broadcast/broadcast_watch.h"

namespace polycast::tlm::sim {

using hw::topology::bypass_torus;
using scenario::loaded;

namespace {

/// "ibt-64x64-8-24", for file names.
std::string file_name_of(const bypass_torus& network) {
    std::string name = network.has_bypasses() ? "ibt-" : "torus-";
    for (unsigned d = 0; d < network.dimensions(); ++d) name += (d == 0 ? "" : "x") + std::to_string(network.radix());
    for (const std::uint32_t length : network.params().bypass) name += "-" + std::to_string(length);
    return name;
}

/// Thrown through the step engine to end it.
struct run_stopped {};

class step_point {
public:
    step_point(const loaded& scenario, std::size_t workload, const std::function<bool()>& stop,
               const std::function<void(double)>& progress)
        : w_(scenario.values.workloads[workload].broadcast),
          network_(scenario::rings_of(scenario)),
          sources_(scenario::sources_of(scenario, workload, network_)),
          used_(scenario::dimensions_of(scenario.values, w_)),
          seed_(scenario.values.seed),
          stop_(stop),
          progress_(progress) {
        using hw::format::broadcast_algorithm;
        params_.how = w_.algorithm == broadcast_algorithm::trees ? hw::broadcast::algorithm::trees
                                                                 : hw::broadcast::algorithm::colours;
        params_.dimensions = used_;
        params_.split = scenario::split_of(scenario.values, w_);
        params_.patterns = scenario::patterns_of(scenario.values, w_);
        params_.bytes = w_.bytes;
        params_.threads = scenario.values.network.threads.value_or(1);
    }

    run_result run() {
        using kind = hw::system::run_outcome::kind;
        broadcast_part& found = result_.own.emplace<broadcast_part>();
        found.nodes = 1;
        for (std::size_t i = 0; i < used_.size(); ++i) found.nodes *= network_.radix();
        found.links = directions(network_, used_, found.nodes);
        const std::uint64_t copies = (found.nodes - 1) * w_.packets;
        result_.counts.expected = rounds() * copies;
        try {
            for (std::uint64_t round = 0; round < rounds(); ++round) broadcast(found, round);
        } catch (const run_stopped&) {
            result_.ended = kind::stopped;
            return result_;
        } catch (const hw::broadcast::delivery_error& wrong) {
            result_.broken = true;
            result_.diagnosis = wrong.what();
        }
        hw::traffic::delivery_counts& counts = result_.counts;
        counts.delivered = std::min(came_, counts.expected);
        counts.missing = counts.expected - counts.delivered;
        if (result_.broken && counts.missing == 0) {
            ++counts.corrupted;
            --counts.delivered;
        }
        counts.messages = counts;
        found.verified_bytes = counts.delivered * w_.bytes;
        return std::move(result_);
    }

private:
    std::uint64_t rounds() const { return std::uint64_t{w_.rounds} * sources_.size(); }

    void broadcast(broadcast_part& found, std::uint64_t number) {
        params_.source = sources_[number % sources_.size()];
        params_.seed = hw::traffic::random_stream(seed_, number)();
        broadcast_round& round = found.rounds.emplace_back();
        round.source = params_.source;
        round.begin = result_.cycles;
        transfer& sent = result_.transfers.emplace_back();
        sent = {number, params_.source, round.begin, transfer::unfinished};
        broadcast_watch watch(network_.radix(), static_cast<unsigned>(used_.size()), place_of_source(), w_.packets);
        const std::uint64_t all = (found.nodes - 1) * w_.packets;
        std::uint64_t got = 0;
        const hw::broadcast::step_observer observe = [&](const hw::broadcast::step_view& view) {
            if (stop_()) throw run_stopped();
            got += view.receipts;
            came_ += view.receipts;
            if (number == 0) watch.note(view.step, view.receipts, view.held);
            if (progress_)
                progress_((static_cast<double>(number) + static_cast<double>(got) / static_cast<double>(all)) /
                          static_cast<double>(rounds()));
        };
        const hw::broadcast::broadcast_result made = run_broadcast(network_, params_, observe);
        if (number == 0) {
            watch.finish(made.steps);
            found.wave = watch.wave();
        }
        round.units = made.steps;
        found.sends += made.sends;
        result_.cycles += made.steps;
        sent.completed = result_.cycles;
    }

    /// The source's number among those that take part.
    std::uint32_t place_of_source() const {
        const bypass_torus::coordinates at = network_.coordinates_of(params_.source);
        std::uint32_t place = 0, stride = 1;
        for (const unsigned d : used_) {
            place += at[d] * stride;
            stride *= network_.radix();
        }
        return place;
    }

    const scenario::broadcast_workload& w_;
    const bypass_torus network_;
    const std::vector<std::uint32_t> sources_;
    const std::vector<unsigned> used_;
    const std::uint64_t seed_;
    const std::function<bool()>& stop_;
    const std::function<void(double)>& progress_;
    hw::broadcast::broadcast_params params_;
    std::uint64_t came_ = 0;
    run_result result_;
};

}  // namespace

instance plan_broadcasts(const loaded& scenario) {
    const bypass_torus network = scenario::rings_of(scenario);
    instance made{file_name_of(network), 0, {}};
    if (scenario.values.broadcast.timing == scenario::broadcast_timing::step) {
        made.unlisted = network_size{network.nodes(), network.nodes(), network.links() + network.nodes()};
        return made;
    }
    made.plan.network = broadcast_graph(scenario, network);
    made.plan.add_network();
    for (std::size_t i = 0; i < scenario.values.workloads.size(); ++i) check_broadcast_cycles(scenario, made, i);
    return made;
}

run_result run_broadcasts(const loaded& scenario, const instance& on, std::size_t workload,
                          const network_factory& factory, const std::function<bool()>& stop,
                          const instrumentation& instruments) {
    if (scenario.values.broadcast.timing == scenario::broadcast_timing::step)
        return step_point(scenario, workload, stop, instruments.progress).run();
    return run_broadcast_cycles(scenario, on, workload, factory, stop, instruments);
}

}  // namespace polycast::tlm::sim
