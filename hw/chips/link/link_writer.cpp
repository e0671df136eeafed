// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/link/link_writer.h"

#include <algorithm>

namespace polycast::hw::chips {

std::uint64_t link_writer::seal(const link_item& item) const {
    const auto type = item.message ? item.message->type : frame_type::data;
    constexpr std::uint64_t check = ~std::uint64_t{0} << 32;
    return covered_.seal({item.sequence, item.flits, static_cast<unsigned>(type)}) ^ (item.spoilt ? check : 0);
}

void link_writer::write(const link_choice& choice, const link_transmitter& from, link_symbol& out) {
    const link_item& item = from.item();
    out.kind = choice.kind;
    switch (choice.kind) {
        case symbol_kind::idle: return;
        case symbol_kind::flit:
            if (choice.index == 0) covered_.clear();
            if (item.message) {
                out = message_flit(config_, *item.message, choice.index);
            } else {
                const engine::flit flit = from.flit(choice);
                out.head = flit.head;
                out.tail = flit.tail;
                out.vc = flit.vc;
                std::copy_n(flit.data, config_.flit_bytes, out.data.begin());
                if (flit.header != nullptr) out.header.assign(flit.header, flit.header + config_.header_bytes);
            }
            covered_.add(config_, out);
            if (config_.beside) out.beside = seal(item);
            return;
        case symbol_kind::check:
            if (choice.index == 0) word_ = seal(item);
            return put_word(config_, word_, choice.index, out);
        case symbol_kind::set:
            if (choice.index == 0) word_ = pack(item.set);
            if (!config_.beside) return put_word(config_, word_, choice.index, out);
            out.beside = word_;
            return;
    }
}

}  // namespace polycast::hw::chips
