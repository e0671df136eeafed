// SPDX-License-Identifier: Apache-2.0
/// \file The one table of everything that a scenario may say. The loader, the JSON Schema, the reference page and the
/// proposals in error messages all read it; a new key is one row here and one member in scenario.h.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tlm/scenario/quantity.h"
#include "tlm/scenario/scenario.h"

namespace polycast::tlm::scenario {

/// What a key holds.
enum class value_type {
    section,   ///< further keys
    sections,  ///< list of sections
    named,     ///< names, each with a section: what that does not say is as in the section around
    number,    ///< with or without a unit, see `unit` and `whole`
    boolean,
    choice,      ///< one of `choices`
    text,        ///< anything
    name,        ///< letters, digits, '.', '_' and '-', not starting with '.', at most 64: goes into file names
    names,       ///< list of names of hosts or switches
    numbers,     ///< list of whole numbers below 10^9
    choice_map,  ///< names of switches, each with one of `choices`
    sweep        ///< paths of keys, each with a list of values: one run for each
};

/// A value after its checks, in the base unit. Which member counts follows from the key's type.
struct value {
    bool word = false;  ///< one of the key's special words, `text`, was given instead of a value
    bool flag = false;
    unsigned choice = 0;
    exact number{0};
    std::string text;
    std::vector<std::string> names;
    std::vector<std::pair<std::string, unsigned>> map;
};

struct choice {
    std::string_view name;
    std::string_view doc;
};

/// The key has a meaning only while the choice `key` is one of `values`, or has none itself.
struct condition {
    std::string_view key;  ///< of the same section, or the whole path of one elsewhere
    std::vector<std::string_view> values;

    bool is_elsewhere() const { return key.find('.') != std::string_view::npos; }
};

struct key {
    std::string_view
        path;  ///< "network.topology.kind"; "workload[].degree" in a list of sections, "cables{}.layer" in named ones
    value_type type = value_type::section;
    std::string_view fallback = {};  ///< default as YAML; "": none
    bool required = false;
    bool optional = false;  ///< resolved scenarios leave it out where it is not given
    dimension unit = dimension::none;
    bool whole = true;                         ///< the base unit cannot be split
    std::string_view least = {}, most = {};    ///< in the base unit, inclusive; "" no bound
    std::vector<std::string_view> words = {};  ///< accepted in place of a value
    bool one = false;                          ///< of names: a name alone stands for a list of it
    bool many = false;                         ///< in a list of sections: a list of values stands for as many sections
    /// The path of a file or folder, which starts at the scenario, or on the command line at the current folder; but
    /// for `words`, and for these.
    bool file = false;
    std::vector<std::string_view> no_files = {};
    std::vector<choice> choices = {};
    std::vector<condition> only = {};
    std::string_view doc = {};                                ///< one sentence
    std::string_view source = {};                             ///< paper
    std::function<void(settings&, const value&)> store = {};  ///< keys of one of several sections go into the last one

    /// "degree" of "workload[].degree".
    std::string_view leaf() const { return path.substr(path.rfind('.') + 1); }
    /// "workload[]" of "workload[].degree"; "" for keys on top.
    std::string_view parent() const {
        return path.rfind('.') == std::string_view::npos ? std::string_view{} : path.substr(0, path.rfind('.'));
    }
};

/// All keys, sections before what is in them, in the order of the reference page.
const std::vector<key>& keys();

/// The key of that path; nullptr where there is none.
const key* find_key(std::string_view path);

/// Keys directly in the section `parent` ("" for the top).
std::vector<const key*> keys_in(std::string_view parent);

/// The choice that a condition of `k` is about.
const key& chooser_of(const key& k, const condition& c);

/// For messages: "1..64", "at least 1", "".
std::string range_text(const key& k);

}  // namespace polycast::tlm::scenario
