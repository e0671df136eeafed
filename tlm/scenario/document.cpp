// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_set>

namespace polycast::tlm::scenario {

const node* node::find(const std::string& key) const {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const entry& e) { return e.key == key; });
    return found == entries.end() ? nullptr : &found->value;
}

node* node::find(const std::string& key) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const entry& e) { return e.key == key; });
    return found == entries.end() ? nullptr : &found->value;
}

void node::fail(const std::string& message, const std::string& proposal) const {
    throw hw::input_error(origin, at, message, proposal);
}

namespace {

/// Takes yaml-cpp's events and builds the tree.
class builder final : public YAML::EventHandler {
public:
    builder(const std::string& origin, bool positions) : origin_(origin), positions_(positions) {
        root_.origin = origin;
    }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        add(make(mark, node::shape::null), anchor, 1);
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        refuse_tag(mark, tag);
        node scalar = make(mark, node::shape::scalar);
        scalar.text = value;
        scalar.quoted = tag == "!";
        add(std::move(scalar), anchor, 1);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end())
            throw hw::input_error(origin_, place(mark), "an alias refers to the part that it stands in");
        // The copy is counted before it is made: a chain of aliases doubles with every link.
        count(mark, found->second.nodes - 1);
        node copy = found->second.value;
        copy.at = place(mark);
        add(std::move(copy), 0, found->second.levels);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(mark, tag, anchor, node::shape::list);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(mark, tag, anchor, node::shape::map);
    }
    void OnMapEnd() override { close(); }

    node take() { return std::move(root_); }

private:
    struct level {
        node value;
        YAML::anchor_t anchor = 0;
        std::size_t nodes_before = 0;
        unsigned levels = 1;
        std::optional<node> key;
        std::unordered_set<std::string> keys;
    };
    struct anchored {
        node value;
        std::size_t nodes = 1;
        unsigned levels = 1;
    };

    hw::text_position place(const YAML::Mark& mark) const {
        if (!positions_ || mark.is_null()) return {};
        return {static_cast<unsigned>(mark.line + 1), static_cast<unsigned>(mark.column + 1)};
    }

    node make(const YAML::Mark& mark, node::shape form) {
        count(mark, 1);
        node made;
        made.form = form;
        made.origin = origin_;
        made.at = place(mark);
        return made;
    }

    void count(const YAML::Mark& mark, std::size_t more) {
        nodes_ += more;
        if (nodes_ > most_nodes)
            throw hw::input_error(origin_, place(mark),
                                  "more than " + std::to_string(most_nodes) + " values, aliases included");
    }

    void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
        if (tag.empty() || tag == "?" || tag == "!") return;
        throw hw::input_error(origin_, place(mark), "the YAML tag '" + tag + "' has no meaning here", "leave it out");
    }

    void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, node::shape form) {
        refuse_tag(mark, tag);
        level opened;
        opened.nodes_before = nodes_;
        opened.value = make(mark, form);
        opened.anchor = anchor;
        check_depth(opened.value, 1);
        stack_.push_back(std::move(opened));
    }

    void check_depth(const node& value, unsigned levels) const {
        if (stack_.size() + levels > most_levels)
            value.fail("nested deeper than " + std::to_string(most_levels) + " levels");
    }

    void close() {
        level closed = std::move(stack_.back());
        stack_.pop_back();
        if (closed.anchor != 0) anchors_[closed.anchor] = {closed.value, nodes_ - closed.nodes_before, closed.levels};
        add(std::move(closed.value), 0, closed.levels);
    }

    void add(node value, YAML::anchor_t anchor, unsigned levels) {
        if (anchor != 0) anchors_[anchor] = {value, 1, 1};
        check_depth(value, levels);
        if (stack_.empty()) {
            root_ = std::move(value);
            return;
        }
        level& top = stack_.back();
        top.levels = std::max(top.levels, levels + 1);
        if (top.value.is_list()) {
            top.value.items.push_back(std::move(value));
        } else if (!top.key) {
            if (!value.is_scalar()) value.fail("a key must be a plain name");
            if (!top.keys.insert(value.text).second)
                value.fail("duplicate key '" + value.text + "'", first_use(top.value, value.text));
            top.key = std::move(value);
        } else {
            // The parser places a value that is missing where the next thing stands.
            if (value.form == node::shape::null) value.at = top.key->at;
            top.value.entries.push_back({top.key->text, top.key->at, origin_, std::move(value)});
            top.key.reset();
        }
    }

    std::string first_use(const node& map, const std::string& key) const {
        if (!positions_) return {};
        for (const node::entry& e : map.entries) {
            if (e.key == key) return "it is first given in line " + std::to_string(e.at.line);
        }
        return {};
    }

    std::string origin_;
    bool positions_;
    node root_;
    std::vector<level> stack_;
    std::map<YAML::anchor_t, anchored> anchors_;
    std::size_t nodes_ = 0;
};

/// Results are JSON and XML, which hold Unicode text without control characters only.
void check_characters(const std::string& text, const std::string& origin, bool positions) {
    hw::text_position at{1, 1};
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        std::size_t length = 1;
        bool good = byte >= 0x20 || byte == '\n' || byte == '\t' || byte == '\r';
        if (byte >= 0x7f) {
            length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
            good = byte >= 0xc2 && byte <= 0xf4 && i + length <= text.size();
            for (std::size_t k = 1; good && k < length; ++k)
                good = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
            if (good) {
                const auto second = static_cast<unsigned char>(text[i + 1]);
                good = !(byte == 0xe0 && second < 0xa0) && !(byte == 0xed && second > 0x9f) &&
                       !(byte == 0xf0 && second < 0x90) && !(byte == 0xf4 && second > 0x8f);
            }
        }
        if (!good)
            throw hw::input_error(origin, positions ? at : hw::text_position{}, "a byte that is not text (UTF-8)");
        if (byte == '\n') {
            ++at.line;
            at.column = 0;
        }
        ++at.column;
        i += length;
    }
}

}  // namespace

node parse_document(const std::string& text, const std::string& origin, bool positions) {
    if (text.size() > most_bytes)
        throw hw::input_error(origin, {},
                              "larger than " + std::to_string(most_bytes >> 20) + " MiB: this is no scenario");
    check_characters(text, origin, positions);
    builder tree(origin, positions);
    try {
        std::istringstream in(text);
        YAML::Parser parser(in);
        parser.HandleNextDocument(tree);
        builder second(origin, positions);
        if (parser.HandleNextDocument(second))
            throw hw::input_error(origin, second.take().at, "a second YAML document", "a scenario is one document");
    } catch (const YAML::Exception& broken) {
        hw::text_position at;
        if (positions && !broken.mark.is_null())
            at = {static_cast<unsigned>(broken.mark.line + 1), static_cast<unsigned>(broken.mark.column + 1)};
        throw hw::input_error(origin, at, "broken YAML: " + broken.msg);
    }
    return tree.take();
}

}  // namespace polycast::tlm::scenario
