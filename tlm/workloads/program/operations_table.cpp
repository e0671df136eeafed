// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/program/operations_table.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>

#include "tlm/sim/results/csv_field.h"

namespace polycast::tlm::sim {

using hw::engine::cycle;
using hw::programs::loggops_span;
using hw::programs::operation;
using hw::programs::operation_id;
using hw::programs::operation_kind;
using hw::programs::operation_times;
using hw::programs::program;
using hw::programs::rank_report;

namespace {

/// Columns from `point` to `name`.
void add_operation(std::string& rows, const program& of, operation_id id, const std::string& point) {
    const operation& own = of.at(id);
    fmt::format_to(std::back_inserter(rows), "{},{},{},{},{},{},{}", point, id.rank, id.index,
                   hw::name_in(hw::programs::operation_kinds, own.kind), own.cpu, of.name(id).line,
                   field(of.describe(id)));
}

}  // namespace

std::string operations_head() {
    return "point,rank,operation,kind,cpu,line,name,begin,end,ready,credited,handed,granted,data_begin,data_handed,"
           "arrived,pay_begin,paid,cause,partner_rank,partner\n";
}

std::string rows_of(const program& of, std::span<const rank_report> reports, cycle start, const std::string& id) {
    std::string rows;
    const auto add = [&](cycle at) { fmt::format_to(std::back_inserter(rows), ",{}", at - start); };
    const auto add_known = [&](cycle at) { at == 0 ? rows += "," : (add(at), rows); };
    const std::string point = field(id);
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank)
        for (std::uint32_t index = 0; index < of.of_rank(rank).size(); ++index) {
            const operation_times& own = reports[rank].times[index];
            const operation_kind kind = of.at({rank, index}).kind;
            add_operation(rows, of, {rank, index}, point);
            for (const cycle at : {own.begin, own.end, own.ready, own.credited}) add(at);
            for (const cycle at : {own.handed, own.granted, own.data_begin, own.data_handed}) add_known(at);
            for (const cycle at : {own.arrived, own.pay_begin, own.paid}) add_known(at);
            rows += own.cause == operation_times::nothing ? "," : fmt::format(",{}", own.cause);
            rows +=
                kind == operation_kind::receive ? fmt::format(",{},{}\n", own.partner.rank, own.partner.index) : ",,\n";
        }
    return rows;
}

std::string rows_of(const program& of, std::span<const loggops_span> spans, const boost::rational<std::int64_t>& unit,
                    const std::string& id) {
    std::string rows;
    const std::string point = field(id);
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank)
        for (std::uint32_t index = 0; index < of.of_rank(rank).size(); ++index) {
            const loggops_span& own = spans[of.number({rank, index})];
            add_operation(rows, of, {rank, index}, point);
            fmt::format_to(std::back_inserter(rows), ",{},{},,,,,,,,,,,,\n", hw::programs::time_of(own.begin, unit),
                           hw::programs::time_of(own.end, unit));
        }
    return rows;
}

}  // namespace polycast::tlm::sim
