// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/topology_file.h"

#include <algorithm>

#include "hw/input_error.h"
#include "hw/topology/edge_list.h"
#include "hw/topology/graphml.h"
#include "hw/topology/infiniband.h"
#include "hw/topology/infiniband_text.h"
#include "hw/topology/nearest_name.h"
#include "hw/topology/text_file.h"

namespace polycast::hw::topology {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool starts_with_word(std::string_view line, std::string_view word) {
    return line.starts_with(word) && line.size() > word.size() &&
           (line[word.size()] == ' ' || line[word.size()] == '\t');
}

/// Begins with `word`, perhaps a name, and `bracket`, as DOT ("digraph net {") and GML ("graph [") do.
bool begins_graph(std::string_view text, std::string_view word, char bracket) {
    if (!text.starts_with(word)) return false;
    const std::size_t at = text.find_first_of("[{\n", word.size());
    const std::size_t next =
        at == std::string_view::npos || text[at] != '\n' ? at : text.find_first_not_of(" \t\r\n", at);
    return next != std::string_view::npos && text[next] == bracket;
}

/// Files that people have of networks, and that nothing here reads: which they are, and what converts them.
void refuse_other_formats(const std::string& name, std::string_view text) {
    const auto refuse = [&name](const std::string& what, const std::string& reader) {
        throw input_error(name, {}, "is " + what + ", which is not read here",
                          reader.starts_with("unpack")
                              ? reader
                              : "convert it with NetworkX: networkx.write_graphml(" + reader + ", 'network.graphml')");
    };
    if (text.starts_with("\x1f\x8b")) refuse("compressed by gzip", "unpack it with gunzip");
    if (text.starts_with("PK\x03\x04")) refuse("a zip archive", "unpack it with unzip");
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
    const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    if (text.starts_with('{') || text.starts_with('['))
        refuse("JSON", "networkx.node_link_graph(json.load(open('network.json')))");
    for (const std::string_view word : {"graph", "digraph", "strict graph", "strict digraph"})
        if (begins_graph(text, word, '{')) refuse("DOT of Graphviz", "networkx.nx_pydot.read_dot('network.dot')");
    if (begins_graph(text, "graph", '[') || text.starts_with("Creator "))
        refuse("GML", "networkx.read_gml('network.gml')");
    if (line.find(',') != std::string_view::npos && line.find_first_of("\"# \t") == std::string_view::npos)
        refuse("CSV", "networkx.read_edgelist('network.csv', delimiter=',')");
}

}  // namespace

file_format detect_format(std::string_view text) {
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
        line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t\r")));
        if (line.starts_with('<')) return file_format::graphml;
        if (line.starts_with("# Topology file:")) return file_format::ibnetdiscover;
        // ibnetdiscover prints these before the first record; a net file has them only when it was made from a
        // print-out.
        for (const std::string_view word : {"vendid=", "sysimgguid=", "Chassis "})
            if (line.starts_with(word)) return file_format::ibnetdiscover;
        for (const std::string_view word :
             {"switchguid", "caguid", "hcaguids", "rtguid", "devid=", "width=", "speed=", "module="})
            if (line.starts_with(word)) return file_format::ibsim;
        for (const std::string_view word : {"Switch", "Ca", "Hca", "Rt"})
            if (starts_with_word(line, word)) {
                const std::size_t quote = std::min(line.find('"'), line.size() - 1) + 1;
                return guid_of(line.substr(quote, 18)) ? file_format::ibnetdiscover : file_format::ibsim;
            }
        if (!line.empty() && !line.starts_with('#')) return file_format::edge_list;
    }
    return file_format::edge_list;
}

graph read_topology(const std::string& path, std::optional<file_format> format, const warning& warn) {
    return read_topology_text(path, read_text_file(path, "topology file"), format, warn);
}

graph read_topology_text(const std::string& name, std::string_view text, std::optional<file_format> format,
                         const warning& warn) {
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    if (!format) refuse_other_formats(name, text);
    switch (format.value_or(detect_format(text))) {
        case file_format::graphml: return read_graphml(name, text, warn);
        case file_format::edge_list: return read_edge_list(name, text);
        case file_format::ibnetdiscover: return read_ibnetdiscover(name, text);
        case file_format::ibsim: return read_ibsim(name, text);
    }
    throw input_error(name, {}, "unknown topology format");
}

std::string write_topology_text(const graph& network, file_format format) {
    switch (format) {
        case file_format::graphml: return write_graphml(network);
        case file_format::edge_list: return write_edge_list(network);
        case file_format::ibnetdiscover: return write_ibnetdiscover(network);
        case file_format::ibsim: return write_ibsim(network);
    }
    throw input_error("unknown topology format");
}

}  // namespace polycast::hw::topology
