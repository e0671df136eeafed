// SPDX-License-Identifier: Apache-2.0
/// \file VCD (IEEE 1364-2005, clause 18): text that every tool reads.
#pragma once

#include <string>
#include <vector>

#include "tlm/trace/output_file.h"
#include "tlm/trace/wave_writer.h"

namespace polycast::tlm::trace {

/// Enumerations are lost (the format has none); the GTKWave save file names them by translate filters.
class vcd_writer final : public wave_writer {
public:
    vcd_writer(const std::filesystem::path& file, const wave_layout& layout);

    void set_time(std::uint64_t time) override;
    void change(std::size_t signal, std::span<const std::uint64_t> value) override;
    void close() override;

private:
    struct variable {
        std::string code;  ///< the format's short name
        unsigned bits;
    };

    text_file file_;
    std::vector<variable> variables_;
    std::string line_;
};

}  // namespace polycast::tlm::trace
