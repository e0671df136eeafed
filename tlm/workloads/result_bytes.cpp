// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/result_bytes.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

namespace nlohmann {
/// A value, or null.
template <typename type>
struct adl_serializer<std::optional<type>> {
    static void to_json(json& j, const std::optional<type>& from) { j = from ? json(*from) : json(nullptr); }
    static void from_json(const json& j, std::optional<type>& to) {
        if (!j.is_null()) to = j.get<type>();
    }
};

template <>
struct adl_serializer<std::monostate> {
    static void to_json(json& j, std::monostate) { j = nullptr; }
    static void from_json(const json&, std::monostate&) {}
};

/// Which type it holds, and the value.
template <typename... types>
struct adl_serializer<std::variant<types...>> {
    static void to_json(json& j, const std::variant<types...>& from) {
        std::visit([&](const auto& held) { j = json::array({from.index(), json(held)}); }, from);
    }
    static void from_json(const json& j, std::variant<types...>& to) {
        std::size_t index = 0;
        ((j[0] == index++ ? static_cast<void>(to = j[1].get<types>()) : void()), ...);
    }
};
}  // namespace nlohmann

namespace polycast::hw::engine {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(port_id, chip, port)
}

namespace polycast::hw::traffic {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(copy_counts, expected, delivered, missing, duplicated, corrupted, misdelivered)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(reliable_counts, acknowledged, failed, broken, receipts, probes, declines, repairs,
                                   repeated)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(lacking_receiver, host, why)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(send_end, when, source, number, status, lacking)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(delivery_counts, expected, delivered, missing, duplicated, corrupted, misdelivered,
                                   misordered, overtaken, worms, worms_duplicated, messages, lost, told, reliable)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(traffic_volume, generated, wanted, accepted)
}  // namespace polycast::hw::traffic

namespace polycast::hw::ni {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ni_statistics, packets_in, packets_out, transfers_refused, completions_lost,
                                   commands_refused, jobs_refused, errors, panic, restarts, receive_slots_peak,
                                   send_slots_peak, residency_cycles, residency_count, residency_max, corrected,
                                   bus_busy, link_busy)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(span_record, host, where, what, begin, end, source, message, offset)
}  // namespace polycast::hw::ni

namespace polycast::hw::system {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(interface_totals, interfaces, host_busy, dropped, jobs_refused)
}

namespace polycast::hw::rails {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(driver_statistics, messages, stripes, refused, urgent, withdrawn)
}

namespace polycast::hw::engine {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(rank_costs, cables, window, windows, batches, bytes, told, waiting)
}

namespace polycast::hw::chips {
/// As processes of this build give it to each other.
inline void to_json(nlohmann::json& j, const cable_report& report) {
    const std::string bytes = report.packed().counts;
    j = nlohmann::json::binary({bytes.begin(), bytes.end()});
}
inline void from_json(const nlohmann::json& j, cable_report& report) {
    const auto& bytes = j.get_binary();
    report = cable_report::of({{}, {bytes.begin(), bytes.end()}});
}
}  // namespace polycast::hw::chips

namespace polycast::hw::programs {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(repair_counts, absent, self, later)
}

namespace polycast::tlm::sim {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(function_span, host, depth, begin, end, name)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(activity, spans, functions, cut)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(transfer, message, source, created, completed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(plan_totals, multicasts, steps, steps_max, sends, sends_max, senders, senders_max)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(link_load, from, to, flits, packets, occupied_cycles, occupied_max)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(port_counters, port, xmit_bytes, rcv_bytes, xmit_packets, rcv_packets,
                                   multicast_xmit_packets, multicast_rcv_packets, xmit_wait, hoq_discards,
                                   mapping_errors, looping_errors, vl_errors, rcv_errors, overruns, vl_xmit_bytes,
                                   vl_xmit_packets)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(cable_load, name, at, layer, counts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(upset_chip, name, counts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(hung_host, name, at, until)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(upset_interface, name, at, detail)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(allgather_part::step, name, level, rounds, cycles, packets, hops, latency)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(allgather_part, group, packets, missing, left_out, xors, most_xors, coders,
                                   decode_xors, longest_queue, most_operand_flits, verified_bytes, flit_hops, steps)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(summary, count, mean, min, max, p50, p90, p99, ci95)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(load_batch, from, to, created, finished, mean)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(load_results, batches, created, completed, backlog_begin, backlog_end, kept_up,
                                   warmup, warmup_detected, warmup_bias, warnings)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(zero_load_result, packets, measured, formula, different, exact)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(fabric_result, latency, zero_load, load, generated, accepted, flit_hops,
                                   router_steps)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(broadcast_sample, time, moved, holders, cells)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(broadcast_wave, block, side, every, samples)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(broadcast_round, source, begin, units, hosts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(broadcast_part, nodes, links, rounds, sends, duplicates, stale, most_sends,
                                   verified_bytes, wave)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(bandwidth, mean, ci95)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(rails_series, start, interval, offered, accepted)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(rails_part, offered, accepted, latency, load, created, delivered, open,
                                   delivered_bytes, drivers, series, cpu_seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(lane_times_result, nodes, closed, printed, piecewise, model, wide_bytes, packet_hops,
                                   flit_hops)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(streams_result, bandwidth, line, formula)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(lanes_part, broadcast, streams, checked_bytes, cpu_seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(reliable_part, timeout, failed_sends)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(program_part::rank, host, finish, cycles, open, rendezvous, reordered, credit_waits,
                                   unexpected_messages, unexpected_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(program_part::segment, from, to, what, rank, operation, name, place, behind)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(program_part::collective, kind, algorithm, group, ranks, bytes, begin, end)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(program_part::reference, used, time, sum, rank, waiting, unexpected)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(program_part::repetition, begin, end)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(program_part, loggops, repetitions, unit_numerator, unit_denominator,
                                   operations_table, path, operations, bytes, mismatched, wrong_results, queues,
                                   processors, buffers, credited, ranks, collectives, repaired, cpu_seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(job_deliveries, complete, counts, volume, transfers, plans, faults)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(hostile_counts, commands, waited, registers, reports, heard, heard_of_jobs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(job_result, got, alone, hostile, refused, strange)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(jobs_part, jobs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(trace_cost, kind, file, bytes, changes, seconds, from, to, wanted, trigger, events)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(run_result, ended, diagnosis, broken, quiet, suspect, cycles, counts, volume,
                                   chip_errors, faults, transfers, plans, duplicates_counted, links, ports, cables,
                                   upsets, hangs, flips, hosts, host_failures, activity, failing_message, traces,
                                   order_guaranteed, engine, fabric, own, losses_are_told, ranks)

child_process::bytes to_bytes(const run_result& result) {
    return nlohmann::json::to_cbor(nlohmann::json(result));
}

run_result from_bytes(const child_process::bytes& bytes) {
    return nlohmann::json::from_cbor(bytes).get<run_result>();
}

}  // namespace polycast::tlm::sim
