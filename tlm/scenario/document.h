// SPDX-License-Identifier: Apache-2.0
/// \file YAML text as a tree that knows where every part was written, read so strictly that nothing is lost in silence:
/// duplicate keys, several documents and tags are errors, and no input, however hostile, takes long or runs deep.
#pragma once

#include <string>
#include <vector>

#include "hw/input_error.h"

namespace polycast::tlm::scenario {

/// A part of a YAML document.
struct node {
    enum class shape { null, scalar, list, map };
    struct entry;

    shape form = shape::null;
    std::string text;            ///< of a scalar
    bool quoted = false;         ///< the scalar stood in quotes: never a number, never a boolean
    std::vector<node> items;     ///< of a list
    std::vector<entry> entries;  ///< of a map, in the order written
    std::string origin;          ///< file, or command line option
    hw::text_position at;        ///< zero on the command line

    bool is_map() const { return form == shape::map; }
    bool is_list() const { return form == shape::list; }
    bool is_scalar() const { return form == shape::scalar; }

    /// The value of `key`; nullptr where a map has none.
    const node* find(const std::string& key) const;
    node* find(const std::string& key);

    /// Throws hw::input_error at this place.
    [[noreturn]] void fail(const std::string& message, const std::string& proposal = {}) const;
};

struct node::entry {
    std::string key;
    hw::text_position at;
    std::string origin;
    node value;
};

/// Longest text, deepest nesting and most parts (aliases count as often as they are used) of a document.
inline constexpr std::size_t most_bytes = 1u << 20;
inline constexpr unsigned most_levels = 32;
inline constexpr std::size_t most_nodes = 100000;

/// Parses `text`; an empty one gives a null node. Errors name `origin`; with `positions` false (command line) they have
/// no line. \throws hw::input_error
node parse_document(const std::string& text, const std::string& origin, bool positions = true);

}  // namespace polycast::tlm::scenario
