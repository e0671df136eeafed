// SPDX-License-Identifier: Apache-2.0
/// \file Spoils a good firmware image at random places, many times. Usage: riscv_image_mutation_check IMAGE COUNT
/// [SEED]; without a seed a random one, which is printed.
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <vector>

#include "testbench/riscv/image_probe.h"

namespace {

using namespace polycast;
using testbench::riscv::probe_image;

using bytes = std::vector<std::uint8_t>;

/// Half of the changes hit the headers, where they matter most.
void spoil(bytes& image, std::mt19937_64& random) {
    const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
    if (below(20) == 0) image.resize(below(image.size()));
    for (std::size_t changes = 1 + below(4); changes-- > 0 && !image.empty();) {
        std::size_t at = below(image.size());
        if (below(2) == 0) at = std::min(image.size() - 1, below(52 + 3 * 32));
        if (below(5) == 0 && image.size() > 40 * 20) at = image.size() - 1 - below(40 * 20);
        constexpr std::uint8_t extreme[] = {0x00, 0xff, 0x7f, 0x80, 0x01};
        image[at] = below(2) == 0 ? extreme[below(std::size(extreme))] : static_cast<std::uint8_t>(random());
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 3 || count > 4) {
        std::cerr << "usage: riscv_image_mutation_check IMAGE COUNT [SEED]\n";
        return 2;
    }
    std::ifstream in(arguments[1], std::ios::binary);
    const bytes good{std::istreambuf_iterator<char>(in), {}};
    const hw::riscv::memory_sizes sizes{4096, 4096};
    if (good.empty() || !probe_image(good, sizes).empty()) {
        std::cerr << arguments[1] << " is not a good image: " << probe_image(good, sizes) << "\n";
        return 1;
    }
    const std::uint64_t seed = count == 4 ? std::strtoull(arguments[3], nullptr, 10) : std::random_device{}();
    const unsigned long times = std::strtoul(arguments[2], nullptr, 10);
    // Before anything else: a crash must leave the command that replays it.
    std::cout << "replay: riscv_image_mutation_check " << arguments[1] << " " << times << " " << seed << std::endl;
    std::mt19937_64 random(seed);
    std::map<std::string, unsigned long> outcomes;
    for (unsigned long n = 0; n < times; ++n) {
        bytes spoilt = good;
        spoil(spoilt, random);
        const std::string refusal = probe_image(spoilt, sizes);
        ++outcomes[refusal.empty() ? "loaded" : "refused"];
    }
    std::cout << outcomes["loaded"] << " loaded and run, " << outcomes["refused"] << " refused\n";
    // When one of them never happens, the test tests nothing.
    return outcomes["loaded"] == 0 || outcomes["refused"] == 0 ? 1 : 0;
}
