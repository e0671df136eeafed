// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/vl_switch_watch.h"

#include <bit>

namespace polycast::testbench::equivalence {

using hw::engine::chip_probe;
using hw::engine::pins;
using hw::format::chip_error;

namespace {

constexpr const char* copied = "copied";
constexpr const char* copied_on_lanes = "copied on different lanes";
constexpr const char* drained = "drained";
constexpr const char* waited = "waited for a grant";
constexpr const char* waits_for_credits = "waits for credits while others pass";
constexpr const char* inputs_mixed = "lanes of an input read at once";
constexpr const char* lane_changed = "next packet on another lane";
constexpr const char* lane_kept = "next packet on the same lane";
constexpr const char* owed = "chunks of two lanes freed at once";
constexpr const char* queue_behind = "packet behind the front";
constexpr const char* back_to_back = "tail and next grant without a gap";
constexpr const char* lost_all = "all branches given up";
constexpr const char* lost_some = "some branches given up";
constexpr const char* lost_frees = "several chunks freed by giving up";
constexpr const char* weighted = "weighted grant";
constexpr const char* delayed = "route delay above 1";
constexpr const char* staged = "crossbar stages";
constexpr const char* free_header = "free header";
constexpr const char* fixed = "fixed arbitration";

}  // namespace

vl_switch_watch::vl_switch_watch(const hw::chips::vl_switch_params& params, const hw::chips::vl_switch_tables& tables)
    : params_(params), tables_(tables), last_vl_(params.ports, -1) {
    for (const char* what :
         {copied, copied_on_lanes, drained, waited, waits_for_credits, inputs_mixed, lane_changed, lane_kept, owed,
          queue_behind, back_to_back, lost_all, lost_some, lost_frees, weighted, delayed, staged, free_header, fixed})
        counts_[what] = 0;
}

void vl_switch_watch::reset() {
    last_vl_.assign(params_.ports, -1);
}

void vl_switch_watch::see(const pins&, const pins& out, const chip_probe& before, const chip_probe& after) {
    outputs(out, before);
    lanes(out, before, after);
}

void vl_switch_watch::outputs(const pins& out, const chip_probe& before) {
    for (unsigned port = 0; port < params_.ports; ++port) {
        if ((out.head >> port & 1) == 0) continue;
        const int vl = out.vc.empty() ? 0 : out.vc[port];
        if (last_vl_[port] >= 0) met(last_vl_[port] == vl ? lane_kept : lane_changed);
        last_vl_[port] = vl;
        met(weighted, tables_.policy == hw::chips::vl_policy::weighted);
        met(delayed, tables_.route_delay > 1);
        met(staged, params_.xbar_stages != 0);
        met(free_header, params_.header_free);
        met(fixed, tables_.arbitration == hw::format::arbitration::fixed);
    }
    // Of an output that sends on one lane, another that a packet cannot take.
    const unsigned reserve = tables_.reserve(params_);
    for (unsigned port = 0; port < params_.ports; ++port) {
        if ((out.valid >> port & 1) == 0 || params_.vls == 1) continue;
        for (unsigned vl = 0; vl < params_.vls; ++vl) {
            const unsigned lane = port * params_.vls + vl;
            met(waits_for_credits,
                tables_.credits[lane] != 0 && before.outputs[lane].credits < reserve && !before.outputs[lane].held);
        }
    }
}

void vl_switch_watch::lanes(const pins& out, const chip_probe& before, const chip_probe& after) {
    for (unsigned port = 0; port < params_.ports; ++port) {
        unsigned reading = 0;
        unsigned freed = 0;
        for (unsigned vl = 0; vl < params_.vls; ++vl) {
            const unsigned lane = port * params_.vls + vl;
            const chip_probe::input& was = before.inputs[lane];
            const chip_probe::input& is = after.inputs[lane];
            met(copied, std::popcount(is.reading) > 1);
            met(drained, is.state == 3);
            met(waited, is.waiting != 0);
            met(queue_behind, is.state == 2 && is.occupied > tables_.reserve(params_));
            met(back_to_back, was.state == 2 && is.state == 2 && was.waiting == 0 && is.waiting != 0);
            if (is.reading != 0) ++reading;
            const unsigned gone = is.occupied < was.occupied ? was.occupied - is.occupied : 0u;
            freed += gone != 0 ? 1 : 0;
            met(lost_frees, gone > 1);
            // A branch that waited before neither waits nor reads: it was granted and read at once, or given up.
            std::uint64_t lost = 0;
            for (std::uint64_t set = was.waiting & ~is.waiting & ~is.reading & out.error; set != 0; set &= set - 1) {
                const auto output = static_cast<unsigned>(std::countr_zero(set));
                if ((out.errors[output] & static_cast<unsigned>(chip_error::hoq_dropped)) != 0)
                    lost |= std::uint64_t{1} << output;
            }
            if (lost != 0) met(is.state == 3 ? lost_all : lost_some);
            std::uint32_t used = 0;
            for (std::uint64_t set = is.reading; set != 0; set &= set - 1) {
                const auto output = static_cast<unsigned>(std::countr_zero(set));
                for (unsigned w = 0; w < params_.vls; ++w)
                    if (after.outputs[output * params_.vls + w].held) used |= 1u << w;
            }
            met(copied_on_lanes, std::popcount(used) > 1);
        }
        met(inputs_mixed, reading > 1);
        met(owed, freed > 1);
    }
}

}  // namespace polycast::testbench::equivalence
