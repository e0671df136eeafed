// SPDX-License-Identifier: Apache-2.0
/// \file FST through the writer library that comes with Verilator (libfstwriter, MIT licence).
#pragma once

#include <filesystem>
#include <memory>

#include "tlm/trace/wave_writer.h"

namespace polycast::tlm::trace {

/// Enumerations are written as tables, so that viewers print names. The file carries no date: equal runs give equal
/// files. Value changes are kept in memory and packed into the file every few million.
class fst_writer final : public wave_writer {
public:
    fst_writer(const std::filesystem::path& file, const wave_layout& layout);
    ~fst_writer() override;

    void set_time(std::uint64_t time) override;
    void change(std::size_t signal, std::span<const std::uint64_t> value) override;
    void close() override;

private:
    struct library;  // keeps the library's headers out of everybody else's
    std::unique_ptr<library> library_;
};

}  // namespace polycast::tlm::trace
