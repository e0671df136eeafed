// SPDX-License-Identifier: Apache-2.0
/// \file Builds Verilated models into the cache in advance: polycast-models NAME...
/// Names are those of model_name(), and ibex for the processor. Exit status: 0, 2 for a bad name or a model that cannot
/// be built.
#include <cstdio>
#include <exception>
#include <string>

#include "tlm/verilated/model_library.h"

int main(int argc, char** argv) {
    try {
        polycast::tlm::model_options options = polycast::tlm::model_options::defaults();
        options.on_message = [](const std::string& message) {
            std::printf("%s\n", message.c_str()), std::fflush(stdout);
        };
        polycast::tlm::model_library library(options);
        for (int argument = 1; argument < argc; ++argument) {
            const std::string name = argv[argument];
            if (name == polycast::tlm::ibex_name) {
                library.ibex();
            } else {
                polycast::tlm::with_params_of_model(name, [&](const auto& params) { library.get(params); });
            }
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    return 0;
}
