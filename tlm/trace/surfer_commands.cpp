// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/surfer_commands.h"

namespace polycast::tlm::trace {

void surfer_commands::open_group(const std::string& title, bool is_open) {
    if (closed_ > 0 || !is_open) {
        ++closed_;
        return;
    }
    // A divider's name is one word of letters, digits and '_'; with more behind it the command is refused.
    std::string word;
    for (const char c : title) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        if (plain)
            word += c;
        else if (!word.empty() && word.back() != '_')
            word += '_';
    }
    while (word.ends_with('_')) word.pop_back();
    lines_ += "divider_add " + word + "\n";
}

void surfer_commands::row(const wave_signal& signal) {
    // A name without its range of bits.
    if (closed_ == 0) lines_ += "variable_add " + signal.scope + "." + signal.name + "\n";
}

std::string surfer_commands::text(std::uint64_t cursor) const {
    // Zoomed out first, so that the cursor is in view.
    return lines_ + "zoom_fit\ncursor_set " + std::to_string(cursor) + "\ngoto_cursor\n";
}

}  // namespace polycast::tlm::trace
