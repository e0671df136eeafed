// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/networks/processors.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "hw/riscv/iss.h"
#include "tlm/sim/networks/firmware_files.h"
#include "tlm/sim/networks/measured_costs.h"
#include "tlm/sim/networks/watched_iss.h"
#include "tlm/verilated/ibex_processor.h"

namespace polycast::tlm::sim {

using scenario::processor_kind;

processors::processors(const scenario::loaded& scenario, const std::vector<std::string>& hosts)
    : settings_(scenario.values.ni) {
    const auto any = [&](processor_kind kind) {
        return std::ranges::any_of(hosts,
                                   [&](const std::string& name) { return processor_of(settings_, name) == kind; });
    };
    if (any(processor_kind::native)) native_ = hw::ni::native_firmware::load(firmware_file(scenario, firmware_library));
    const bool measured = native_ && settings_.costs == scenario::operation_costs::measured;
    if (!measured && !any(processor_kind::iss) && !any(processor_kind::rtl)) return;
    program_ = hw::riscv::load_program(firmware_file(scenario, firmware_image));
    if (measured) costs_ = measure_costs(program_);
    if (!any(processor_kind::rtl)) return;
    image_ = std::shared_ptr<const hw::riscv::image>(program_, &program_->source());
    model_options options = model_options::defaults();
    options.on_message = [](const std::string& message) { spdlog::info("{}", message); };
    models_ = std::make_shared<model_library>(options);
    models_->ibex();
}

std::unique_ptr<hw::ni::processor> processors::make(const hw::system::system_plan& plan,
                                                    const hw::ni::ni_params& params, hw::ni::processor_bus& bus,
                                                    hw::ni::observer* watcher, const endpoints& ends) const {
    const std::string& host = plan.network.hosts[params.host].name;
    tools with;
    with.in_step = ends.in_step && ends.in_step(host);
    const auto wish = std::ranges::find(ends.tools, host, &tool_request::host);
    if (wish != ends.tools.end()) with.wish = &*wish;
    with.activity = ends.activity;
    return make(plan, params, bus, watcher, with);
}

std::unique_ptr<hw::ni::processor> processors::make(const hw::system::system_plan& plan,
                                                    const hw::ni::ni_params& params, hw::ni::processor_bus& bus,
                                                    hw::ni::observer* watcher) const {
    return make(plan, params, bus, watcher, tools{});
}

std::unique_ptr<hw::ni::processor> processors::make(const hw::system::system_plan& plan,
                                                    const hw::ni::ni_params& params, hw::ni::processor_bus& bus,
                                                    hw::ni::observer* watcher, const tools& with) const {
    const std::string& host = plan.network.hosts[params.host].name;
    switch (processor_of(settings_, host)) {
        case processor_kind::native: {
            hw::ni::native_params times = plan.params.firmware_times;
            if (costs_) times.cycles = *costs_;
            return std::make_unique<hw::ni::native_processor>(native_, times, params, bus, watcher);
        }
        case processor_kind::iss: {
            hw::riscv::iss_options options;
            options.hart = params.host;
            options.protect = params.protect_firmware;
            if (with.in_step) options.run_ahead = 1;
            if (with.wish == nullptr && with.activity == nullptr)
                return std::make_unique<hw::riscv::iss>(program_, bus, options);
            return std::make_unique<watched_iss>(program_, bus, options, with.wish, with.activity != nullptr);
        }
        case processor_kind::rtl: break;
    }
    ibex_options options;
    options.name = host;
    options.protect = params.protect_firmware;
    if (with.in_step) options.run_ahead = 1;
    return std::make_unique<ibex_processor>(image_, bus, *models_, options);
}

std::string_view processors::function_at(std::uint32_t pc) const {
    if (!program_) return {};
    const hw::riscv::function_symbol* found = program_->source().function_at(pc);
    return found == nullptr ? std::string_view{} : std::string_view(found->name);
}

}  // namespace polycast::tlm::sim
