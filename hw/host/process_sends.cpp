// SPDX-License-Identifier: Apache-2.0
// How a driver's sends end.
#include <algorithm>

#include "hw/host/process.h"

namespace polycast::hw::host {

void process::lacks(std::uint32_t index, lacking_host who) {
    if (index >= sends_.items.size() || !sends_.items[index].active || !sends_.items[index].order.reliable)
        ++statistics_.bad_completions;
    else
        sends_.items[index].lacking.push_back(who);
}

void process::send_failed(cycle when, std::uint32_t index, ni_status status,
                          std::span<const std::uint32_t, NI_COMPLETION_WORDS> entry) {
    if (status == NI_STATUS_BUSY) return answer_send(when, index, status, entry[NI_COMPLETION_GROUP] == 1);
    report(when, entry);
    if (status == NI_STATUS_DECLINED) {
        const std::uint32_t why = std::min<std::uint32_t>(entry[NI_COMPLETION_KIND] >> 16, NI_STATUSES);
        lacks(index, {entry[NI_COMPLETION_SOURCE] & 0xffffff, static_cast<ni_status>(why)});
    }
    answer_send(when, index, status, false);
}

void process::answer_send(cycle when, std::uint32_t index, ni_status status, bool kept) {
    if (index >= sends_.items.size() || !sends_.items[index].active) {
        ++statistics_.bad_completions;
        return;
    }
    const send_record& record = sends_.items[index];
    const std::uint64_t context = record.order.context;
    const std::vector<lacking_host> lacking = record.lacking;
    if (!record.region) send_area_.release(record.offset, record.bytes);
    sends_.remove(index);
    if (!lacking.empty()) client_->unacknowledged(when, context, lacking);
    if (status == NI_STATUS_BUSY) {
        ++statistics_.refused;
        return client_->refused(when, context, kept);
    }
    if (status == NI_STATUS_OK) ++statistics_.sent;
    client_->sent(when, context, status);
}

}  // namespace polycast::hw::host
