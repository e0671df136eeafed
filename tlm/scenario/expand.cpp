// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/expand.h"

#include <algorithm>

#include "tlm/scenario/keys.h"

namespace polycast::tlm::scenario {

namespace {

/// "0.1 flit/host/cycle" as a part of a name.
std::string name_part(const std::string& text) {
    std::string part = text.substr(0, text.find(' '));
    std::replace(part.begin(), part.end(), '/', '_');
    return part;
}

/// One entry for each value of `leaf`.
std::vector<node> entries_of(const node& entry, const std::string& leaf) {
    const node* values = entry.find(leaf);
    if (values == nullptr || !values->is_list()) return {entry};
    if (values->items.empty()) values->fail("'" + leaf + "' is empty", "give at least one value");
    std::vector<node> made;
    for (const node& value : values->items) {
        node& one = made.emplace_back(entry);
        *one.find(leaf) = value;
        node* name = one.find("name");
        if (name != nullptr && name->is_scalar() && value.is_scalar()) name->text += "-" + name_part(value.text);
    }
    return made;
}

}  // namespace

void expand_lists(node& root) {
    for (const key& k : keys()) {
        if (!k.many) continue;
        const std::string section(k.parent().substr(0, k.parent().size() - 2));
        node* list = root.find(section);
        if (list == nullptr || !list->is_list()) continue;
        std::vector<node> entries;
        for (const node& entry : list->items) {
            const std::vector<node> made = entries_of(entry, std::string(k.leaf()));
            entries.insert(entries.end(), made.begin(), made.end());
        }
        list->items = std::move(entries);
    }
}

}  // namespace polycast::tlm::scenario
