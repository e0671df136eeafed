// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/partition.h"

namespace polycast::hw::fabric {

engine::cycle partition::next_activity() const {
    if (!active.empty()) return now;
    for (engine::cycle when = now; when < now + slots.size(); ++when)
        if (!slots[when & (slots.size() - 1)].empty()) return when;
    return engine::never;
}

void partition::collect(const mailbox& mail) {
    for (const auto& letter : mail.flits) {
        auto& flits = slot_at(letter.when).flits;
        flits.make_room(1);
        flits.add(letter.what);
    }
    for (const auto& letter : mail.credits) {
        auto& credits = slot_at(letter.when).credits;
        credits.make_room(1);
        credits.add(letter.what);
    }
}

std::size_t partition::memory_bytes() const {
    std::size_t bytes = sizeof *this + slots.capacity() * sizeof(time_slot) + active.memory_bytes();
    for (const time_slot& slot : slots) bytes += slot.memory_bytes();
    for (const auto& boxes : outbox) {
        bytes += boxes.capacity() * sizeof(mailbox);
        for (const mailbox& box : boxes)
            bytes += box.flits.capacity() * sizeof(mailbox::letter<flit_event>) +
                     box.credits.capacity() * sizeof(mailbox::letter<credit_event>);
    }
    return bytes;
}

}  // namespace polycast::hw::fabric
