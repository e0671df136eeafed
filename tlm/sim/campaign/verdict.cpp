// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/campaign/verdict.h"

#include <algorithm>

#include "hw/host/host_chip.h"

namespace polycast::tlm::sim {

using hw::engine::cycle;

std::uint64_t link_alarms(const hw::chips::cable_report& cable) {
    std::uint64_t sum = 0;
    for (const hw::chips::cable_report::end& end : cable.ends) {
        const hw::chips::link_counters& c = end.counts;
        sum += c.llr_rx_bad + c.llr_rx_missing_seq + c.llr_rx_duplicate_seq + c.llr_rx_ack_nack_seq_error +
               c.llr_rx_poisoned + c.llr_tx_discard + c.frames_resent + c.timeouts + c.rx_bad_ctl_os + c.credit_error +
               c.credits_repaired + c.lifetime_discard + c.corrected + c.soft_errors;
    }
    return sum;
}

namespace {

std::uint64_t link_alarms(const run_result& result) {
    std::uint64_t sum = 0;
    for (const cable_load& cable : result.cables) sum += sim::link_alarms(cable.counts);
    // What a code corrects no one else has to.
    for (const upset_chip& chip : result.upsets) sum += chip.counts.damage.corrected;
    return sum + result.hosts.interfaces.corrected;
}

}  // namespace

fault_verdict judge_fault(const golden_run& golden, const run_result& result, const drawn_fault& fault) {
    using ended = hw::system::run_outcome::kind;
    fault_verdict verdict;
    const hw::traffic::delivery_counts& counts = result.counts;
    const hw::traffic::copy_counts& messages = counts.messages;
    const bool all_there = messages.delivered == messages.expected;
    const std::vector<transfer>& before = golden.result.transfers;
    verdict.same = all_there && result.transfers.size() == before.size();
    for (std::size_t i = 0; i < std::min(result.transfers.size(), before.size()); ++i) {
        const transfer& now = result.transfers[i];
        if (now.completed == before[i].completed) continue;
        verdict.same = false;
        if (now.finished() && now.completed > fault.at)
            verdict.recovery = std::max(verdict.recovery.value_or(0), now.completed - fault.at);
    }
    const bool wrong = messages.corrupted + messages.duplicated + messages.misdelivered != 0 || counts.overtaken != 0 ||
                       (result.order_guaranteed && counts.misordered != 0) || counts.reliable.broken != 0;
    const bool untold = messages.missing != counts.told;
    const hw::traffic::reliable_counts& reliable = counts.reliable;
    const hw::traffic::reliable_counts& quiet = golden.result.counts.reliable;
    if (result.broken) {
        verdict.outcome = fault_outcome::broken;
    } else if (wrong || (untold && result.quiet)) {
        verdict.outcome = fault_outcome::silent;
    } else if (result.ended != ended::complete) {
        verdict.outcome = fault_outcome::hung;
    } else if (!all_there) {
        verdict.outcome = untold ? fault_outcome::silent : fault_outcome::reported;
    } else if (reliable.failed != 0) {  // all is there, and the source could not know
        verdict.outcome = fault_outcome::reported;
    } else if (reliable.repairs > quiet.repairs || reliable.probes > quiet.probes) {
        verdict.outcome = fault_outcome::end_to_end;
    } else if (link_alarms(result) != 0) {
        verdict.outcome = fault_outcome::by_link;
    }
    return verdict;
}

void notice_watch::stepped(hw::engine::chip_id id, cycle now, const hw::engine::pins& /*in*/,
                           const hw::engine::pins& out, const hw::engine::chip& chip) {
    if (noticed_ || now < fault_.at) return;
    if (out.error != 0 || notices(id, chip)) noticed_ = now;
}

bool notice_watch::notices(hw::engine::chip_id id, const hw::engine::chip& chip) {
    if (fault_.cable == id) return sim::link_alarms(hw::chips::cable_report::of(chip.report())) != 0;
    const auto* const host = dynamic_cast<const hw::host::host_chip*>(&chip);
    if (host == nullptr) return false;
    for (unsigned interface = 0; interface < host->interfaces(); ++interface) {
        for (unsigned process = 0; process < host->processes(); ++process) {
            const hw::host::process_statistics& said = host->process_at(process, interface).statistics();
            if (std::ranges::any_of(said.errors, [](std::uint64_t count) { return count != 0; })) return true;
        }
        const hw::ni::ni_statistics interface_counts = host->interface(interface).statistics();
        if (interface_counts.restarts != 0 || interface_counts.panic != 0) return true;
    }
    return false;
}

std::optional<cycle> notice_watch::latency() const {
    if (!noticed_) return std::nullopt;
    return *noticed_ - fault_.at;
}

}  // namespace polycast::tlm::sim
