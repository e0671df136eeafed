// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/msccl_xml.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <pugixml.hpp>
#include <span>

#include "hw/programs/program.h"
#include "hw/topology/nearest_name.h"
#include "hw/topology/text_cursor.h"
#include "hw/topology/xml_places.h"

namespace polycast::hw::programs::msccl {
namespace {

using topology::excerpt;

constexpr std::uint32_t most_chunks = 1 << 20;
constexpr std::uint32_t most_blocks = 256;
constexpr std::uint64_t most_size = std::uint64_t{1} << 50;

struct collective_name {
    std::string_view name;
    std::optional<collective_kind> kind;
};

constexpr collective_name collective_names[] = {{"allreduce", collective_kind::allreduce},
                                                {"allgather", collective_kind::allgather},
                                                {"reduce_scatter", collective_kind::reduce_scatter},
                                                {"reducescatter", collective_kind::reduce_scatter},
                                                {"alltoall", collective_kind::all_to_all},
                                                {"broadcast", collective_kind::broadcast},
                                                {"reduce", collective_kind::reduce},
                                                {"gather", collective_kind::gather},
                                                {"scatter", collective_kind::scatter},
                                                {"send", std::nullopt},
                                                {"recv", std::nullopt},
                                                {"alltoallv", std::nullopt},
                                                {"custom", std::nullopt}};

/// The names of a table, with commas between.
template <typename table>
std::vector<std::string> names_of(const table& all) {
    std::vector<std::string> made;
    for (const auto& one : all) made.emplace_back(one.name);
    return made;
}

std::string listed(std::span<const std::string> names) {
    std::string text = "known: ";
    for (const std::string& one : names) text += (text.size() > 7 ? ", " : "") + one;
    return text;
}

std::string proposal(std::string_view name, std::span<const std::string> names) {
    const std::string near = topology::propose_name(name, names);
    return near.empty() ? listed(names) : near;
}

class parser {
public:
    parser(const std::string& name, std::string_view text) : name_(name), text_(text), places_(text) {}

    algorithm parse();

private:
    [[noreturn]] void fail(text_position at, const std::string& message, const std::string& proposal = {}) const {
        throw input_error(name_, at, message, proposal);
    }
    [[noreturn]] void fail(const pugi::xml_node& at, const std::string& message,
                           const std::string& proposal = {}) const {
        fail(places_.place(at), message, proposal);
    }
    void check_entities() const;
    void check_entity(std::size_t at) const;
    /// Every attribute is in the list; all but the last `optional` ones are there.
    void check_attributes(const pugi::xml_node& node, std::span<const std::string> known, std::size_t optional) const;
    /// Only elements of these names are in it.
    void check_children(const pugi::xml_node& node, std::span<const std::string> known) const;

    std::int64_t number(const pugi::xml_node& node, const char* attribute, std::int64_t least, std::int64_t most) const;
    /// -1: nothing.
    std::optional<std::uint32_t> number_or_none(const pugi::xml_node& node, const char* attribute,
                                                std::int64_t most) const;
    bool flag(const pugi::xml_node& node, const char* attribute) const;
    template <typename table>
    const auto& choice(const pugi::xml_node& node, const char* attribute, const table& from) const;

    void read_algorithm(const pugi::xml_node& node);
    void read_gpu(const pugi::xml_node& node);
    thread_block read_block(const pugi::xml_node& node, std::size_t index);
    step read_step(const pugi::xml_node& node, const thread_block& in, std::size_t index);
    chunks read_chunks(const pugi::xml_node& node, const char* buffer, const char* offset, bool used) const;

    const std::string& name_;
    std::string_view text_;
    topology::xml_places places_;
    algorithm made_;
    std::vector<bool> there_;  ///< [gpu]
};

/// In tags and between them; what comments and the like hold is no part of the document.
void parser::check_entities() const {
    struct passage {
        std::string_view begin, end;
    };
    constexpr passage skipped[] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
    bool in_tag = false;
    char quote = 0;
    for (std::size_t at = 0; at < text_.size(); ++at) {
        const char here = text_[at];
        if (here == '&') check_entity(at);
        if (!in_tag && here == '<') {
            const auto* const comment = std::ranges::find_if(
                skipped, [&](const passage& one) { return text_.substr(at).starts_with(one.begin); });
            in_tag = comment == std::end(skipped);
            if (in_tag) continue;
            const std::size_t end = text_.find(comment->end, at + comment->begin.size());
            if (end == std::string_view::npos) return;
            at = end + comment->end.size() - 1;
        } else if (in_tag && quote != 0) {
            if (here == quote) quote = 0;
        } else if (in_tag) {
            if (here == '"' || here == '\'') quote = here;
            in_tag = here != '>';
        }
    }
}

void parser::check_entity(std::size_t at) const {
    const std::string_view rest = text_.substr(at + 1);
    const std::string_view known[] = {"lt;", "gt;", "amp;", "quot;", "apos;"};
    if (std::ranges::none_of(known, [&](std::string_view one) { return rest.starts_with(one); }))
        fail(places_.place(static_cast<std::ptrdiff_t>(at)),
             "unknown entity " + excerpt(text_.substr(at, std::min<std::size_t>(text_.find(';', at) - at, 20))),
             "known: &lt; &gt; &amp; &quot; &apos;");
}

void parser::check_attributes(const pugi::xml_node& node, std::span<const std::string> known,
                              std::size_t optional) const {
    const std::string element = std::string("<") + node.name() + ">";
    std::uint32_t seen = 0;
    for (const pugi::xml_attribute one : node.attributes()) {
        const auto which = std::ranges::find(known, one.name());
        if (which == known.end())
            fail(places_.place(node, one.name()), "unknown attribute " + excerpt(one.name()) + " of " + element,
                 proposal(one.name(), known));
        const std::uint32_t bit = 1u << (which - known.begin());
        if ((seen & bit) != 0)
            fail(places_.place(node, one.name()), "the attribute '" + *which + "' of " + element + " a second time");
        seen |= bit;
    }
    for (std::size_t i = 0; i + optional < known.size(); ++i)
        if ((seen & 1u << i) == 0) fail(node, element + " without '" + known[i] + "'");
}

void parser::check_children(const pugi::xml_node& node, std::span<const std::string> known) const {
    for (const pugi::xml_node child : node.children()) {
        if (child.type() != pugi::node_element)
            fail(child, std::string("text in <") + node.name() + ">", "only elements stand there");
        if (std::ranges::find(known, child.name()) == known.end())
            fail(child, "unknown element " + excerpt(child.name()) + " in <" + node.name() + ">",
                 known.empty() ? "nothing stands there" : proposal(child.name(), known));
    }
}

std::int64_t parser::number(const pugi::xml_node& node, const char* attribute, std::int64_t least,
                            std::int64_t most) const {
    const std::string_view text = node.attribute(attribute).value();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
        fail(places_.place(node, attribute), std::string(attribute) + " is " + std::to_string(least) + " to " +
                                                 std::to_string(most) + ", found " + excerpt(text));
    return value;
}

std::optional<std::uint32_t> parser::number_or_none(const pugi::xml_node& node, const char* attribute,
                                                    std::int64_t most) const {
    const std::int64_t value = number(node, attribute, -1, most);
    return value < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(value));
}

bool parser::flag(const pugi::xml_node& node, const char* attribute) const {
    return node.attribute(attribute) && number(node, attribute, 0, 1) == 1;
}

template <typename table>
const auto& parser::choice(const pugi::xml_node& node, const char* attribute, const table& from) const {
    const std::string_view word = node.attribute(attribute).value();
    const auto* const found = std::ranges::find(from, word, [](const auto& one) { return one.name; });
    if (found == std::end(from))
        fail(places_.place(node, attribute), "unknown " + std::string(attribute) + " " + excerpt(word),
             proposal(word, names_of(from)));
    return *found;
}

algorithm parser::parse() {
    pugi::xml_document document;
    const auto parsed = document.load_buffer(text_.data(), text_.size(), pugi::parse_default | pugi::parse_doctype,
                                             pugi::encoding_utf8);
    if (!parsed) fail(places_.place(parsed.offset), std::string("not well-formed XML: ") + parsed.description());
    for (const pugi::xml_node one : document.children()) {
        if (one.type() == pugi::node_doctype)
            fail(places_.place(static_cast<std::ptrdiff_t>(text_.find("<!DOCTYPE"))), "a document type",
                 "algorithms have none");
        if (std::string_view(one.name()) != "algo" || !made_.gpus.empty())
            fail(one, "unknown element " + excerpt(one.name()), "there is one <algo>, and nothing beside it");
        check_entities();
        read_algorithm(one);
    }
    if (made_.gpus.empty()) fail(places_.place(std::ptrdiff_t{0}), "expected an <algo> element");
    return std::move(made_);
}

void parser::read_algorithm(const pugi::xml_node& node) {
    static const std::string attributes[] = {"name",    "proto",      "nchannels", "nchunksperloop", "ngpus", "coll",
                                             "inplace", "outofplace", "minBytes",  "maxBytes",       "redop"};
    static const std::string children[] = {"gpu"};
    check_attributes(node, attributes, 5);
    check_children(node, children);
    made_.at = places_.place(node);
    made_.name = node.attribute("name").value();
    constexpr named<int> protocols[] = {{0, "Simple"}, {1, "LL"}, {2, "LL128"}};
    made_.protocol = choice(node, "proto", protocols).name;
    number(node, "nchannels", 0, 256);
    made_.chunks_per_loop = static_cast<std::uint32_t>(number(node, "nchunksperloop", 1, most_chunks));
    const auto gpus = static_cast<std::size_t>(number(node, "ngpus", 1, most_ranks));
    made_.kind = choice(node, "coll", collective_names).kind;
    made_.in_place = flag(node, "inplace");
    flag(node, "outofplace");
    if (node.attribute("minBytes"))
        made_.min_bytes = static_cast<std::uint64_t>(number(node, "minBytes", 0, most_size));
    if (node.attribute("maxBytes"))
        made_.max_bytes = static_cast<std::uint64_t>(number(node, "maxBytes", 0, most_size));
    if (const pugi::xml_attribute redop = node.attribute("redop"); redop && *redop.value() != '\0')
        made_.reduces_by = choice(node, "redop", reductions).value;
    const auto found =
        static_cast<std::size_t>(std::ranges::distance(node.children("gpu").begin(), node.children("gpu").end()));
    if (found != gpus)
        fail(places_.place(node, "ngpus"),
             "ngpus is " + std::to_string(gpus) + ", and the file has " + std::to_string(found) + " <gpu>");
    made_.gpus.resize(gpus);
    there_.resize(gpus);
    for (const pugi::xml_node child : node.children("gpu")) read_gpu(child);
}

void parser::read_gpu(const pugi::xml_node& node) {
    static const std::string attributes[] = {"id", "i_chunks", "o_chunks", "s_chunks"};
    static const std::string children[] = {"tb", "copy"};
    check_attributes(node, attributes, 0);
    check_children(node, children);
    const auto id = static_cast<std::size_t>(number(node, "id", 0, static_cast<std::int64_t>(made_.gpus.size()) - 1));
    if (there_[id]) fail(node, "the gpu " + std::to_string(id) + " a second time");
    there_[id] = true;
    gpu& made = made_.gpus[id];
    made.at = places_.place(node);
    made.input_chunks = static_cast<std::uint32_t>(number(node, "i_chunks", 0, most_chunks));
    made.output_chunks = static_cast<std::uint32_t>(number(node, "o_chunks", 0, most_chunks));
    made.scratch_chunks = static_cast<std::uint32_t>(number(node, "s_chunks", 0, most_chunks));
    for (const pugi::xml_node child : node.children()) {
        if (std::string_view(child.name()) == "tb") {
            made.blocks.push_back(read_block(child, made.blocks.size()));
            continue;
        }
        static const std::string copy_attributes[] = {"i_off", "o_off"};
        check_attributes(child, copy_attributes, 0);
        check_children(child, {});
        made.copies.push_back({static_cast<std::uint32_t>(number(child, "i_off", 0, most_chunks)),
                               static_cast<std::uint32_t>(number(child, "o_off", 0, most_chunks)),
                               places_.place(child)});
    }
}

thread_block parser::read_block(const pugi::xml_node& node, std::size_t index) {
    static const std::string attributes[] = {"id", "send", "recv", "chan"};
    static const std::string children[] = {"step"};
    check_attributes(node, attributes, 0);
    check_children(node, children);
    if (index == most_blocks) fail(node, "more than 256 thread blocks of a gpu");
    if (number(node, "id", 0, most_blocks - 1) != static_cast<std::int64_t>(index))
        fail(places_.place(node, "id"), "thread block " + std::to_string(number(node, "id", 0, most_blocks - 1)) +
                                            " where " + std::to_string(index) + " comes next");
    thread_block made;
    made.at = places_.place(node);
    const auto last = static_cast<std::int64_t>(made_.gpus.size()) - 1;
    made.send = number_or_none(node, "send", last);
    made.receive = number_or_none(node, "recv", last);
    made.channel = static_cast<std::uint32_t>(number(node, "chan", 0, 255));
    for (const pugi::xml_node child : node.children()) made.steps.push_back(read_step(child, made, made.steps.size()));
    return made;
}

chunks parser::read_chunks(const pugi::xml_node& node, const char* buffer, const char* offset, bool used) const {
    const buffer_name name = choice(node, buffer, buffer_names).value;
    const std::int64_t first = number(node, offset, used ? 0 : -1, most_chunks);
    return {name, static_cast<std::uint32_t>(std::max<std::int64_t>(first, 0))};
}

step parser::read_step(const pugi::xml_node& node, const thread_block& in, std::size_t index) {
    static const std::string attributes[] = {"s",      "type", "srcbuf", "srcoff", "dstbuf",
                                             "dstoff", "cnt",  "depid",  "deps",   "hasdep"};
    check_attributes(node, attributes, 0);
    check_children(node, {});
    if (number(node, "s", 0, std::numeric_limits<std::int32_t>::max()) != static_cast<std::int64_t>(index))
        fail(places_.place(node, "s"),
             "step " + std::string(node.attribute("s").value()) + " where " + std::to_string(index) + " comes next");
    step made;
    made.at = places_.place(node);
    made.kind = choice(node, "type", step_kinds).value;
    const bool moves = made.kind != step_kind::nop;
    made.count = static_cast<std::uint32_t>(number(node, "cnt", moves ? 1 : 0, moves ? most_chunks : 0));
    made.source = read_chunks(node, "srcbuf", "srcoff", reads_source(made.kind));
    made.destination = read_chunks(node, "dstbuf", "dstoff", writes_destination(made.kind));
    made.waits_for_block = number_or_none(node, "depid", most_blocks - 1);
    const auto on = number_or_none(node, "deps", std::numeric_limits<std::int32_t>::max());
    if (made.waits_for_block.has_value() != on.has_value())
        fail(places_.place(node, "depid"), "depid and deps are both -1, or both name something");
    made.waits_for = on.value_or(0);
    made.is_waited_for = flag(node, "hasdep");
    if (sends(made.kind) && !in.send)
        fail(places_.place(node, "type"), "a step that sends, and its thread block has send=\"-1\"");
    if (receives(made.kind) && !in.receive)
        fail(places_.place(node, "type"), "a step that receives, and its thread block has recv=\"-1\"");
    return made;
}

}  // namespace

bool begins_as_msccl(std::string_view text) {
    constexpr std::string_view mark = "\xef\xbb\xbf";
    if (text.starts_with(mark)) text.remove_prefix(mark.size());
    for (;;) {
        const std::size_t begin = text.find_first_not_of(" \t\r\n");
        if (begin == std::string_view::npos) return false;
        text.remove_prefix(begin);
        const bool comment = text.starts_with("<!--"), declaration = text.starts_with("<?");
        if (!comment && !declaration) break;
        const std::string_view closing = comment ? "-->" : "?>";
        const std::size_t end = text.find(closing);
        if (end == std::string_view::npos) return false;
        text.remove_prefix(end + closing.size());
    }
    return text.starts_with("<algo") || text.starts_with("<!DOCTYPE algo");
}

algorithm parse_msccl(const std::string& name, std::string_view text) {
    return parser(name, text).parse();
}

}  // namespace polycast::hw::programs::msccl
