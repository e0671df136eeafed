// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/gtkwave_save.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "tlm/trace/output_file.h"
#include "tlm/trace/surfer_commands.h"

namespace polycast::tlm::trace {

namespace {

/// Trace flags of a GTKWave save file (its analyzer.h).
namespace flag {
constexpr std::uint64_t hexadecimal = 0x2;
constexpr std::uint64_t decimal = 0x4;
constexpr std::uint64_t binary = 0x8;
constexpr std::uint64_t right_justify = 0x20;
constexpr std::uint64_t blank = 0x200;
constexpr std::uint64_t ascii = 0x800;
constexpr std::uint64_t collapsed = 0x1000;
constexpr std::uint64_t file_translated = 0x2000;
constexpr std::uint64_t analog_step = 0x8000;
constexpr std::uint64_t analog_blank_stretch = 0x20000;
constexpr std::uint64_t closed = 0x400000;
constexpr std::uint64_t group_begin = 0x800000;
constexpr std::uint64_t group_end = 0x1000000;
constexpr std::uint64_t enumeration = 0x100000000;
}  // namespace flag

/// Rows that are open at first: more do not fit a screen.
constexpr unsigned open_rows = 24;

/// Cycles that the window shows at first.
constexpr double visible_cycles = 320;

/// And around the event of interest.
constexpr double marked_cycles = 120;

/// The waves get about so many pixels of the window; characters of values are so wide.
constexpr double wave_pixels = 1000, character_pixels = 8;

/// Cycles around a difference: as many as follow it, and fewer where data would be too narrow to be read.
double cycles_around_difference(const wave_layout& layout, const std::vector<save_chip>& chips, double follow) {
    double characters = 2;
    for (const save_chip& chip : chips) {
        if (chip.differed == 0) continue;
        const std::size_t data =
            chip.signals->ports[static_cast<std::size_t>(std::countr_zero(chip.differed))].out.data;
        if (data != absent) characters = std::max(characters, layout.signals[data].bits / 4.0);
    }
    const double readable = wave_pixels / ((characters + 2) * character_pixels);
    return std::clamp(readable, 4.0, 2 * std::clamp(follow, 8.0, 16.0));
}

/// Colours of GTKWave's rainbow.
enum colour : unsigned { normal = 0, red = 1, orange = 2, yellow = 3, green = 4, violet = 7 };

class save_text {
public:
    save_text(const wave_layout& layout, std::vector<std::string> filters, std::string idle)
        : layout_(layout), filters_(std::move(filters)), idle_(std::move(idle)) {}

    void open_group(const std::string& title, bool is_open) {
        line(flag::group_begin | flag::blank | (is_open ? 0 : flag::closed), title);
        surfer_.open_group(title, is_open);
    }
    void close_group(const std::string& title, bool is_open) {
        line(flag::group_end | flag::blank | (is_open ? 0 : flag::closed | flag::collapsed), title);
        surfer_.close_group();
    }
    void comment(const std::string& title) { line(flag::blank, title); }

    /// A signal under a short name; nothing if it is not in the file.
    void row(std::size_t signal, const std::string& alias, colour shade = normal) {
        if (signal == absent) return;
        const wave_signal& source = layout_.signals[signal];
        const bool is_text = source.radix == wave_radix::text;
        const bool translated = is_text || (source.radix == wave_radix::enumeration && !filters_.empty());
        add("@{:x}\n", flags(source) | (translated ? flag::file_translated : 0));
        if (is_text) {
            add("^{} {}\n", filters_.size() + 1, idle_);
        } else if (translated) {
            add("^{} {}\n", source.enumeration + 1, filters_[source.enumeration]);
        }
        if (shade != normal) add("[color] {}\n", static_cast<unsigned>(shade));
        add("+{{{}}} {}\n", alias, source.full_name());
        surfer_.row(source);
    }

    /// A counter drawn as a staircase, twice as high as other rows.
    void staircase(std::size_t signal, const std::string& alias, colour shade) {
        if (signal == absent) return;
        add("@{:x}\n", flag::analog_step | flag::decimal | flag::right_justify);
        add("[color] {}\n+{{{}}} {}\n", static_cast<unsigned>(shade), alias, layout_.signals[signal].full_name());
        add("@{:x}\n-\n", flag::analog_blank_stretch);
        surfer_.row(layout_.signals[signal]);
    }

    template <typename... Arguments>
    void add(fmt::format_string<Arguments...> form, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(text_), form, std::forward<Arguments>(arguments)...);
    }

    const std::string& text() const { return text_; }
    /// The same for Surfer.
    const surfer_commands& surfer() const { return surfer_; }

private:
    std::uint64_t flags(const wave_signal& signal) const {
        switch (signal.radix) {
            case wave_radix::bit:
            case wave_radix::binary: return flag::binary | flag::right_justify;
            case wave_radix::hexadecimal: return flag::hexadecimal | flag::right_justify;
            case wave_radix::decimal: return flag::decimal | flag::right_justify;
            case wave_radix::text: return flag::ascii | flag::right_justify;
            case wave_radix::enumeration:
                return filters_.empty() ? flag::enumeration | flag::binary | flag::right_justify
                                        : flag::hexadecimal | flag::right_justify;
        }
        return flag::binary | flag::right_justify;
    }

    void line(std::uint64_t flag, const std::string& title) { add("@{:x}\n-{}\n", flag, title); }

    const wave_layout& layout_;
    std::vector<std::string> filters_;  ///< [enumeration] file; empty where the wave file has the names itself
    std::string idle_;                  ///< file that makes empty texts blank
    std::string text_;
    surfer_commands surfer_;
};

void write_file(const std::filesystem::path& path, const std::string& text) {
    text_file file(path);
    file.append(text);
    file.commit();
}

/// Writes a translate filter for each enumeration. \returns their names.
std::vector<std::string> write_filters(const std::filesystem::path& wave_file, const wave_layout& layout) {
    std::vector<std::string> names;
    for (std::size_t index = 0; index < layout.enumerations.size(); ++index) {
        const wave_enumeration& source = layout.enumerations[index];
        const auto user = std::find_if(layout.signals.begin(), layout.signals.end(), [&](const wave_signal& signal) {
            return signal.radix == wave_radix::enumeration && signal.enumeration == index;
        });
        const unsigned digits = user == layout.signals.end() ? 1 : (user->bits + 3) / 4;
        std::string text;
        for (const auto& [value, name] : source.values) text += fmt::format("{:0{}x} {}\n", value, digits, name);
        std::filesystem::path path = wave_file;
        path.replace_extension("." + source.name + ".txt");
        write_file(path, text);
        // From the place of the save file, so that all files may be moved together.
        names.push_back("./" + path.filename().string());
    }
    return names;
}

/// Writes a translate filter that shows a blank where a text is empty, as on an idle port: GTKWave would show "".
/// \returns its name.
std::string write_idle_filter(std::filesystem::path wave_file) {
    wave_file.replace_extension(".idle.txt");
    // An ordinary space would leave GTKWave without a translation.
    write_file(wave_file, "\"\" \u00a0\n");
    return "./" + wave_file.filename().string();
}

/// Without dots, behind the last of which GTKWave begins to show a name.
std::string port_title(const save_chip& chip, std::size_t port) {
    std::string title = "port" + std::to_string(port);
    if (port < chip.peers.size() && !chip.peers[port].empty()) title += " (" + chip.peers[port] + ")";
    std::ranges::replace(title, '.', '_');
    return title;
}

/// "port3 (host 12)  what", all as long as the longest of the chip: GTKWave justifies names to the right, which would
/// make columns ragged.
std::string row_title(const save_chip& chip, std::size_t port, const std::string& what) {
    std::size_t longest = 0;
    for (std::size_t other = 0; other < chip.signals->ports.size(); ++other)
        longest = std::max(longest, port_title(chip, other).size());
    return fmt::format("{:<{}} {:<10}", port_title(chip, port), longest, what);
}

/// Names inside a port's group, all of one length.
std::string column(const std::string& name) {
    return fmt::format("{:<20}", name);
}

void write_side(save_text& text, const side_signals& side, const std::string& name, colour shade) {
    text.row(side.label, column(name + " packet"), shade);
    text.row(side.kind, column(name + " kind"), shade);
    text.row(side.source, column(name + " source"), shade);
    text.row(side.sequence, column(name + " sequence"), shade);
    text.row(side.destination, column(name + " destination"), shade);
    text.row(side.destinations, column(name + " destinations"), shade);
    text.row(side.stops, column(name + " stops"), shade);
    text.row(side.next_stop, column(name + " next stop"), shade);
    text.row(side.stop_switch, column(name + " stop's switch"), shade);
    text.row(side.stop_ports, column(name + " stop's ports"), shade);
    text.row(side.length, column(name + " length"), shade);
    text.row(side.up, column(name + " up"), shade);
    text.row(side.valid, column(name + " valid"), shade);
    text.row(side.head, column(name + " head"), shade);
    text.row(side.tail, column(name + " tail"), shade);
    text.row(side.data, column(name + " data"), shade);
    text.row(side.header, column(name + " header"), shade);
    text.row(side.vc, column(name + " vc"), shade);
    text.row(side.credit, column(name + " credit"), shade);
    text.row(side.credit_vc, column(name + " credit vc"), shade);
    text.row(side.have, column(name + " side have"), shade);
    text.row(side.round, column(name + " side round"), shade);
}

/// "vc2 " before names of a virtual channel's state.
std::string channel_prefix(const port_signals& port, std::size_t channel) {
    return port.channels.size() == 1 ? "" : fmt::format("vc{} ", channel);
}

void write_port(save_text& text, const save_chip& chip, std::size_t port) {
    const port_signals& signals = chip.signals->ports[port];
    const std::string title = chip.title + " " + port_title(chip, port);
    text.open_group(title, false);
    write_side(text, signals.in, "in", green);
    for (std::size_t number = 0; number < signals.channels.size(); ++number) {
        const channel_signals& channel = signals.channels[number];
        const std::string prefix = channel_prefix(signals, number);
        text.row(channel.state, column(prefix + "buffer state"), orange);
        text.staircase(channel.occupied, column(prefix + "buffer chunks"), orange);
        text.row(channel.waiting, column(prefix + "waiting for outputs"), orange);
        text.row(channel.reading, column(prefix + "reading by outputs"), orange);
        text.row(channel.held, column(prefix + "output held"), violet);
        text.row(channel.holder, column(prefix + "output holder"), violet);
        text.row(channel.credits, column(prefix + "output credits"), violet);
    }
    write_side(text, signals.out, "out", yellow);
    text.row(signals.error, column("errors"), red);
    text.row(signals.error_name, column("error"), red);
    text.close_group(title, false);
}

/// The packets on the ports in use: what people usually look at first.
void write_packets(save_text& text, const save_chip& chip, bool is_open) {
    const std::vector<port_signals>& ports = chip.signals->ports;
    if (ports.empty() || ports[0].in.label == absent) return;
    unsigned rows = 0;
    text.open_group(chip.title + " packets", is_open);
    for (std::size_t port = 0; port < ports.size(); ++port) {
        if ((chip.seen_in >> port & 1) == 0) continue;
        text.row(ports[port].in.label, row_title(chip, port, "in"), green);
        ++rows;
    }
    for (std::size_t port = 0; port < ports.size(); ++port) {
        if ((chip.seen_out >> port & 1) == 0) continue;
        text.row(ports[port].out.label, row_title(chip, port, "out"), yellow);
        ++rows;
    }
    if (rows == 0) text.comment("no traffic");
    text.close_group(chip.title + " packets", is_open);
}

void write_interface(save_text& text, const interface_signals& signals, const std::string& title, bool is_open) {
    if (signals.processor == absent) return;
    text.open_group(title, is_open);
    text.row(signals.processor, column("processor"), orange);
    text.row(signals.operation, column("last operation"), orange);
    text.row(signals.function, column("function"), green);
    text.row(signals.pc, column("pc"), green);
    text.row(signals.interrupt, column("interrupt"), red);
    text.staircase(signals.events, column("events"), orange);
    text.staircase(signals.slots, column("packets in memory"), yellow);
    text.staircase(signals.transfers, column("host transfers"), yellow);
    text.staircase(signals.sending, column("packets to send"), violet);
    text.close_group(title, is_open);
}

void write_wire(save_text& text, const wire_signals& signals, const std::string& name, colour shade) {
    text.row(signals.label, column(name), shade);
    text.row(signals.kind, column(name + " symbol"), shade);
    text.row(signals.signal, column(name + " signal"), shade);
    text.row(signals.fault, column(name + " fault"), red);
}

/// An end of a cable: what its wire carries, its states, its credits.
void write_end(save_text& text, const save_chip& chip, std::size_t number, bool is_open) {
    const link_end_signals& end = chip.signals->ends[number];
    std::string title = chip.title + " end" + std::to_string(number);
    if (number < chip.peers.size()) title += " (" + chip.peers[number] + ")";
    std::ranges::replace(title, '.', '_');
    text.open_group(title, is_open);
    write_wire(text, end.in, "in", green);
    write_wire(text, end.out, "out", yellow);
    text.row(end.rx, column("rx"), orange);
    text.row(end.expected, column("expected"), orange);
    text.row(end.bad, column("bad frames"), red);
    text.row(end.tx, column("tx"), orange);
    text.row(end.next, column("next"), orange);
    text.row(end.outstanding, column("outstanding"), orange);
    text.row(end.ring, column("flits in the ring"), orange);
    text.row(end.timer, column("replay timer"), orange);
    text.row(end.replays, column("replay count"), orange);
    text.row(end.cause, column("down by"), red);
    text.open_group(title + " credits", false);
    for (std::size_t vc = 0; vc < end.channels.size(); ++vc) {
        const std::string prefix = end.channels.size() == 1 ? "" : fmt::format("vc{} ", vc);
        text.row(end.channels[vc].s_cc, column(prefix + "S_CC"), violet);
        text.row(end.channels[vc].s_cf, column(prefix + "S_CF"), violet);
        text.row(end.channels[vc].r_cc, column(prefix + "R_CC"), violet);
        text.row(end.channels[vc].r_cf, column(prefix + "R_CF"), violet);
    }
    text.close_group(title + " credits", false);
    text.close_group(title, is_open);
}

/// Rows of an end that are seen where its group is open.
constexpr unsigned end_rows = 17;

/// Every output pin of some ports, the chip's own above that of the reference.
void write_pairs(save_text& text, const save_chip& chip, std::uint64_t ports) {
    for (std::size_t number = 0; number < chip.signals->ports.size(); ++number) {
        if ((ports >> number & 1) == 0) continue;
        const port_signals& port = chip.signals->ports[number];
        const auto pair = [&](std::size_t own, std::size_t core, const char* pin) {
            const std::string name = fmt::format("port{} {}", number, pin);
            text.row(own, column(name), yellow);
            text.row(core, column(name + " core"), orange);
        };
        text.row(port.out.label, column(fmt::format("port{} packet", number)), yellow);
        pair(port.out.valid, port.core.valid, "valid");
        pair(port.out.head, port.core.head, "head");
        pair(port.out.tail, port.core.tail, "tail");
        pair(port.out.data, port.core.data, "data");
        pair(port.out.header, port.core.header, "header");
        pair(port.out.vc, port.core.vc, "vc");
        pair(port.out.credit, port.core.credit, "credit");
        pair(port.out.credit_vc, port.core.credit_vc, "credit vc");
        if ((chip.errors >> number & 1) != 0) pair(port.error, port.core_error, "errors");
    }
}

/// Ports that differ first; those that only follow are closed.
void write_differences(save_text& text, const save_chip& chip) {
    if (chip.signals->differs == absent) return;
    const std::string title = chip.title + " beside the core";
    const bool is_open = chip.differed != 0;
    text.open_group(title, is_open);
    text.row(chip.signals->differs, column("ports that differ"), red);
    write_pairs(text, chip, is_open ? chip.differed : chip.seen_out);
    text.close_group(title, is_open);
    if (chip.followed == 0) return;
    text.open_group(title + " later", false);
    write_pairs(text, chip, chip.followed);
    text.close_group(title + " later", false);
}

void write_chip(save_text& text, const save_chip& chip, bool is_open) {
    const std::vector<port_signals>& ports = chip.signals->ports;
    const bool state = !ports.empty() && !ports[0].channels.empty();
    const std::uint64_t seen = chip.seen_in | chip.seen_out;
    for (std::size_t number = 0; number < chip.signals->ends.size(); ++number) write_end(text, chip, number, is_open);
    write_packets(text, chip, is_open && chip.signals->ends.empty());
    for (std::size_t number = 0; number < chip.signals->interfaces.size(); ++number)
        write_interface(text, chip.signals->interfaces[number], chip.title + " ni" + std::to_string(number), is_open);
    if (state && chip.signals->interfaces.empty() && chip.signals->ends.empty()) {
        text.open_group(chip.title + " buffers", false);
        for (std::size_t port = 0; port < ports.size(); ++port) {
            if ((seen >> port & 1) == 0) continue;
            for (std::size_t number = 0; number < ports[port].channels.size(); ++number) {
                const std::string prefix = channel_prefix(ports[port], number);
                text.row(ports[port].channels[number].state, row_title(chip, port, prefix + "state"), orange);
                text.staircase(ports[port].channels[number].occupied, row_title(chip, port, prefix + "chunks"), orange);
            }
        }
        text.close_group(chip.title + " buffers", false);
        text.open_group(chip.title + " credits", false);
        for (std::size_t port = 0; port < ports.size(); ++port) {
            if ((seen >> port & 1) == 0) continue;
            for (std::size_t number = 0; number < ports[port].channels.size(); ++number) {
                const channel_signals& channel = ports[port].channels[number];
                const std::string prefix = channel_prefix(ports[port], number);
                text.row(channel.held, row_title(chip, port, prefix + "held"), violet);
                text.row(channel.holder, row_title(chip, port, prefix + "holder"), violet);
                text.staircase(channel.credits, row_title(chip, port, prefix + "credits"), violet);
            }
            text.row(ports[port].in.credit, row_title(chip, port, "credit in"), violet);
            text.row(ports[port].out.credit, row_title(chip, port, "credit out"), violet);
        }
        text.close_group(chip.title + " credits", false);
    }
    text.open_group(chip.title + " ports", false);
    for (std::size_t port = 0; port < ports.size(); ++port) write_port(text, chip, port);
    text.close_group(chip.title + " ports", false);
}

}  // namespace

std::filesystem::path write_gtkwave_save(const trace_config& config, const network_signals& network,
                                         const std::vector<save_chip>& chips, const save_view& view) {
    std::filesystem::path path = config.file;
    path.replace_extension(".gtkw");
    save_text text(
        network.layout,
        config.format == wave_format::vcd ? write_filters(config.file, network.layout) : std::vector<std::string>{},
        write_idle_filter(config.file));

    using hw::engine::cycle;
    const cycle from = view.mark ? view.begin : view.first;
    const double recorded = std::max(static_cast<double>(view.end - std::min(from, view.end)), 16.0);
    const double cycles =
        view.differs ? cycles_around_difference(network.layout, chips, static_cast<double>(view.end - *view.mark))
                     : std::min(recorded, view.mark ? marked_cycles : visible_cycles);
    // GTKWave shows 2^-zoom time units in 200 pixels.
    const double zoom = -std::log2(cycles * 200 / wave_pixels * static_cast<double>(network.units_per_cycle));
    // Of an event most of what is seen lies before. A view that goes beyond the end would begin at the beginning.
    const auto lead = static_cast<cycle>(view.differs ? cycles / 2 : view.mark ? cycles * 2 / 3 : cycles / 32);
    const cycle marked = view.mark.value_or(view.first);
    const auto shown = std::min(static_cast<cycle>(cycles), view.end);
    const cycle start = std::max(std::min(marked - std::min(marked, lead), view.end - shown), view.begin);
    text.add("[*]\n[*] polycast waves: {}\n[*]\n", network.name);
    // GTKWave finds the one from where the other is, so that both may be moved together.
    text.add("[dumpfile] \"./{}\"\n[savefile] \"./{}\"\n", config.file.filename().string(), path.filename().string());
    text.add("[timestart] {}\n[size] 1600 900\n[pos] -1 -1\n", start * network.units_per_cycle);
    text.add("*{:.6f} {}\n", zoom, marked * network.units_per_cycle);
    text.add("[treeopen] {}.\n[sst_width] 200\n[signals_width] 330\n[sst_expanded] 1\n[sst_vpaned_height] 400\n",
             network.name);

    text.row(network.clk, "clk");
    text.row(network.cycle, "cycle");
    for (const save_chip& chip : chips) write_differences(text, chip);
    unsigned rows = 0;
    const auto place = [](const save_chip& chip) { return chip.differed != 0 ? 0 : chip.spoilt ? 1 : 2; };
    for (const int turn : {0, 1, 2}) {
        for (const save_chip& chip : chips) {
            if (place(chip) != turn) continue;
            const auto ports = static_cast<unsigned>(std::popcount(chip.seen_in) + std::popcount(chip.seen_out));
            const unsigned active = ports == 0 && !chip.spoilt ? 0
                                    : chip.signals->ends.empty()
                                        ? ports
                                        : end_rows * static_cast<unsigned>(chip.signals->ends.size());
            const bool is_open = active != 0 && (rows == 0 || rows + active <= open_rows);
            if (is_open) rows += active;
            write_chip(text, chip, is_open);
        }
    }
    write_file(path, text.text());
    std::filesystem::path commands = path;
    write_file(commands.replace_extension(".sucl"), text.surfer().text(marked * network.units_per_cycle));
    return path;
}

}  // namespace polycast::tlm::trace
