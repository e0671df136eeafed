// SPDX-License-Identifier: Apache-2.0
/// \file Records pins and state of chips while a network is stepped.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/engine/network.h"
#include "tlm/trace/chip_signals.h"
#include "tlm/trace/packet_tracker.h"
#include "tlm/trace/trace_config.h"
#include "tlm/trace/wave_history.h"
#include "tlm/trace/wave_writer.h"

namespace polycast::tlm::trace {

/// The result of a recording.
struct recording {
    bool written = false;  ///< false when the run ended before the window began: there are no files
    std::filesystem::path wave_file;
    std::filesystem::path save_file;  ///< open both with `gtkwave wave_file save_file`
    hw::engine::cycle from = 0;       ///< first cycle in the file
    hw::engine::cycle to = 0;         ///< first cycle that is not
    std::uint64_t signals = 0;
    std::uint64_t changes = 0;                 ///< value changes in the file
    std::optional<hw::engine::cycle> trigger;  ///< cycle of the event around which was recorded
};

/// Samples chips through their common interface, so that core, SystemC module and Verilated RTL give the same file.
///
/// The code that steps the network (hw::engine::network::observe(), or your own process) calls stepped() after each
/// step of a chip. It need not call it for a chip that was not stepped: such a chip had quiet pins and keeps its
/// state. Times: input pins of step(t) in cycle t, output pins and state after step(t) in cycle t + 1.
///
/// Cost while the window is closed: after it nothing, before it reading headers and probing the chosen chips.
class wave_recorder final : public hw::engine::observer, private signal_values {
public:
    /// Opens the file. The chips are configured and reset, and have not been stepped yet.
    /// \param network name of the top scope \param headers of the network's packets
    /// \throws hw::input_error for a chip that does not exist, an empty window, or a file that cannot be written.
    wave_recorder(trace_config config, const std::string& network, const hw::format::header_shape& headers,
                  const std::vector<traced_chip>& chips);
    ~wave_recorder() override;
    wave_recorder(const wave_recorder&) = delete;
    wave_recorder& operator=(const wave_recorder&) = delete;

    /// True when chip `id` (its place in the constructor's list) was chosen: stepped() ignores the others.
    bool wants(hw::engine::chip_id id) const { return id < slots_.size() && slots_[id] != absent; }

    /// After step(now, in, out) of chip `id`. `now` never falls from one call to the next; the chips of one cycle come
    /// in any order, one call each. Never throws: a write error stops the recording, and finish() throws it.
    void stepped(hw::engine::chip_id id, hw::engine::cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                 const hw::engine::chip& chip) noexcept override;

    /// With trace_config::trigger: the event is in cycle `when`, which has not been recorded yet.
    void trigger(hw::engine::cycle when);

    /// True after a write error; the run may go on, but without waves.
    bool failed() const { return error_ != nullptr; }

    /// Completes the files. `end` is the first cycle that did not happen. Without this call no file is left behind.
    /// \throws hw::input_error when the files could not be written (a full disk).
    recording finish(hw::engine::cycle end);

private:
    struct side {
        hw::engine::pins shown;               ///< masks only: what is on the wires in the cycle being recorded
        std::vector<packet_tracker> packets;  ///< [port and virtual channel]
        std::vector<std::uint8_t> channel;    ///< [port] virtual channel of the last flit
        std::vector<hw::engine::cycle> seen;  ///< [port] last flit inside the window; `never`: none
    };
    struct slot {
        const hw::engine::chip* chip;
        const chip_signals* signals;
        hw::engine::pins quiet;
        hw::engine::pins next_out;   ///< pins of the next cycle, where `stepped` is this cycle
        hw::engine::pins next_core;  ///< and of the reference, if there is one
        hw::engine::chip_probe next_probe;
        hw::engine::cycle stepped = hw::engine::never;
        bool lit = false;  ///< in `lit_`
        side in, out, core;
        std::vector<link_end_view> ends;
        std::uint64_t differs = 0;  ///< ports that differ from the reference now
        // Inside the window.
        std::uint64_t first_differed = 0;  ///< in the first cycle in which any did
        std::uint64_t ever_differed = 0;
        std::uint64_t ever_error = 0;  ///< of the chip or the reference
    };
    enum class stage : std::uint8_t { before, inside, after };

    void enter(hw::engine::cycle now);
    void advance(hw::engine::cycle now);
    void leave_cycle();
    static bool lights(const slot& chip);
    void open_window();
    void tick();
    void show_pins(slot& chip, side& which, const side_signals port_signals::*signals, const hw::engine::pins& pins);
    void show_sides(const slot& chip, const side_signals port_signals::*signals, const hw::engine::pins& pins);
    static bool turn_to_channel(side& which, unsigned port, unsigned vc);
    void show_packet(const side_signals& signals, const packet_tracker& packet);
    void show_state(slot& chip);
    void show_interface(const slot& chip, const interface_signals& signals,
                        const hw::engine::chip_probe::interface& state);
    void set_text(std::size_t signal, std::string_view text) override;
    void show_reference(slot& chip, const hw::engine::pins& out, const hw::engine::pins& core);
    std::uint64_t write_history(recording& result);
    std::optional<hw::engine::cycle> mark(const recording& result) const;
    void show_errors(slot& chip, const hw::engine::pins& pins);
    static void track(side& which, const hw::engine::pins& pins, const hw::engine::pin_shape& shape);
    void set(std::size_t signal, std::uint64_t value) override;
    void set_bytes(std::size_t signal, std::span<const std::uint8_t> bytes);
    void write(std::size_t signal);

    trace_config config_;
    network_signals signals_;
    std::vector<std::size_t> slots_;  ///< [chip index] place in chips_, or `absent`
    std::vector<slot> chips_;
    std::vector<traced_chip> sources_;  ///< of chips_, for the save file
    std::unique_ptr<wave_writer> writer_;
    wave_history* history_ = nullptr;  ///< writer_, where only the last cycles are kept

    std::optional<hw::engine::cycle> triggered_;
    std::optional<hw::engine::cycle> first_difference_;
    stage stage_ = stage::before;
    bool open_ = false;           ///< all signals have been written once
    hw::engine::cycle time_ = 0;  ///< the cycle being recorded
    hw::engine::cycle written_time_ = hw::engine::never;
    hw::engine::cycle first_flit_ = hw::engine::never;
    std::vector<slot*> lit_;             ///< chips whose pins or state may change without being stepped
    std::vector<std::size_t> offsets_;   ///< [signal] first word in values_
    std::vector<std::uint64_t> values_;  ///< of all signals, in the cycle being recorded
    std::uint64_t changes_ = 0;
    std::exception_ptr error_;
};

}  // namespace polycast::tlm::trace
