// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/expand.h"

#include <algorithm>

#include "tlm/scenario/keys.h"

namespace polycast::tlm::scenario {

namespace {

/// What `entry` has at `section` (empty: itself) and `leaf`; null where there is none.
template <class node_type>
node_type* value_in(node_type& entry, const std::string& section, const std::string& leaf) {
    node_type* const inner = section.empty() ? &entry : entry.find(section);
    return inner == nullptr ? nullptr : inner->find(leaf);
}

/// One entry for each value of `leaf`.
std::vector<node> entries_of(const node& entry, const std::string& section, const std::string& leaf) {
    const node* values = value_in(entry, section, leaf);
    if (values == nullptr || !values->is_list()) return {entry};
    if (values->items.empty()) values->fail("'" + leaf + "' is empty", "give at least one value");
    std::vector<node> made;
    for (const node& value : values->items) {
        node& one = made.emplace_back(entry);
        *value_in(one, section, leaf) = value;
        node* name = one.find("name");
        if (name != nullptr && name->is_scalar() && value.is_scalar()) name->text += "-" + name_part(value.text);
    }
    return made;
}

}  // namespace

std::string name_part(const std::string& text) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    const std::string unit = text.substr(blank);
    std::string part = text.substr(0, blank) + (unit.find('/') == std::string::npos ? unit : "");
    std::erase(part, ' ');
    std::replace(part.begin(), part.end(), '/', '_');
    return part;
}

void expand_lists(node& root) {
    for (const key& k : keys()) {
        if (!k.many) continue;
        const std::size_t mark = k.parent().find("[]");
        node* list = root.find(std::string(k.parent().substr(0, mark)));
        if (list == nullptr || !list->is_list()) continue;
        const std::string section(k.parent().substr(std::min(mark + 3, k.parent().size())));
        std::vector<node> entries;
        for (const node& entry : list->items) {
            const std::vector<node> made = entries_of(entry, section, std::string(k.leaf()));
            entries.insert(entries.end(), made.begin(), made.end());
        }
        list->items = std::move(entries);
    }
}

}  // namespace polycast::tlm::scenario
