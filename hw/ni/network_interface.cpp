// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/network_interface.h"

#include <algorithm>
#include <utility>

#include "hw/ni/abi/ni_firmware.h"
#include "hw/ni/command_memory.h"
#include "hw/ni/event_queue.h"
#include "hw/ni/group_table.h"
#include "hw/ni/host_dma.h"
#include "hw/ni/host_pages.h"
#include "hw/ni/link_in.h"
#include "hw/ni/link_out.h"
#include "hw/ni/packet_memory.h"
#include "hw/ni/register_file.h"
#include "hw/ni/watchdog.h"

namespace polycast::hw::ni {

namespace {

const ni_params& checked(const ni_params& params) {
    check_params(params);
    return params;
}

/// Flips of an interface. They are on the timeline before anything else is, so that a flip at the end of a cycle comes
/// before all that happens in the next one.
class upset_schedule final : private timeline::task {
public:
    upset_schedule(timeline& time, packet_memory& packets, processor& cpu)
        : time_(time), packets_(packets), processor_(cpu) {}

    void set(std::vector<memory_upset> all, cycle now) {
        all_ = std::move(all);
        begin(now);
    }

    /// All that are not over in cycle `now`.
    void begin(cycle now) {
        next_ = 0;
        while (next_ < all_.size() && all_[next_].at < now) ++next_;
        for (std::size_t i = next_; i < all_.size(); ++i) time_.schedule(all_[i].at + 1, *this, i);
        hold();
    }

private:
    void due(cycle /*when*/, std::uint64_t tag) override {
        if (tag != next_) return;  // of before a reset
        const memory_upset& what = all_[next_++];
        if (what.memory == interface_memory::packets) packets_.flip(what.word, what.bit);
        if (what.memory == interface_memory::firmware) processor_.upset(what.word, what.bit);
        hold();
    }

    void hold() const { processor_.hold(next_ < all_.size() ? all_[next_].at : engine::never); }

    timeline& time_;
    packet_memory& packets_;
    processor& processor_;
    std::vector<memory_upset> all_;
    std::size_t next_ = 0;
};

}  // namespace

class network_interface::implementation final : public timeline::task, private watchdog::owner {
public:
    implementation(const ni_params& params, timeline& time, host_side& host, observer* watcher,
                   const processor_factory& make_processor)
        : params_(checked(params)),
          time_(time),
          events_(params_.event_queue, [this] { events_changed(); }),
          memory_(
              params_, [this](cycle now, slot_side side) { slot_freed(now, side); },
              [this](cycle when) { memory_spoilt(when); }),
          commands_(params_),
          groups_(params_.group_entries),
          guard_(time, *this),
          host_(host),
          pages_(params_, commands_, events_, memory_, guard_, host),
          dma_(params_, time, memory_, pages_, events_, host, watcher),
          link_out_(params_, memory_, events_, watcher),
          link_in_(params_, memory_, pages_, events_, watcher),
          registers_(params_, time,
                     {memory_, events_, commands_, groups_, pages_, dma_, link_out_, guard_,
                      [this](cycle when) { memory_spoilt(when); }},
                     host, watcher),
          processor_(make_processor(params_, registers_, watcher)),
          upsets_(time, memory_, *processor_) {
        run_at(time_.now());
    }

    void reset(cycle now) {
        events_.reset();
        memory_.reset();
        commands_.reset();
        groups_.reset();
        pages_.reset();
        dma_.reset();
        link_out_.reset();
        link_in_.reset();
        guard_.reset();
        upsets_.begin(now);
        boot(now);
    }

    void hang(cycle until) {
        hangs_until_ = std::max(hangs_until_, until);
        run_at(time_.now());
    }

    void due(cycle when, std::uint64_t tag) override {
        if (tag != 0) {
            if (tag != life_) return;
            events_.raise(ni_error::soft_error);
            registers_.set_panic(NI_PANIC_MEMORY);
            return;
        }
        // What was scheduled before an earlier call was asked for comes too late.
        if (when < next_run_ || stopped()) return;
        next_run_ = engine::never;
        if (when < hangs_until_) {
            if (hangs_until_ != engine::never) run_at(hangs_until_);
            return;
        }
        running_ = true;
        told_ = line();
        const cycle next = processor_->run(when, told_);
        running_ = false;
        if (stopped()) return;
        if (next != engine::never) run_at(next);
        line_changed();
    }

    bool hung() const { return time_.now() < hangs_until_; }
    bool line() const { return registers_.interrupt_enabled() && !events_.empty(); }

    const ni_params params_;
    timeline& time_;
    event_queue events_;
    packet_memory memory_;
    command_memory commands_;
    group_table groups_;
    watchdog guard_;
    host_side& host_;
    host_pages pages_;
    host_dma dma_;
    link_out link_out_;
    link_in link_in_;
    register_file registers_;
    std::unique_ptr<processor> processor_;
    upset_schedule upsets_;

private:
    bool stopped() const { return registers_.panic() != 0 || guard_.down(); }

    void boot(cycle now) {
        ++life_;
        registers_.reset(now);
        processor_->reset(now);
        told_ = false;
        next_run_ = engine::never;
        hangs_until_ = 0;
        run_at(now);
    }

    bool working() const override { return !events_.empty() || !processor_->probe().sleeping; }

    /// What the manager has granted stays as it is. What leaves the link leaves it whole.
    void expired(cycle now) override {
        if (registers_.panic() == 0) pages_.set_panic(NI_PANIC_HUNG);
        events_.reset();
        memory_.reset();
        commands_.reset();
        groups_.reset();
        dma_.reset();
        link_out_.abandon();
        link_in_.drain();
        host_.hung(now);
    }

    void restart(cycle now) override {
        pages_.set_panic(0);
        link_in_.resume();
        boot(now);
        for (unsigned process = 0; process < params_.processes; ++process)
            if (pages_.enabled(process)) host_.command_space(now, process);
    }

    void run_at(cycle when) {
        if (when >= next_run_) return;
        next_run_ = when;
        time_.schedule(when, *this);
    }

    void events_changed() {
        if (!events_.empty()) guard_.work_came();
        line_changed();
    }

    /// Calls the processor in this cycle if it does not know the level of the interrupt line yet.
    void line_changed() {
        if (running_ || line() == told_) return;
        if (!told_) registers_.woken(time_.now());
        run_at(time_.now());
    }

    /// The processor may be ahead: what it does behind that cycle never reaches the interface.
    void memory_spoilt(cycle when) { time_.schedule(std::max(when, time_.now()), *this, life_); }

    void slot_freed(cycle now, slot_side side) {
        if (side == slot_side::send) {
            events_.push(event_kind::slot_ready, 0);
        } else {
            link_in_.slot_freed(now);
        }
    }

    std::uint64_t life_ = 1;  ///< of the processor, from one start to the next
    cycle next_run_ = engine::never;
    cycle hangs_until_ = 0;  ///< the processor stands still
    bool running_ = false;
    bool told_ = false;  ///< level of the interrupt line that the processor knows of
};

network_interface::network_interface(const ni_params& params, timeline& time, host_side& host, observer* watcher,
                                     const processor_factory& make_processor)
    : implementation_(std::make_unique<implementation>(params, time, host, watcher, make_processor)) {}

network_interface::~network_interface() = default;

void network_interface::reset(cycle now) {
    implementation_->reset(now);
}

void network_interface::hang(cycle until) {
    implementation_->hang(until);
}

void network_interface::upset(std::vector<memory_upset> all) {
    implementation_->upsets_.set(std::move(all), implementation_->time_.now());
}

cycle network_interface::step(cycle now, const engine::pins& in, engine::pins& out, unsigned port) {
    timeline& time = implementation_->time_;
    time.run(now);
    receive(now, in, out, port);  // quiet pins, too: credits may be owed
    time.run(now + 1);
    transmit(now, out, port);
    return next(now);
}

cycle network_interface::next(cycle now) const {
    const implementation& all = *implementation_;
    if (sending()) return now + 1;
    // What is due in a cycle, and a tail that leaves in it, are handled in the step before.
    const cycle due = std::min(all.time_.next(), all.link_out_.tail());
    return std::min(due == engine::never ? engine::never : std::max(due - 1, now + 1), all.link_in_.tail());
}

void network_interface::receive(cycle now, const engine::pins& in, engine::pins& out, unsigned port) {
    const bool many = in.vc.size() > port;
    if ((in.credit >> port & 1) != 0) implementation_->link_out_.credit(many ? in.credit_vc[port] : 0);
    if ((in.valid >> port & 1) != 0) implementation_->link_in_.receive(now, in, port);
    implementation_->link_in_.end_whole(now);
    if ((in.packet >> port & 1) != 0) implementation_->link_in_.receive_whole(now, in.packets[port]);
    if (const std::optional<unsigned> vc = implementation_->link_in_.take_credit()) {
        out.credit |= std::uint64_t{1} << port;
        if (many) out.credit_vc[port] = static_cast<std::uint8_t>(*vc);
    }
}

void network_interface::transmit(cycle now, engine::pins& out, unsigned port) {
    implementation_->link_out_.transmit(now + 1, out, port);
}

bool network_interface::sending() const {
    return implementation_->link_out_.sending() || implementation_->link_in_.owes_credits();
}

bool network_interface::idle() const {
    const implementation& all = *implementation_;
    return all.events_.empty() && all.dma_.idle() && all.link_out_.idle() && all.link_in_.idle() &&
           all.memory_.used() == 0 && all.commands_.outstanding() == 0;
}

bool network_interface::host_read(cycle /*when*/, std::uint32_t address, std::span<std::uint8_t> bytes) {
    return implementation_->pages_.read(address, bytes);
}

bool network_interface::host_write(cycle when, std::uint32_t address, std::span<const std::uint8_t> bytes) {
    return implementation_->pages_.write(when, address, bytes);
}

void network_interface::host_answered(cycle when) {
    implementation_->dma_.host_answered(when);
}

void network_interface::count(unsigned counter) {
    implementation_->registers_.count(counter);
}

const ni_params& network_interface::params() const {
    return implementation_->params_;
}

ni_statistics network_interface::statistics() const {
    const implementation& all = *implementation_;
    ni_statistics statistics;
    all.memory_.count(statistics);
    statistics.corrected += all.processor_->corrected();
    all.dma_.count(statistics);
    all.link_out_.count(statistics);
    all.link_in_.count(statistics);
    statistics.commands_refused = all.pages_.refused();
    statistics.jobs_refused = all.pages_.jobs_refused();
    statistics.errors = all.events_.errors_ever();
    statistics.panic = all.guard_.on() ? 0 : all.registers_.panic();
    statistics.restarts = all.guard_.expiries();
    return statistics;
}

const processor& network_interface::cpu() const {
    return *implementation_->processor_;
}
unsigned network_interface::credits(unsigned vc) const {
    return implementation_->link_out_.credits(vc);
}
unsigned network_interface::events() const {
    return implementation_->events_.size();
}
unsigned network_interface::slots_used() const {
    return implementation_->memory_.used();
}

std::uint32_t network_interface::slots_known() const {
    return implementation_->memory_.known();
}
bool network_interface::slot_used(std::uint32_t slot) const {
    return implementation_->memory_.in_use(slot);
}

void network_interface::probe(engine::chip_probe& probe) const {
    const implementation& all = *implementation_;
    const auto count = [](std::size_t number) {
        return static_cast<std::uint16_t>(std::min<std::size_t>(number, 0xffff));
    };
    const processor_probe cpu = all.processor_->probe();
    probe.interfaces.clear();
    probe.inputs.assign(all.params_.vcs, {});
    probe.outputs.clear();
    for (unsigned vc = 0; vc < all.params_.vcs; ++vc)
        probe.outputs.push_back({all.link_out_.holds(vc), 0, count(all.link_out_.credits(vc))});
    engine::chip_probe::interface& own = probe.interfaces.emplace_back();
    own.pc = cpu.pc;
    own.operation = cpu.operation == processor_probe::unknown_operation ? all.registers_.last_mark() : cpu.operation;
    own.sleeping = cpu.sleeping;
    own.halted = cpu.halted;
    own.hung = all.hung();
    own.interrupt = all.line();
    own.events = count(all.events_.size());
    own.slots = count(all.memory_.used());
    own.transfers = count(all.dma_.pending());
    own.sending = count(all.link_out_.pending());
}

std::size_t network_interface::memory_bytes() const {
    const implementation& all = *implementation_;
    return sizeof(network_interface) + sizeof(implementation) + all.events_.memory_bytes() +
           all.memory_.memory_bytes() + all.commands_.memory_bytes() + all.groups_.memory_bytes() +
           all.pages_.memory_bytes() + all.dma_.memory_bytes() + all.link_out_.memory_bytes() +
           all.link_in_.memory_bytes() + all.registers_.memory_bytes();
}

}  // namespace polycast::hw::ni
