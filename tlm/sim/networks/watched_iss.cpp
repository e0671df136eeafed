// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/networks/watched_iss.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "hw/engine/packing.h"
#include "hw/input_error.h"

namespace polycast::tlm::sim {

namespace riscv = hw::riscv;

namespace {

std::ofstream opened(const std::filesystem::path& file) {
    std::error_code failed;
    std::filesystem::create_directories(file.parent_path(), failed);
    std::ofstream out(file);
    if (!out) throw hw::input_error("cannot write '" + file.string() + "'");
    return out;
}

}  // namespace

watched_iss::watched_iss(std::shared_ptr<const riscv::program> firmware, hw::ni::processor_bus& bus,
                         riscv::iss_options options, const tool_request* wish, bool functions)
    : firmware_(firmware), host_(options.hart), wish_(wish), cpu_(std::move(firmware), bus, options) {
    if (functions) tools_.add(spans_.emplace(*firmware_));
    if (wish_ != nullptr && !wish_->profile.empty()) {
        tools_.add(profile_.emplace(*firmware_));
        tools_.add(stack_.emplace());
    }
    if (wish_ != nullptr && !wish_->instructions.empty()) {
        instructions_file_ = opened(wish_->instructions);
        tools_.add(instructions_.emplace(instructions_file_, tool_request::most_instructions));
    }
    cpu_.attach(&tools_);
    cpu_.reset(0);
    if (wish_ != nullptr && wish_->gdb) {
        gdb_.emplace(cpu_, riscv::gdb_options{.port = *wish_->gdb, .wait = true});
        cpu_.attach(&*gdb_);
        fmt::print(stderr, "{}: waiting for gdb:\n  gdb-multiarch {} -ex \"target remote :{}\"\n", wish_->host,
                   firmware_->source().file, gdb_->port());
    }
}

std::string watched_iss::findings() const {
    if (!spans_) return {};
    std::vector<function_span> calls;
    for (const riscv::function_span& span : spans_->spans()) {
        // The outermost one is the main loop, which never ends.
        if (!span.sleep && span.depth != 0)
            calls.push_back({host_, span.depth, span.begin, span.end, spans_->name_of(span.function)});
    }
    return hw::engine::packed(calls);
}

watched_iss::~watched_iss() {
    try {
        if (profile_) {
            std::ofstream out = opened(wish_->profile);
            profile_->write(out);
            const riscv::function_symbol* deepest = firmware_->source().function_at(stack_->lowest_pc());
            out << fmt::format("stack: {} bytes, deepest in {}{}\n", stack_->bytes(),
                               deepest == nullptr ? "?" : deepest->name,
                               stack_->overflowed() ? "; it ran into the data below it" : "");
        }
    } catch (const std::exception& error) {
        spdlog::error("{}", error.what());
    }
}

}  // namespace polycast::tlm::sim
