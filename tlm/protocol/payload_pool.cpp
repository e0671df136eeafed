// SPDX-License-Identifier: Apache-2.0
#include "tlm/protocol/payload_pool.h"

namespace polycast::tlm::protocol {

payload_pool::payload_pool(unsigned flit_bytes, unsigned header_bytes)
    : flit_bytes_(flit_bytes), header_bytes_(header_bytes) {}

payload_pool::~payload_pool() = default;

::tlm::tlm_generic_payload& payload_pool::make(link_extension::content what) {
    ::tlm::tlm_generic_payload& payload = *payloads_.emplace_back(std::make_unique<::tlm::tlm_generic_payload>(this));
    auto extension = std::make_unique<link_extension>();
    extension->what = what;
    if (what == link_extension::content::flit) {
        extension->header.resize(header_bytes_);
        std::vector<std::uint8_t>& data = data_.emplace_back(flit_bytes_);
        payload.set_command(::tlm::TLM_WRITE_COMMAND);
        payload.set_data_ptr(data.data());
        payload.set_data_length(flit_bytes_);
        payload.set_streaming_width(flit_bytes_);
    }
    payload.set_extension(extension.release());  // the payload deletes it
    // A payload may come back while others are out: room for all, so that free() never allocates.
    for (payload_list& list : free_) list.reserve(payloads_.size());
    return payload;
}

::tlm::tlm_generic_payload& payload_pool::take(link_extension::content what) {
    payload_list& free = free_list(what);
    ::tlm::tlm_generic_payload* payload = nullptr;
    if (free.empty()) {
        payload = &make(what);
    } else {
        payload = free.back();
        free.pop_back();
    }
    auto* extension = payload->get_extension<link_extension>();
    extension->head = extension->tail = false;
    extension->vc = 0;
    extension->side = {};
    extension->serial = ++serial_;
    payload->acquire();
    return *payload;
}

::tlm::tlm_generic_payload& payload_pool::take_flit() {
    return take(link_extension::content::flit);
}

::tlm::tlm_generic_payload& payload_pool::take_credit() {
    return take(link_extension::content::credit);
}

::tlm::tlm_generic_payload& payload_pool::take_side() {
    return take(link_extension::content::side);
}

std::size_t payload_pool::in_use() const {
    std::size_t free = 0;
    for (const payload_list& list : free_) free += list.size();
    return payloads_.size() - free;
}

void payload_pool::free(::tlm::tlm_generic_payload* payload) {
    payload->reset();  // extensions that others added for this use
    free_list(payload->get_extension<link_extension>()->what).push_back(payload);
}

}  // namespace polycast::tlm::protocol
