// SPDX-License-Identifier: Apache-2.0
#include "tlm/topologies/drawing.h"

#include <vector>

namespace polycast::tlm::topologies {

using json = nlohmann::ordered_json;

namespace {

/// A value as it stands `depth` levels deep.
std::string text_of(const json& value, unsigned depth = 0) {
    std::string text = value.dump(1, ' ', false, json::error_handler_t::replace);
    if (depth == 0 || text.find('\n') == std::string::npos) return text;
    std::string deeper;
    for (const char letter : text) {
        deeper += letter;
        if (letter == '\n') deeper.append(depth, ' ');
    }
    return deeper;
}

/// An object that is written member by member.
class object_text {
public:
    explicit object_text(const text_sink& put) : text_(put) { text_.add("{{"); }

    void add(const json& members) {
        for (const auto& [key, value] : members.items()) begin(key).add("{}", text_of(value, 1));
    }
    /// An array of objects; write(text, i) writes the members of the i-th.
    template <typename function>
    void add(const std::string& key, std::size_t size, const function& write) {
        text_pieces& text = begin(key);
        for (std::size_t i = 0; i < size; ++i) {
            text.add("{}\n  {{", i == 0 ? "[" : ",");
            write(text, i);
            text.add("\n  }}");
        }
        text.add("{}]", size == 0 ? "[" : "\n ");
    }
    void end() {
        text_.add("{}}}\n", empty_ ? "" : "\n");
        text_.end();
    }

private:
    text_pieces& begin(const std::string& key) {
        text_.add("{}{}: ", empty_ ? "\n " : ",\n ", text_of(key));
        empty_ = false;
        return text_;
    }

    text_pieces text_;
    bool empty_ = true;
};

void draw(const text_sink& put, const hw::topology::graph& network, const json& head,
          const std::function<json(std::uint32_t)>& place,
          const std::function<std::string(const hw::topology::link&)>& direction, const json& rest) {
    std::vector<std::string> names;
    for (const hw::topology::switch_node& node : network.switches) names.push_back(text_of(node.name));
    const std::vector<hw::topology::link> links = network.links();
    object_text all(put);
    all.add(head);
    all.add("switches", names.size(), [&](text_pieces& text, std::size_t i) {
        text.add("\n   \"name\": {},", names[i]);
        const json placed = place(static_cast<std::uint32_t>(i));
        for (const auto& [key, value] : placed.items()) text.add("\n   {}: {},", text_of(key), text_of(value, 3));
        text.add("\n   \"ports\": {}", network.switches[i].ports.size());
    });
    all.add("hosts", network.hosts.size(), [&](text_pieces& text, std::size_t i) {
        const hw::topology::host_node& host = network.hosts[i];
        text.add("\n   \"name\": {},\n   \"switch\": {},\n   \"port\": {}", text_of(host.name), names[host.chip],
                 host.port + network.first_port);
    });
    all.add("links", links.size(), [&](text_pieces& text, std::size_t i) {
        const auto& [a, b] = links[i];
        text.add("\n   \"a\": {},\n   \"a_port\": {},\n   \"b\": {},\n   \"b_port\": {}{}", names[a.chip],
                 a.port + network.first_port, names[b.chip], b.port + network.first_port, direction(links[i]));
    });
    all.add(rest);
    all.end();
}

}  // namespace

void topology_json(const text_sink& put, const hw::topology::graph& network, const json& head,
                   const std::function<json(std::uint32_t)>& place, const json& rest) {
    draw(
        put, network, head, place, [](const hw::topology::link&) { return std::string(); }, rest);
}

void topology_json(const text_sink& put, const hw::topology::graph& network, const hw::routing::updown& routes) {
    const auto level = [&](std::uint32_t i) { return json{{"level", routes.level(i)}}; };
    const auto direction = [&](const hw::topology::link& l) {
        return std::string(routes.above(l.a.chip, l.b.chip) ? ",\n   \"up\": \"a\"" : ",\n   \"up\": \"b\"");
    };
    // Other roots are those on level 0.
    draw(put, network, json::object(), level, direction, {{"root", network.switches[routes.root()].name}});
}

}  // namespace polycast::tlm::topologies
