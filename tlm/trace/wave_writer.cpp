// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/wave_writer.h"

#include "tlm/trace/fst_writer.h"
#include "tlm/trace/vcd_writer.h"

namespace polycast::tlm::trace {

std::unique_ptr<wave_writer> open_wave_writer(wave_format format, const std::filesystem::path& file,
                                              const wave_layout& layout) {
    if (format == wave_format::vcd) return std::make_unique<vcd_writer>(file, layout);
    return std::make_unique<fst_writer>(file, layout);
}

}  // namespace polycast::tlm::trace
