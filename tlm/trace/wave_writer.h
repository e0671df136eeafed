// SPDX-License-Identifier: Apache-2.0
/// \file Where value changes go: a file of some format, or the memory of the last cycles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "hw/names.h"
#include "tlm/trace/wave_layout.h"

namespace polycast::tlm::trace {

enum class wave_format : std::uint8_t { fst, vcd };

inline constexpr hw::named<wave_format> wave_formats[] = {{wave_format::fst, "fst", "GTKWave's compressed format"},
                                                          {wave_format::vcd, "vcd", "text that every viewer reads"}};

/// Takes value changes in order of time.
/// After construction every signal is undefined: write all of them at the first time. A writer that is destroyed before
/// close() leaves no file. Every call may throw hw::input_error when the file cannot be written (a full disk).
class wave_writer {
public:
    virtual ~wave_writer() = default;

    /// The changes that follow happen at `time` (unit: the layout's timescale), which never falls.
    virtual void set_time(std::uint64_t time) = 0;

    /// A new value of a signal, lowest word first, wave_signal::words() of them; bits above the signal's are zero.
    virtual void change(std::size_t signal, std::span<const std::uint64_t> value) = 0;

    /// Completes the file. The last set_time() is the end of the recording.
    virtual void close() = 0;
};

/// Opens `file` for writing under a temporary name; close() gives it its own, so that a file of that name is complete.
/// \throws hw::input_error when it cannot be created.
std::unique_ptr<wave_writer> open_wave_writer(wave_format format, const std::filesystem::path& file,
                                              const wave_layout& layout);

}  // namespace polycast::tlm::trace
