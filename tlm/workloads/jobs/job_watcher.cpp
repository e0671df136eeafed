// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/jobs/job_watcher.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>

namespace polycast::tlm::sim {

using hw::ni::cycle;

watched_job* job_watcher::of_process(unsigned process) {
    const auto found = std::ranges::find_if(jobs_, [process](const watched_job& job) {
        return std::ranges::find(job.processes, process) != job.processes.end();
    });
    return found == jobs_.end() ? nullptr : &*found;
}

watched_job* job_watcher::of_id(std::uint32_t id) {
    const auto found = std::ranges::find(jobs_, id, &watched_job::id);
    return found == jobs_.end() ? nullptr : &*found;
}

void job_watcher::arrived(cycle now, const hw::ni::received_packet& packet) {
    if (other_ != nullptr) other_->arrived(now, packet);
    const hw::format::transport_header& header = packet.transport;
    // Lists of a group are those of the process with the source's number.
    const bool grouped = header.group != hw::format::no_group && header.op != hw::format::transport_op::control;
    watched_job* to = of_process(grouped ? header.source_process : header.process);
    if (ids_ && packet.job.size() == hw::format::job_bytes) {
        to = of_id(boost::endian::load_little_u32(packet.job.data()));
    } else if (to != nullptr && of_process(header.source_process) != to) {
        ++to->strange;
    }
    if (to != nullptr && to->board != nullptr) to->board->arrived(now, packet);
}

void job_watcher::departed(cycle now, const hw::ni::departed_packet& packet) {
    if (other_ != nullptr) other_->departed(now, packet);
    watched_job* const from = ids_ ? of_id(packet.job) : of_process(packet.source_process);
    if (from != nullptr && from->board != nullptr) from->board->departed(now, packet);
}

}  // namespace polycast::tlm::sim
