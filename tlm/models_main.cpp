// SPDX-License-Identifier: Apache-2.0
/// \file Builds Verilated models into the cache before anyone waits for them: polycast-models NAME...
/// Names are those of model_name(). Exit status: 0, 2 for a bad name or a model that cannot be built.
#include <cstdio>
#include <exception>
#include <string>

#include "hw/input_error.h"
#include "tlm/model_library.h"

namespace {

polycast::hw::chips::switch_params parse(const std::string& name) {
    polycast::hw::chips::switch_params params;
    for (const bool header_free : {false, true}) {
        params.header_free = header_free;
        const int count = std::sscanf(name.c_str(), "switch_p%u_f%u_c%ux%u_h%u_r%u_x%u_", &params.ports, &params.flit_bytes, &params.chunks,
                                      &params.chunk_flits, &params.max_hosts, &params.read_ports, &params.xbar_stages);
        if (count == 7 && polycast::tlm::model_name(params) == name) return params;
    }
    throw polycast::hw::input_error("\"" + name + "\" is no name of a model", "for example switch_p8_f1_c80x8_h32_r8_x0_inline");
}

}  // namespace

int main(int argc, char** argv) {
    try {
        polycast::tlm::model_options options = polycast::tlm::model_options::defaults();
        options.on_message = [](const std::string& message) { std::printf("%s\n", message.c_str()), std::fflush(stdout); };
        polycast::tlm::model_library library(options);
        for (int argument = 1; argument < argc; ++argument) library.get(parse(argv[argument]));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    return 0;
}
