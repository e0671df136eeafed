// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/graphml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <pugixml.hpp>
#include <set>
#include <sstream>
#include <unordered_map>

#include "hw/topology/guid.h"
#include "hw/topology/name_pool.h"
#include "hw/topology/nearest_name.h"
#include "hw/topology/network_builder.h"
#include "hw/topology/text_cursor.h"
#include "hw/topology/xml_places.h"

namespace polycast::hw::topology {
namespace {

const std::array<std::string, 3> graph_data{"first_port", "ports", "hosts"};
const std::array<std::string, 6> node_data{"kind", "type", "name", "label", "ports", "guid"};
const std::array<std::string, 2> edge_data{"source_port", "target_port"};
const std::array<std::string, 2> kinds{"switch", "host"};

class graphml_reader {
public:
    graphml_reader(const std::string& file, std::string_view text, const warning& warn)
        : file_(file), text_(text), warn_(warn), builder_(file), places_(text) {}

    graph read() {
        pugi::xml_document document;
        // Offsets of nodes are only right when the text is not converted.
        const auto parsed = document.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
        if (!parsed) fail(place(parsed.offset), std::string("not well-formed XML: ") + parsed.description());
        const pugi::xml_node root = document.child("graphml");
        if (!root) fail(place(document.first_child()), "expected a <graphml> element");
        read_keys(root);
        const pugi::xml_node graph_node = root.child("graph");
        if (!graph_node) fail(place(root), "expected a <graph> in <graphml>");
        if (const pugi::xml_node second = graph_node.next_sibling("graph"))
            fail(place(second), "more than one <graph>");
        read_graph_data(graph_node);
        for (const pugi::xml_node node : graph_node.children("node")) names_.count(name_of(node));
        for (const pugi::xml_node child : graph_node.children()) {
            const std::string_view name = child.name();
            if (name == "node")
                read_node(child);
            else if (name == "hyperedge")
                fail(place(child), "a hyperedge joins more than two nodes: not a cable");
            else if (name != "edge" && name != "data" && name != "desc" && !name.empty())
                fail(place(child), "unknown element <" + std::string(name) + "> in <graph>");
        }
        const bool directed = std::string_view(graph_node.attribute("edgedefault").value()) == "directed";
        for (const pugi::xml_node child : graph_node.children("edge")) read_edge(child, directed);
        for (const host& one : hosts_)
            if (!one.end) fail(one.at, "host '" + one.name + "' is not cabled", "give it one edge, to a switch");
        for (host& one : hosts_) builder_.add_host(std::move(one.name), one.guid, *one.end);
        return builder_.finish();
    }

private:
    struct host {
        std::string name;
        std::uint64_t guid;
        text_position at;
        std::optional<network_builder::end> end;
    };
    struct node_ref {
        bool is_host;
        std::uint32_t index;
    };
    using data_map = std::unordered_map<std::string, pugi::xml_node>;

    [[noreturn]] void fail(text_position at, const std::string& message, const std::string& proposal = {}) const {
        throw input_error(file_, at, message, proposal);
    }

    text_position place(std::ptrdiff_t offset) const { return places_.place(offset); }
    text_position place(const pugi::xml_node& node) const { return places_.place(node); }

    void read_keys(const pugi::xml_node& root) {
        std::string ignored;
        for (const pugi::xml_node key : root.children("key")) {
            const std::string id = key.attribute("id").value(), name = key.attribute("attr.name").value();
            const std::string_view domain = key.attribute("for").value();
            if (id.empty()) fail(place(key), "a <key> without id");
            const auto misspelt = [&](std::string_view wanted, std::span<const std::string> known) -> std::string {
                if ((domain != wanted && domain != "all") || name.size() < 4) return {};
                if (std::find(known.begin(), known.end(), name) != known.end()) return {};
                const std::string near = nearest_name(name, known);
                return near.size() <= name.size() + 2 ? near : std::string();
            };
            const auto check = [&](const std::string& wanted, std::span<const std::string> known) {
                if (const std::string near = misspelt(wanted, known); !near.empty())
                    fail(place(key), "unknown " + wanted + " data '" + name + "'", "did you mean '" + near + "'?");
            };
            check("graph", graph_data);
            check("edge", edge_data);
            // Drawing tools keep all sorts of things in nodes, and without them a network is still the same one.
            if (!misspelt("node", node_data).empty()) ignored += (ignored.empty() ? "'" : ", '") + name + "'";
            if (!keys_.emplace(id, name).second) fail(place(key), "there is already a <key> '" + id + "'");
        }
        if (!ignored.empty() && warn_)
            warn_(file_ + ": data of nodes that mean nothing here are ignored: " + ignored +
                  "; known are kind, type, name, label, ports and guid");
    }

    data_map data_of(const pugi::xml_node& element) const {
        data_map found;
        for (const pugi::xml_node data : element.children("data")) {
            const std::string id = data.attribute("key").value();
            const auto key = keys_.find(id);
            if (key == keys_.end()) {
                std::vector<std::string> ids;
                for (const auto& [known, name] : keys_) ids.push_back(known);
                std::sort(ids.begin(), ids.end());
                fail(place(data), "there is no <key> '" + id + "'", propose_name(id, ids));
            }
            if (!key->second.empty()) found.emplace(key->second, data);
        }
        return found;
    }

    static std::string_view trimmed(std::string_view text) {
        constexpr std::string_view blanks = " \t\r\n";
        const std::size_t first = text.find_first_not_of(blanks);
        if (first == std::string_view::npos) return {};
        return text.substr(first, text.find_last_not_of(blanks) - first + 1);
    }

    std::optional<std::uint64_t> number(std::string_view text, const std::string& what, text_position at,
                                        int base = 10) const {
        text = trimmed(text);
        if (base == 16) {
            if (!text.starts_with("0x")) fail(at, what + " is " + excerpt(text), "expected a GUID like 0x200005");
            text.remove_prefix(2);
        }
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
        if (error != std::errc{} || end != text.data() + text.size())
            fail(at, what + " is " + excerpt(text), "expected a number");
        return value;
    }

    std::optional<std::uint64_t> number(const data_map& data, const std::string& name, int base = 10) const {
        const auto found = data.find(name);
        if (found == data.end()) return std::nullopt;
        return number(found->second.child_value(), name, place(found->second), base);
    }

    std::optional<unsigned> setting(const data_map& data, const std::string& name, std::uint64_t low,
                                    std::uint64_t high) const {
        const auto value = number(data, name);
        if (!value) return std::nullopt;
        if (*value < low || *value > high)
            fail(place(data.at(name)), name + " is " + std::to_string(*value),
                 "it must be " + std::to_string(low) + " to " + std::to_string(high));
        return static_cast<unsigned>(*value);
    }

    void read_graph_data(const pugi::xml_node& graph_node) {
        const data_map data = data_of(graph_node);
        builder_.first_port = setting(data, "first_port", 0, 1).value_or(0);
        builder_.default_ports = setting(data, "ports", 1, max_switch_ports);
        builder_.hosts_per_switch = setting(data, "hosts", 0, max_switch_ports);
    }

    /// `name`, the label of Gephi, or that of yEd; else the id.
    std::string name_of(const pugi::xml_node& node) const {
        const data_map data = data_of(node);
        for (const char* key : {"name", "label"})
            if (const auto given = data.find(key); given != data.end())
                if (const std::string_view text = trimmed(given->second.child_value()); !text.empty())
                    return std::string(text);
        const pugi::xml_node label = node.find_node(
            [](const pugi::xml_node& inner) { return std::string_view(inner.name()).ends_with(":NodeLabel"); });
        const std::string_view text = trimmed(label.child_value());
        return text.empty() ? node.attribute("id").value() : std::string(text);
    }

    void read_node(const pugi::xml_node& node) {
        const std::string id = node.attribute("id").value();
        if (id.empty()) fail(place(node), "a <node> without id");
        if (const pugi::xml_node nested = node.child("graph"))
            fail(place(nested), "graphs inside of nodes are not supported");
        const data_map data = data_of(node);
        std::string kind = "switch";
        if (const auto given = data.find("kind"); given != data.end()) {
            kind = trimmed(given->second.child_value());
            if (kind != "switch" && kind != "host")
                fail(place(given->second), "node '" + id + "' is of unknown kind " + excerpt(kind),
                     propose_name(kind, kinds));
        } else if (const auto type = data.find("type"); type != data.end()) {
            if (trimmed(type->second.child_value()) == "host") kind = "host";
        }
        std::string name = names_.take(name_of(node), id);
        const std::uint64_t guid = number(data, "guid", 16).value_or(0);
        const bool is_host = kind == "host";
        node_ref reference{is_host, static_cast<std::uint32_t>(hosts_.size())};
        if (is_host) {
            if (hosts_.size() >= max_hosts) fail(place(node), "more than " + std::to_string(max_hosts) + " hosts");
            hosts_.push_back({std::move(name), guid, place(node), std::nullopt});
        } else {
            reference.index = builder_.add_switch(std::move(name), number(data, "ports"), guid, place(node), id);
        }
        if (!nodes_.emplace(id, reference).second) fail(place(node), "there is already a node '" + id + "'");
    }

    const node_ref& node_of(const pugi::xml_node& edge, const char* side) const {
        const std::string id = edge.attribute(side).value();
        if (id.empty()) fail(place(edge), "an <edge> without " + std::string(side));
        const auto found = nodes_.find(id);
        if (found != nodes_.end()) return found->second;
        std::vector<std::string> ids;
        for (const auto& [known, reference] : nodes_) ids.push_back(known);
        std::sort(ids.begin(), ids.end());
        fail(place(edge), "there is no node '" + id + "'", propose_name(id, ids));
    }

    std::optional<std::uint64_t> port_of(const pugi::xml_node& edge, const data_map& data, const char* attribute,
                                         const char* key) const {
        if (const auto given = number(data, key)) return given;
        if (const pugi::xml_attribute given = edge.attribute(attribute))
            return number(given.value(), attribute, place(edge));
        return std::nullopt;
    }

    void read_edge(const pugi::xml_node& edge, bool directed) {
        const node_ref source = node_of(edge, "source"), target = node_of(edge, "target");
        const data_map data = data_of(edge);
        const text_position at = place(edge);
        const network_builder::end from{source.index, port_of(edge, data, "sourceport", "source_port"), at};
        const network_builder::end to{target.index, port_of(edge, data, "targetport", "target_port"), at};
        if (source.is_host && target.is_host) fail(at, "an edge between two hosts", "hosts are cabled to switches");
        if (source.is_host || target.is_host) {
            host& one = hosts_[source.is_host ? source.index : target.index];
            if (one.end) fail(at, "host '" + one.name + "' is cabled twice", "a host has one port: use two hosts");
            if (source.is_host ? from.port : to.port)
                fail(at, "a port is given for host '" + one.name + "', which has only one",
                     "did the tool turn the edge round? Directed graphs keep their ends apart");
            one.end = source.is_host ? to : from;
            return;
        }
        if (directed && !from.port && !to.port) {
            directed_.emplace(source.index, target.index);
            if (directed_.contains({target.index, source.index}))
                fail(at, "a cable is listed in both directions",
                     "write an undirected graph, or give every edge its ports");
        }
        builder_.add_link(from, to);
    }

    const std::string& file_;
    std::string_view text_;
    const warning& warn_;
    network_builder builder_;
    name_pool names_;
    std::unordered_map<std::string, std::string> keys_;  ///< id to name
    std::unordered_map<std::string, node_ref> nodes_;
    std::vector<host> hosts_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> directed_;
    xml_places places_;
};

void add_data(pugi::xml_node& element, const char* key, const std::string& value) {
    pugi::xml_node data = element.append_child("data");
    data.append_attribute("key") = key;
    data.text() = value.c_str();
}

/// \throws input_error for names that XML cannot hold, or that reading would trim
const std::string& checked_name(const std::string& name) {
    const auto forbidden = [](char letter) { return static_cast<unsigned char>(letter) < 0x20; };
    if (name.empty() || name.front() == ' ' || name.back() == ' ' || std::any_of(name.begin(), name.end(), forbidden))
        throw input_error("GraphML cannot hold the name " + excerpt(name));
    return name;
}

}  // namespace

graph read_graphml(const std::string& file, std::string_view text, const warning& warn) {
    return graphml_reader(file, text, warn).read();
}

std::string write_graphml(const graph& network) {
    pugi::xml_document document;
    pugi::xml_node declaration = document.append_child(pugi::node_declaration);
    declaration.append_attribute("version") = "1.0";
    declaration.append_attribute("encoding") = "UTF-8";
    pugi::xml_node root = document.append_child("graphml");
    root.append_attribute("xmlns") = "http://graphml.graphdrawing.org/xmlns";
    struct key {
        const char *domain, *name, *type;
    };
    for (const key& one : {key{"graph", "first_port", "int"}, key{"node", "kind", "string"},
                           key{"node", "name", "string"}, key{"node", "ports", "int"}, key{"node", "guid", "string"},
                           key{"edge", "source_port", "int"}, key{"edge", "target_port", "int"}}) {
        pugi::xml_node element = root.append_child("key");
        element.append_attribute("id") = one.name;
        element.append_attribute("for") = one.domain;
        element.append_attribute("attr.name") = one.name;
        element.append_attribute("attr.type") = one.type;
    }
    pugi::xml_node drawn = root.append_child("graph");
    drawn.append_attribute("edgedefault") = "undirected";
    if (network.first_port != 0) add_data(drawn, "first_port", std::to_string(network.first_port));
    const auto add_node = [&](const std::string& id, const char* kind, const std::string& name, std::uint64_t guid) {
        pugi::xml_node node = drawn.append_child("node");
        node.append_attribute("id") = id.c_str();
        add_data(node, "kind", kind);
        add_data(node, "name", checked_name(name));
        if (guid != 0) add_data(node, "guid", guid_text(guid));
        return node;
    };
    for (std::size_t s = 0; s < network.switches.size(); ++s) {
        const switch_node& one = network.switches[s];
        pugi::xml_node node = add_node("s" + std::to_string(s), "switch", one.name, one.guid);
        add_data(node, "ports", std::to_string(one.ports.size()));
    }
    for (std::size_t h = 0; h < network.hosts.size(); ++h)
        add_node("h" + std::to_string(h), "host", network.hosts[h].name, network.hosts[h].guid);
    const auto add_edge = [&](const std::string& source, const std::string& target) {
        pugi::xml_node edge = drawn.append_child("edge");
        edge.append_attribute("source") = source.c_str();
        edge.append_attribute("target") = target.c_str();
        return edge;
    };
    for (std::size_t h = 0; h < network.hosts.size(); ++h) {
        const host_node& host = network.hosts[h];
        pugi::xml_node edge = add_edge("h" + std::to_string(h), "s" + std::to_string(host.chip));
        add_data(edge, "target_port", std::to_string(host.port + network.first_port));
    }
    for (const link& one : network.links()) {
        pugi::xml_node edge = add_edge("s" + std::to_string(one.a.chip), "s" + std::to_string(one.b.chip));
        add_data(edge, "source_port", std::to_string(one.a.port + network.first_port));
        add_data(edge, "target_port", std::to_string(one.b.port + network.first_port));
    }
    std::ostringstream text;
    document.save(text, "  ", pugi::format_indent, pugi::encoding_utf8);
    return text.str();
}

}  // namespace polycast::hw::topology
