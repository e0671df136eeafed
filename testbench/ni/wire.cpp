// SPDX-License-Identifier: Apache-2.0
#include "testbench/ni/wire.h"

#include <algorithm>
#include <utility>

namespace polycast::testbench::ni {

void wire::end_packet() {
    open_ = false;
    in_chunk_ = 0;
    if (ended) ended(std::exchange(open_packet_, {}), open_headless_);
}

void wire::drive(hw::engine::pins& in) {
    if (owed_ != 0 && random_.chance(80)) {
        --owed_;
        in.credit = 1;
    }
    if (waiting_.empty()) return;
    const wire_item& item = waiting_.front();
    const bool head = next_ == 0 && !item.headless;
    if (credits_ == 0 && (in_chunk_ == 0 || head)) return;
    if (head && open_) end_packet();
    if (!open_) {
        open_ = true;
        open_headless_ = !head;
        open_packet_.header = head ? item.packet.header : std::vector<std::uint8_t>{};
        open_packet_.flits.clear();
    }
    if (in_chunk_ == 0) --credits_;
    in_chunk_ = (in_chunk_ + 1) % params_.chunk_flits;
    const std::size_t width = params_.flit_bytes;
    const auto flit = item.packet.flits.begin() + static_cast<std::ptrdiff_t>(next_);
    in.valid = 1;
    in.head = head ? 1 : 0;
    std::copy_n(flit, width, in.data.begin());
    if (head) std::ranges::copy(item.packet.header, in.header.begin());
    open_packet_.flits.insert(open_packet_.flits.end(), flit, flit + static_cast<std::ptrdiff_t>(width));
    next_ += width;
    if (next_ != item.packet.flits.size()) return;
    next_ = 0;
    const bool tail = !item.tailless;
    in.tail = tail ? 1 : 0;
    waiting_.pop_front();
    if (tail) end_packet();
}

bool wire::sample(const hw::engine::pins& out) {
    if ((out.credit & 1) != 0) ++credits_;
    if (credits_ > params_.credits) return false;
    if ((out.valid & 1) == 0) return true;
    const bool head = (out.head & 1) != 0;
    if (head == is_coming_) return false;
    if (head) {
        coming_.header.assign(out.header.begin(), out.header.end());
        coming_.flits.clear();
        is_coming_ = true;
    }
    const bool first_of_chunk = coming_.flits.size() / params_.flit_bytes % params_.chunk_flits == 0;
    if (first_of_chunk) ++owed_;
    coming_.flits.insert(coming_.flits.end(), out.data.begin(),
                         out.data.begin() + static_cast<std::ptrdiff_t>(params_.flit_bytes));
    if ((out.tail & 1) == 0) return true;
    is_coming_ = false;
    if (sent) sent(coming_);
    return true;
}

}  // namespace polycast::testbench::ni
