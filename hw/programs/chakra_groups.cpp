// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/chakra_groups.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "hw/input_error.h"

namespace polycast::hw::programs::chakra {
namespace {

using json = nlohmann::json;

/// Takes groups as they come: neither form makes a tree, so that a file of brackets takes no memory.
class groups_reader : public nlohmann::json_sax<json> {
public:
    /// \param named whether groups are members of an object, by their names
    groups_reader(bool named, std::uint32_t ranks) : named_(named), ranks_(ranks) {}

    group_table take() { return std::move(made_); }
    const std::string& problem() const { return problem_; }
    std::size_t byte() const { return byte_; }  ///< of a syntax error, from 1; 0: not known

    bool null() override { return value("null"); }
    bool boolean(bool) override { return value("a truth value"); }
    bool number_integer(number_integer_t of) override { return value("the number " + std::to_string(of)); }
    bool number_float(number_float_t, const string_t& of) override { return value("the number " + of); }
    bool binary(binary_t&) override { return value("bytes"); }
    bool number_unsigned(number_unsigned_t of) override {
        if (depth_ == list_depth() && in_ranks_) {
            if (of >= ranks_)
                return wrong("rank " + std::to_string(of) + "; the trace has ranks 0 to " + std::to_string(ranks_ - 1));
            members_.push_back(static_cast<std::uint32_t>(of));
            return true;
        }
        if (depth_ == 2 && !named_ && key_ == "pg_name") return set_name(std::to_string(of));
        return value("the number " + std::to_string(of));
    }
    bool string(string_t& of) override {
        if (depth_ == 2 && !named_ && key_ == "pg_name") return set_name(of);
        return value("the text '" + of + "'");
    }
    bool start_object(std::size_t) override {
        if (depth_ == (named_ ? 0u : 1u)) {
            name_.reset();
            listed_ = false;
        } else if (depth_ == 0 || !skipped()) {
            return wrong("an object where " + wanted() + " is wanted");
        }
        ++depth_;
        return true;
    }
    bool end_object() override {
        if (--depth_ != 1 || named_) return true;
        if (!name_) return wrong("a group without pg_name");
        if (!listed_) return wrong("group '" + *name_ + "' without ranks");
        return add(*name_);
    }
    bool start_array(std::size_t) override {
        if (depth_ == list_depth() - 1 && (named_ || key_ == "ranks")) {
            if (listed_ && !named_) return wrong("ranks twice in a group");
            members_.clear();
            in_ranks_ = listed_ = true;
        } else if (depth_ == 0 ? named_ : !skipped()) {
            return wrong("a list where " + wanted() + " is wanted");
        }
        ++depth_;
        return true;
    }
    bool end_array() override {
        if (depth_ == list_depth()) {
            if (named_ && !add(key_)) return false;
            in_ranks_ = false;
        }
        --depth_;
        return true;
    }
    bool key(string_t& of) override {
        if (depth_ == (named_ ? 1u : 2u)) key_ = of;
        return true;
    }
    bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception& error) override {
        byte_ = byte;
        const std::string text = error.what();
        // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error .."
        const std::size_t colon = text.find(": ");
        problem_ = colon == std::string::npos ? text : text.substr(colon + 2);
        return false;
    }

private:
    std::size_t list_depth() const { return named_ ? 2 : 3; }  ///< within a list of ranks
    /// Values of members that mean nothing, however deep.
    bool skipped() const { return !named_ && depth_ >= 2 && !in_ranks_ && key_ != "pg_name" && key_ != "ranks"; }
    std::string wanted() const {
        if (in_ranks_) return "a rank";
        if (named_) return depth_ == 0 ? "an object of groups" : "a list of ranks";
        return depth_ == 0 ? "a list of groups" : depth_ == 1 ? "a group" : key_ == "ranks" ? "a list" : "a name";
    }
    bool wrong(const std::string& what) {
        problem_ = what;
        return false;
    }
    bool value(const std::string& found) { return skipped() || wrong(found + " where " + wanted() + " is wanted"); }
    bool set_name(const std::string& of) {
        if (name_) return wrong("pg_name twice in a group");
        name_ = of;
        return true;
    }
    bool add(const std::string& name) {
        std::ranges::sort(members_);
        const auto twice = std::ranges::adjacent_find(members_);
        if (twice != members_.end())
            return wrong("rank " + std::to_string(*twice) + " is twice in group '" + name + "'");
        members_.shrink_to_fit();
        if (!made_.try_emplace(name, std::exchange(members_, {})).second)
            return wrong("group '" + name + "' is there twice");
        return true;
    }

    bool named_;
    std::uint32_t ranks_;
    std::size_t depth_ = 0, byte_ = 0;
    bool in_ranks_ = false, listed_ = false;
    std::string key_, problem_;
    std::optional<std::string> name_;
    std::vector<std::uint32_t> members_;
    group_table made_;
};

text_position position_of(std::string_view text, std::size_t byte) {
    if (byte == 0) return {};
    const std::string_view before = text.substr(0, std::min(byte - 1, text.size()));
    const std::size_t line = before.rfind('\n');
    return {static_cast<unsigned>(std::ranges::count(before, '\n') + 1),
            static_cast<unsigned>(line == std::string_view::npos ? before.size() + 1 : before.size() - line)};
}

}  // namespace

group_table read_groups_file(const std::string& name, std::string_view text, std::uint32_t ranks) {
    groups_reader reader(true, ranks);
    if (json::sax_parse(text, &reader)) return reader.take();
    throw input_error(name, position_of(text, reader.byte()), reader.problem(),
                      R"(groups are {"0": [0, 1, ..], "1": [..]}: names, and the ranks of each)");
}

bool holds_groups(std::string_view inputs) {
    return inputs.find("pg_name") != std::string_view::npos;
}

group_table read_groups_inputs(std::string_view inputs, std::uint32_t ranks,
                               const std::function<void(const std::string&)>& fail) {
    // PyTorch writes a list of one text, as Python or JSON shows it: the list of groups lies within.
    const std::size_t begin = inputs.find("[{"), end = inputs.rfind("}]");
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin)
        fail("its inputs name 'pg_name', and hold no list of groups");
    // Within a text of JSON, or one of Python's with both kinds of quotes, those of the list are escaped.
    std::string list;
    for (std::size_t i = begin; i < end + 2; ++i)
        if (inputs[i] != '\\' || inputs[i + 1] != '"') list += inputs[i];
    groups_reader reader(false, ranks);
    if (!json::sax_parse(list, &reader)) fail("its list of groups: " + reader.problem());
    return reader.take();
}

}  // namespace polycast::hw::programs::chakra
