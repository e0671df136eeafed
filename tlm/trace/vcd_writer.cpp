// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/vcd_writer.h"

#include <bit>

namespace polycast::tlm::trace {

namespace {

/// The `index`-th short name: digits of base 94, least significant first, without a leading zero digit of another
/// length.
std::string code_of(std::size_t index) {
    constexpr std::size_t base = '~' - '!' + 1;
    std::string code;
    for (std::size_t rest = index + 1; rest != 0; rest = (rest - 1) / base)
        code += static_cast<char>('!' + (rest - 1) % base);
    return code;
}

/// "1 ns", "100 ps", ... for 10^exponent seconds.
std::string timescale(int exponent) {
    constexpr const char* units[] = {"s", "ms", "us", "ns", "ps", "fs"};
    int unit = 0;
    while (exponent < -3 * unit) ++unit;
    const int power = exponent + 3 * unit;
    return std::string(power == 0 ? "1 " : power == 1 ? "10 " : "100 ") + units[unit];
}

}  // namespace

vcd_writer::vcd_writer(const std::filesystem::path& file, const wave_layout& layout) : file_(file) {
    file_.append("$version polycast $end\n$timescale " + timescale(layout.timescale) + " $end\n");
    variables_.reserve(layout.signals.size());
    walk_scopes(
        layout, [&](const std::string& name) { file_.append("$scope module " + name + " $end\n"); },
        [&] { file_.append("$upscope $end\n"); },
        [&](std::size_t index) {
            const wave_signal& signal = layout.signals[index];
            variables_.push_back({code_of(index), signal.bits});
            file_.append("$var wire " + std::to_string(signal.bits) + " " + variables_.back().code + " " + signal.name +
                         (signal.bits > 1 ? " [" + std::to_string(signal.bits - 1) + ":0]" : "") + " $end\n");
        });
    file_.append("$enddefinitions $end\n");
}

void vcd_writer::set_time(std::uint64_t time) {
    file_.append("#" + std::to_string(time) + "\n");
}

void vcd_writer::change(std::size_t signal, std::span<const std::uint64_t> value) {
    const variable& target = variables_[signal];
    line_.clear();
    if (target.bits == 1) {
        line_ += value[0] != 0 ? '1' : '0';
    } else {
        line_ += 'b';
        std::size_t word = value.size();
        while (word > 1 && value[word - 1] == 0) --word;
        unsigned bit = value[word - 1] == 0 ? 1 : static_cast<unsigned>(std::bit_width(value[word - 1]));
        for (; word-- > 0; bit = 64) {
            while (bit-- > 0) line_ += (value[word] >> bit & 1) != 0 ? '1' : '0';
        }
        line_ += ' ';
    }
    line_ += target.code;
    line_ += '\n';
    file_.append(line_);
}

void vcd_writer::close() {
    file_.commit();
}

}  // namespace polycast::tlm::trace
