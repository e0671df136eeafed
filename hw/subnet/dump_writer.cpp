// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/dump_writer.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string>
#include <utility>

#include "hw/subnet/line_reader.h"

namespace polycast::hw::subnet {
namespace {

using topology::port_end;

/// Collects a text and hands it out in large pieces.
class output {
public:
    explicit output(const text_taker& take) : take_(take) {}
    ~output() = default;
    output(const output&) = delete;
    output& operator=(const output&) = delete;

    template <typename... values>
    void print(const char* form, values... what) {
        std::array<char, 256> line{};
        const int size = std::snprintf(line.data(), line.size(), form, what...);
        text_.append(line.data(), static_cast<std::size_t>(size));
    }
    void add(std::string_view text) { text_ += text; }
    void end_line() {
        text_ += '\n';
        if (text_.size() > limit) finish();
    }
    void finish() {
        take_(text_);
        text_.clear();
    }

private:
    static constexpr std::size_t limit = std::size_t{1} << 18;
    const text_taker& take_;
    std::string text_;
};

unsigned long long long_of(std::uint64_t value) {
    return value;
}

std::uint64_t port_guid_of(const lid_owner& port) {
    return port.port_guid != 0 ? port.port_guid : port.node_guid;
}

/// Port 0 of the owner of each base LID, or the host, with its name.
struct named_port {
    const lid_owner* port;
    const std::string* name;
    bool is_switch;
};

std::vector<named_port> ports_by_lid(const fabric& of) {
    std::vector<named_port> found;
    for (std::size_t s = 0; s < of.switches.size(); ++s)
        found.push_back({&of.switches[s].self, &of.network.switches[s].name, true});
    for (std::size_t h = 0; h < of.hosts.size(); ++h)
        found.push_back({&of.hosts[h].self, &of.network.hosts[h].name, false});
    std::sort(found.begin(), found.end(),
              [](const named_port& a, const named_port& b) { return a.port->lid < b.port->lid; });
    return found;
}

void refuse_line_breaks(const fabric& of) {
    const auto check = [](const std::string& name) {
        if (name.find('\n') != std::string::npos)
            throw input_error("dumps of InfiniBand cannot hold the name '" + name + "'", "take the line break away");
    };
    for (const topology::switch_node& one : of.network.switches) check(one.name);
    for (const topology::host_node& one : of.network.hosts) check(one.name);
}

/// The last LID that any row has.
unsigned top_lid(const fabric& of) {
    unsigned top = 0;
    for (const named_port& one : ports_by_lid(of)) top = std::max(top, one.port->lid + (1u << one.port->lmc) - 1);
    return top;
}

}  // namespace

void write_subnet_list(const fabric& of, const text_taker& take) {
    refuse_line_breaks(of);
    output out(take);
    const auto switch_end = [&](std::uint32_t s, unsigned port) {
        const lid_owner& self = of.switches[s].self;
        out.print("{ SW Ports:%02X SystemGUID:%016llx NodeGUID:%016llx PortGUID:%016llx",
                  static_cast<unsigned>(of.network.switches[s].ports.size()), long_of(self.node_guid),
                  long_of(self.node_guid), long_of(port_guid_of(self)));
        out.add(" VenID:000000 DevID:0000 Rev:00000000 {" + of.network.switches[s].name + "}");
        out.print(" LID:%04X PN:%02X }", self.lid, port + 1);
    };
    const auto host_end = [&](std::uint32_t h) {
        const lid_owner& self = of.hosts[h].self;
        out.print("{ CA Ports:%02X SystemGUID:%016llx NodeGUID:%016llx PortGUID:%016llx", of.hosts[h].adapter_port,
                  long_of(self.node_guid), long_of(self.node_guid), long_of(port_guid_of(self)));
        out.add(" VenID:000000 DevID:0000 Rev:00000000 {" + of.network.hosts[h].name + "}");
        out.print(" LID:%04X PN:%02X }", self.lid, of.hosts[h].adapter_port);
    };
    const auto end_line = [&] {
        out.add(" PHY=4x LOG=ACT SPD=2.5");
        out.end_line();
    };
    for (std::uint32_t s = 0; s < of.switches.size(); ++s)
        for (unsigned p = 0; p < of.network.switches[s].ports.size(); ++p) {
            const port_end& end = of.network.switches[s].ports[p];
            if (end.kind == port_end::leads_to::nowhere) continue;
            switch_end(s, p);
            out.add(" ");
            if (end.kind == port_end::leads_to::chip) {
                switch_end(end.index, end.port);
                end_line();
                continue;
            }
            host_end(end.index);
            end_line();
            host_end(end.index);
            out.add(" ");
            switch_end(s, p);
            end_line();
        }
    out.finish();
}

void write_fdbs(const fabric& of, const text_taker& take) {
    output out(take);
    const unsigned top = top_lid(of);
    for (const switch_state& one : of.switches) {
        if (!one.has_table()) continue;
        out.print("dump_ucast_routes: Switch 0x%016llx\nLID    : Port : Hops : Optimal\n", long_of(one.self.node_guid));
        for (unsigned lid = 1; lid <= top; ++lid) {
            const std::uint8_t port = one.port_for(lid);
            if (port == no_row) continue;
            out.print("0x%04X : ", lid);
            if (port == no_path)
                out.add("UNREACHABLE");
            else if (one.hops[lid] == not_told)
                out.print("%03u  : HOPS UNKNOWN", port);
            else
                out.print("%03u  : %02u   : yes", port, one.hops[lid]);
            out.end_line();
        }
        out.end_line();
    }
    out.finish();
}

void write_lfts(const fabric& of, const text_taker& take) {
    refuse_line_breaks(of);
    output out(take);
    const std::vector<named_port> ports = ports_by_lid(of);
    const unsigned top = top_lid(of);
    for (std::size_t s = 0; s < of.switches.size(); ++s) {
        const switch_state& one = of.switches[s];
        if (!one.has_table()) continue;
        out.print("Unicast lids [0-%u] of switch Lid %u guid 0x%016llx (", top, one.self.lid,
                  long_of(one.self.node_guid));
        out.add("'" + of.network.switches[s].name + "'):");
        out.end_line();
        for (const named_port& owner : ports)
            for (unsigned lid = owner.port->lid; lid != 0 && lid < owner.port->lid + (1u << owner.port->lmc); ++lid) {
                const std::uint8_t port = one.port_for(lid);
                if (port >= no_row) continue;
                out.print("0x%04x %03u # %s portguid 0x%016llx: '", lid, port,
                          owner.is_switch ? "Switch" : "Channel Adapter", long_of(port_guid_of(*owner.port)));
                out.add(*owner.name + "'");
                out.end_line();
            }
        out.print("%u lids dumped", top);
        out.end_line();
    }
    out.finish();
}

void write_mcfdbs(const fabric& of, const text_taker& take) {
    output out(take);
    for (const switch_state& one : of.switches) {
        if (one.multicast.empty()) continue;
        out.print("\nSwitch 0x%016llx\nLID    : Out Port(s)\n", long_of(one.self.node_guid));
        for (const auto& [mlid, row] : one.multicast) {
            out.print("0x%04X : ", mlid);
            if (row.self) out.add("0x000  ");
            for (unsigned p = 0; p < topology::max_switch_ports; ++p)
                if ((row.ports >> p & 1) != 0) out.print("0x%03X  ", p + 1);
            out.end_line();
        }
    }
    out.finish();
}

void write_mfts(const fabric& of, const text_taker& take) {
    refuse_line_breaks(of);
    output out(take);
    for (std::size_t s = 0; s < of.switches.size(); ++s) {
        const switch_state& one = of.switches[s];
        const std::size_t ports = of.network.switches[s].ports.size();
        out.print("Multicast mlids [0xc000-0xfffe] of switch Lid %u guid 0x%016llx (", one.self.lid,
                  long_of(one.self.node_guid));
        out.add(of.network.switches[s].name + "):");
        out.end_line();
        if (ports >= 10) {
            out.add("            ");
            for (unsigned p = 0; p <= ports; ++p) out.print("%c ", p < 10 ? ' ' : '0' + static_cast<int>(p / 10));
            out.end_line();
        }
        out.add("     Ports: ");
        for (unsigned p = 0; p <= ports; ++p) out.print("%u ", p % 10);
        out.end_line();
        out.add(" MLid");
        out.end_line();
        for (const auto& [mlid, row] : one.multicast) {
            out.print("0x%04x      ", mlid);
            for (unsigned p = 0; p <= ports; ++p)
                out.add((p == 0 ? row.self : (row.ports >> (p - 1) & 1) != 0) ? "x " : "  ");
            out.end_line();
        }
        out.print("%u valid mlids dumped ", static_cast<unsigned>(one.multicast.size()));
        out.end_line();
    }
    out.finish();
}

void write_psl(const fabric& of, const text_taker& take) {
    output out(take);
    std::set<std::uint64_t> written;
    const auto write = [&](const lid_owner& port, const lid_bytes& table) {
        if (!written.insert(port.node_guid).second) return;
        for (unsigned lid = 1; lid < table.end() && lid <= max_lid; ++lid)
            if (table[lid] != not_told) {
                out.print("0x%llx %u %u", long_of(port.node_guid), lid, table[lid]);
                out.end_line();
            }
    };
    for (const host_state& one : of.hosts) write(one.self, one.path_sl);
    for (const switch_state& one : of.switches) write(one.self, one.path_sl);
    out.finish();
}

void write_lanes(const fabric& of, const text_taker& take) {
    output out(take);
    const auto begin = [&](const char* kind, std::uint64_t guid, unsigned lid, const std::string& name) {
        out.print("%s 0x%016llx, base LID %u, \"", kind, long_of(guid), lid);
        out.add(name + "\"\n#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n#");
        out.add(std::string(56, '-'));
        out.end_line();
    };
    const auto row = [&](unsigned in, unsigned to, lane_row lanes) {
        out.print("%-4u%-4u: ", in, to);
        for (unsigned sl = 0; sl < 16; ++sl) out.print("%-3u", static_cast<unsigned>(lanes >> (4 * sl) & 15));
        out.end_line();
    };
    const auto end = [&] {
        out.add("#" + std::string(56, '-') + "\n");
        out.end_line();
    };
    for (std::size_t s = 0; s < of.switches.size(); ++s) {
        const switch_state& one = of.switches[s];
        if (one.lanes.empty()) continue;
        begin("Switch", one.self.node_guid, one.self.lid, of.network.switches[s].name);
        const auto ports = static_cast<unsigned>(of.network.switches[s].ports.size());
        for (unsigned to = 0; to <= ports; ++to)
            for (unsigned in = 0; in <= ports; ++in)
                if (const auto lanes = one.lanes.find(in, to)) row(in, to, *lanes);
        end();
    }
    for (std::size_t h = 0; h < of.hosts.size(); ++h) {
        const host_state& one = of.hosts[h];
        if (!one.lanes) continue;
        begin("Channel Adapter", port_guid_of(one.self), one.self.lid, of.network.hosts[h].name);
        row(0, 0, *one.lanes);
        end();
    }
    out.finish();
}

}  // namespace polycast::hw::subnet
