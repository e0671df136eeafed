// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/replay.h"

#include <cstdint>
#include <cstdlib>
#include <functional>

#include "hw/shell_word.h"

namespace polycast::tlm::sim {

namespace {

void add_waves(const scenario::loaded& scenario, const finished_run& failed,
               const std::function<void(const std::string&)>& set) {
    if (scenario.values.trace.trigger.event) set("trace.trigger.event=none");
    const std::string& suspect = failed.result.suspect;
    set(suspect.empty() ? "trace.chips=all" : "trace.chips=[" + suspect + "]");
    const std::uint64_t before = scenario.values.trace.on_failure;
    if (!suspect.empty() && failed.result.cycles > before)
        set("trace.from=" + std::to_string(failed.result.cycles - before) + " cycle");
}

}  // namespace

std::vector<std::string> replay_of(const run_options& options, const scenario::loaded& scenario,
                                   const finished_run& failed) {
    std::vector<std::string> settings = options.overrides;
    const auto set = [&settings](const std::string& value) {
        const std::string key = value.substr(0, value.find('=') + 1);
        std::erase_if(settings, [&key](const std::string& given) { return given.starts_with(key); });
        settings.push_back(value);
    };
    if (!failed.wave.empty()) add_waves(scenario, failed, set);
    std::vector<std::string> arguments = options.writer;
    if (arguments.empty()) arguments = {"run", options.scenario};
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"-s", setting});
    return arguments;
}

std::string command_line_of(const run_options& options, const std::vector<std::string>& arguments) {
    // `scripts/polycast` has a name of its own.
    const char* const wrapper = std::getenv("POLYCAST_COMMAND");
    std::string text = wrapper != nullptr ? wrapper : hw::shell_word(options.command.front());
    return text + " " + words_text(arguments);
}

}  // namespace polycast::tlm::sim
