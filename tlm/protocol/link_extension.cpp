// SPDX-License-Identifier: Apache-2.0
#include "tlm/protocol/link_extension.h"

#include <memory>

namespace polycast::tlm::protocol {

/// TLM's interface: the payload that the clone is put into owns it.
::tlm::tlm_extension_base* link_extension::clone() const {
    auto copy = std::make_unique<link_extension>();
    copy->copy_from(*this);
    return copy.release();
}

void link_extension::copy_from(const ::tlm::tlm_extension_base& other) {
    const auto& from = static_cast<const link_extension&>(other);
    what = from.what;
    head = from.head;
    tail = from.tail;
    vc = from.vc;
    side = from.side;
    header = from.header;
    serial = from.serial;
}

}  // namespace polycast::tlm::protocol
