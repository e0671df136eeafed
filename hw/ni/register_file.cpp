// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/register_file.h"

#include <utility>

#include "hw/ni/abi/ni_registers.h"

namespace polycast::hw::ni {

namespace {

constexpr std::uint32_t bits(std::uint32_t value, unsigned high, unsigned low) {
    return static_cast<std::uint32_t>((std::uint64_t{value} >> low) & ((std::uint64_t{1} << (high - low + 1)) - 1));
}
constexpr bool bit(std::uint32_t value, unsigned number) {
    return (value >> number & 1) != 0;
}
constexpr bool is_element(std::uint32_t address, std::uint32_t first, std::uint32_t bytes) {
    return address >= first && address - first < bytes && address % 4 == 0;
}
constexpr bool is_counter(std::uint32_t address) {
    return is_element(address, NI_COUNTER, NI_COUNTER_ELEMENTS * NI_COUNTER_STRIDE);
}
constexpr bool is_job(std::uint32_t address) {
    return is_element(address, NI_JOB, NI_JOB_ELEMENTS * NI_JOB_STRIDE);
}
constexpr bool is_rights(std::uint32_t address) {
    return is_element(address, NI_RIGHTS, NI_RIGHTS_ELEMENTS * NI_RIGHTS_STRIDE);
}

}  // namespace

bool register_file::load(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t& value) {
    value = 0;
    if (address % bytes != 0) return false;
    if (address >= NI_REGISTERS_BASE) return bytes == 4 && load_register(address, value);
    if (address >= NI_SLOT_JOBS_BASE) {
        if (bytes != 4 || address - NI_SLOT_JOBS_BASE >= NI_SLOT_JOBS_SIZE) return false;
        value = parts_.memory.job((address - NI_SLOT_JOBS_BASE) / 4);
        return true;
    }
    if (address >= NI_GROUP_MEMORY_BASE) return parts_.groups.load(address - NI_GROUP_MEMORY_BASE, bytes, value);
    if (address >= NI_COMMAND_MEMORY_BASE) return parts_.commands.load(address - NI_COMMAND_MEMORY_BASE, bytes, value);
    if (address >= NI_PACKET_MEMORY_BASE)
        return parts_.memory.load(when, address - NI_PACKET_MEMORY_BASE, bytes, value);
    return false;
}

bool register_file::store(cycle when, std::uint32_t address, unsigned bytes, std::uint32_t value) {
    if (address % bytes != 0) return false;
    if (address >= NI_REGISTERS_BASE) return bytes == 4 && store_register(address, value);
    if (address >= NI_SLOT_JOBS_BASE) return false;
    if (address >= NI_GROUP_MEMORY_BASE) return parts_.groups.store(address - NI_GROUP_MEMORY_BASE, bytes, value);
    if (address >= NI_COMMAND_MEMORY_BASE) return parts_.commands.store(address - NI_COMMAND_MEMORY_BASE, bytes, value);
    if (address < NI_PACKET_MEMORY_BASE) return false;
    bool unused = false;
    if (!parts_.memory.store(when, address - NI_PACKET_MEMORY_BASE, bytes, value, unused)) return false;
    if (unused) parts_.events.raise(ni_error::bad_slot);
    return true;
}

bool register_file::load_register(std::uint32_t address, std::uint32_t& value) {
    switch (address) {
        case NI_HOST: value = params_.host; return true;
        case NI_HOSTS: value = params_.hosts; return true;
        case NI_PAYLOAD: value = params_.payload_bytes; return true;
        case NI_SLOT_BYTES: value = parts_.memory.slot_bytes(); return true;
        case NI_PROCESSES: value = params_.processes; return true;
        case NI_COMMAND_BYTES: value = parts_.commands.entry_bytes(); return true;
        case NI_COMMAND_ENTRIES: value = params_.command_entries; return true;
        case NI_GROUP_ENTRIES: value = params_.group_entries; return true;
        case NI_STOP_BYTES: value = format::stop_bytes(params_.header_shape()); return true;
        case NI_STOPS: value = params_.header_stops; return true;
        case NI_UNITS: value = params_.units; return true;
        case NI_RELIABLE_TIMEOUT: value = params_.reliable.timeout; return true;
        case NI_RELIABLE_ATTEMPTS: value = params_.reliable.attempts; return true;
        case NI_RELIABLE_ACK_DELAY: value = params_.reliable.ack_delay; return true;
        case NI_RESTARTS: value = parts_.guard.restarts() & NI_RESTARTS_COUNT_MASK; return true;
        case NI_OPTIONS:
            value = static_cast<std::uint32_t>(params_.wait) | (params_.jobs ? NI_OPTIONS_JOBS_MASK : 0);
            return true;
        case NI_EVENT: value = next_event(); return true;
        case NI_EVENT_COUNT: value = parts_.events.size(); return true;
        case NI_INTERRUPT_ENABLE: value = interrupt_enabled_ ? 1 : 0; return true;
        case NI_SLOT_ALLOCATE: value = parts_.memory.take(slot_side::send, time_.now()); return true;
        case NI_SLOTS_USED: value = parts_.memory.used(); return true;
        case NI_LINK_DESTINATION: value = link_destination_; return true;
        case NI_LINK_HOPS: value = link_hops_; return true;
        case NI_LINK_ROUTE: value = link_route_; return true;
        case NI_LINK_SPACE: value = parts_.link.ask_space(); return true;
        case NI_DMA_WINDOW: value = dma_window_; return true;
        case NI_DMA_OFFSET: value = dma_offset_; return true;
        case NI_DMA_ADDRESS: value = dma_address_; return true;
        case NI_DMA_LENGTH: value = dma_length_; return true;
        case NI_DMA_SPACE: value = parts_.dma.ask_space(); return true;
        case NI_DMA_ERROR: value = static_cast<std::uint32_t>(parts_.dma.last_error()); return true;
        case NI_GROUP_ROOT: value = group_root_; return true;
        case NI_GROUP_NUMBER: value = group_number_; return true;
        case NI_GROUP_ENTRY: value = group_entry_; return true;
        case NI_GROUP_ALLOCATE: value = allocate_group(); return true;
        case NI_TIME_LOW:
            value = static_cast<std::uint32_t>(time_.now() - reset_at_);
            time_high_ = static_cast<std::uint32_t>((time_.now() - reset_at_) >> 32);
            return true;
        case NI_TIME_HIGH: value = time_high_; return true;
        case NI_TIMER: value = 0; return true;
        case NI_ERRORS: value = parts_.events.errors(); return true;
        // Registers that can only be written read as zero.
        case NI_MARK:
        case NI_SLOT_HOLD:
        case NI_SLOT_RELEASE:
        case NI_LINK_PUSH:
        case NI_DMA_PUSH:
        case NI_COMPLETION_PUSH:
        case NI_COUNTER_PUSH:
        case NI_COMMAND_DONE:
        case NI_JOB_REFUSED:
        case NI_GROUP_FREE:
        case NI_CONSOLE:
        case NI_PANIC: return true;
        default: break;
    }
    if (address >= NI_COMPLETION && address < NI_COMPLETION_PUSH && address % 4 == 0) {
        value = completion_[(address - NI_COMPLETION) / 4];
        return true;
    }
    if (is_rights(address)) {
        value = parts_.pages.rights((address - NI_RIGHTS) / NI_RIGHTS_STRIDE);
        return true;
    }
    if (is_job(address)) {
        value = parts_.pages.job((address - NI_JOB) / NI_JOB_STRIDE);
        return true;
    }
    if (!is_counter(address)) return false;
    value = counters_.read((address - NI_COUNTER) / NI_COUNTER_STRIDE);
    return true;
}

bool register_file::store_register(std::uint32_t address, std::uint32_t value) {
    switch (address) {
        case NI_INTERRUPT_ENABLE: interrupt_enabled_ = bit(value, 0); return true;
        case NI_MARK: mark(static_cast<std::uint8_t>(value)); return true;
        case NI_COMMAND_DONE: command_done(value); return true;
        case NI_JOB_REFUSED: parts_.pages.refuse_job(value & NI_JOB_REFUSED_PROCESS_MASK); return true;
        case NI_TIMER: set_timer(value); return true;
        case NI_ERRORS: parts_.events.clear_errors(value); return true;
        case NI_CONSOLE: put_character(static_cast<char>(value)); return true;
        case NI_PANIC: set_panic(value); return true;
        // Registers that can only be read keep what they say.
        case NI_HOST:
        case NI_HOSTS:
        case NI_PAYLOAD:
        case NI_SLOT_BYTES:
        case NI_PROCESSES:
        case NI_COMMAND_BYTES:
        case NI_COMMAND_ENTRIES:
        case NI_GROUP_ENTRIES:
        case NI_OPTIONS:
        case NI_STOP_BYTES:
        case NI_STOPS:
        case NI_UNITS:
        case NI_RELIABLE_TIMEOUT:
        case NI_RELIABLE_ATTEMPTS:
        case NI_RELIABLE_ACK_DELAY:
        case NI_RESTARTS:
        case NI_EVENT:
        case NI_EVENT_COUNT:
        case NI_SLOT_ALLOCATE:
        case NI_SLOTS_USED:
        case NI_LINK_SPACE:
        case NI_DMA_SPACE:
        case NI_DMA_ERROR:
        case NI_GROUP_ENTRY:
        case NI_GROUP_ALLOCATE:
        case NI_TIME_LOW:
        case NI_TIME_HIGH: return true;
        default:
            return store_slot_or_link(address, value) || store_transfer(address, value) ||
                   store_group(address, value) || store_counter(address, value) || is_rights(address) ||
                   is_job(address);
    }
}

bool register_file::store_slot_or_link(std::uint32_t address, std::uint32_t value) {
    switch (address) {
        case NI_SLOT_HOLD:
            if (!parts_.memory.hold(bits(value, 19, 0), bits(value, 31, 20))) parts_.events.raise(ni_error::bad_slot);
            return true;
        case NI_SLOT_RELEASE:
            if (!parts_.memory.release(value, time_.now())) parts_.events.raise(ni_error::bad_slot);
            return true;
        case NI_LINK_DESTINATION: link_destination_ = bits(value, 23, 0); return true;
        case NI_LINK_HOPS: link_hops_ = static_cast<std::uint16_t>(value); return true;
        case NI_LINK_ROUTE: link_route_ = value; return true;
        case NI_LINK_PUSH: push_link(value); return true;
        default: return false;
    }
}

bool register_file::store_transfer(std::uint32_t address, std::uint32_t value) {
    if (address >= NI_COMPLETION && address < NI_COMPLETION_PUSH && address % 4 == 0) {
        completion_[(address - NI_COMPLETION) / 4] = value;
        return true;
    }
    switch (address) {
        case NI_DMA_WINDOW: dma_window_ = bits(value, 15, 0); return true;
        case NI_DMA_OFFSET: dma_offset_ = value; return true;
        case NI_DMA_ADDRESS: dma_address_ = value; return true;
        case NI_DMA_LENGTH: dma_length_ = static_cast<std::uint16_t>(value); return true;
        case NI_DMA_PUSH: push_transfer(value); return true;
        case NI_COMPLETION_PUSH: push_completion(static_cast<std::uint8_t>(value)); return true;
        case NI_COUNTER_PUSH: push_count(value); return true;
        default: return false;
    }
}

bool register_file::store_group(std::uint32_t address, std::uint32_t value) {
    switch (address) {
        case NI_GROUP_ROOT: group_root_ = bits(value, 23, 0); return true;
        case NI_GROUP_NUMBER:
            group_number_ = static_cast<std::uint16_t>(value);
            group_entry_ = parts_.groups.find(group_root_, group_number_);
            return true;
        case NI_GROUP_FREE:
            if (!parts_.groups.free(value)) parts_.events.raise(ni_error::bad_group);
            return true;
        default: return false;
    }
}

bool register_file::store_counter(std::uint32_t address, std::uint32_t value) {
    if (!is_counter(address)) return false;
    counters_.write((address - NI_COUNTER) / NI_COUNTER_STRIDE, value);
    return true;
}

std::uint32_t register_file::next_event() {
    const std::uint32_t event = parts_.events.pop();
    if (event >> NI_EVENT_KIND_SHIFT == static_cast<std::uint32_t>(event_kind::packet) && about_source_ == ~0u)
        about(event & NI_EVENT_ARGUMENT_MASK);
    return event;
}

std::uint32_t register_file::allocate_group() {
    bool known = false;
    const std::uint32_t entry = parts_.groups.allocate(group_root_, group_number_, known);
    if (known) parts_.events.raise(ni_error::bad_group);
    return entry;
}

void register_file::push_link(std::uint32_t value) {
    const std::uint32_t slot = bits(value, 19, 0);
    if (!parts_.memory.in_use(slot)) {
        parts_.events.raise(ni_error::bad_slot);
        return;
    }
    about(slot);
    push_request request{slot, link_destination_, link_hops_, bit(value, 20)};
    request.kind = static_cast<format::packet_kind>(parts_.memory.word(slot, slot_word::kind) & 0xf);
    read_route(request);
    if (params_.jobs) request.job = job_of(slot);
    const std::uint32_t job = request.job;
    if (parts_.link.push(std::move(request)) && params_.jobs) parts_.memory.stamp(slot, job);
}

/// With what job the packet in a slot in use leaves: the one that it has, or that of the process that it belongs to or,
/// without a transfer, that it says it is from.
std::uint32_t register_file::job_of(std::uint32_t slot) const {
    if (parts_.memory.stamped(slot)) return parts_.memory.job(slot);
    const std::uint32_t owner = parts_.memory.owner(slot);
    if (owner != packet_memory::none) return parts_.pages.job(owner);
    return parts_.pages.job(bits(parts_.memory.word(slot, slot_word::processes), 23, 16));
}

/// Copies the route of a worm; leaves it empty if it cannot be read.
void register_file::read_route(push_request& request) {
    std::uint32_t byte = 0;
    if (request.kind == format::packet_kind::unicast || !load(time_.now(), link_route_, 1, byte)) return;
    request.route.resize(route_bytes(params_, request.kind, static_cast<std::uint8_t>(byte)));
    for (std::uint32_t index = 0; index < request.route.size(); ++index) {
        if (!load(time_.now(), link_route_ + index, 1, byte)) {
            request.route.clear();
            return;
        }
        request.route[index] = static_cast<std::uint8_t>(byte);
    }
}

void register_file::push_transfer(std::uint32_t value) {
    host_transfer transfer;
    transfer.process = static_cast<std::uint8_t>(bits(dma_window_, 15, 8));
    transfer.window = static_cast<std::uint8_t>(bits(dma_window_, 7, 0));
    transfer.to_host = bit(value, 31);
    transfer.notify = bit(value, 30);
    transfer.release_slot = bit(value, 29);
    transfer.cookie = bits(value, 27, 0);
    transfer.length = dma_length_;
    transfer.offset = dma_offset_;
    const bool in_memory =
        dma_address_ >= NI_PACKET_MEMORY_BASE && dma_address_ - NI_PACKET_MEMORY_BASE < NI_PACKET_MEMORY_SIZE;
    transfer.address = in_memory ? dma_address_ - NI_PACKET_MEMORY_BASE : packet_memory::none;
    if (in_memory) take_over(transfer.address / parts_.memory.slot_bytes(), transfer.process);
    if (transfer.to_host) about(transfer.address / parts_.memory.slot_bytes());
    if (!parts_.dma.push(transfer)) parts_.events.raise(ni_error::dma_full);
}

/// The packet in a slot is one of the process from now on, unless it is another one's already; and of its job.
void register_file::take_over(std::uint32_t slot, unsigned process) {
    parts_.memory.belongs(slot, process);
    if (params_.jobs && parts_.memory.owner(slot) == process) parts_.memory.stamp(slot, parts_.pages.job(process));
}

void register_file::push_completion(std::uint8_t process) {
    if (!parts_.dma.push(process, completion_)) parts_.events.raise(ni_error::dma_full);
}

void register_file::push_count(std::uint32_t value) {
    const auto interface = (value & NI_COUNTER_PUSH_INTERFACE_MASK) >> NI_COUNTER_PUSH_INTERFACE_SHIFT;
    const auto counter = (value & NI_COUNTER_PUSH_COUNTER_MASK) >> NI_COUNTER_PUSH_COUNTER_SHIFT;
    if (!parts_.dma.push_count(static_cast<std::uint8_t>(interface), static_cast<std::uint8_t>(counter)))
        parts_.events.raise(ni_error::dma_full);
}

void register_file::command_done(std::uint32_t entry) {
    entry = bits(entry, 27, 0);
    if (!parts_.commands.give_back(entry)) {
        parts_.events.raise(ni_error::bad_command);
        return;
    }
    const unsigned process = parts_.commands.process_of(entry);
    if (parts_.commands.space(process) == 1 && parts_.pages.enabled(process)) host_.command_space(time_.now(), process);
}

void register_file::set_timer(std::uint32_t cycles) {
    timer_at_ = cycles == 0 ? engine::never : time_.now() + cycles;
    if (timer_at_ < timer_call_) call_at(timer_at_);
}

// Firmware sets timers far more often than they run out, so one call serves for all: it looks when the time really is.
void register_file::call_at(cycle when) {
    timer_call_ = when;
    time_.schedule(when, *this);
}

void register_file::due(cycle when, std::uint64_t /*tag*/) {
    if (when != timer_call_) return;
    timer_call_ = engine::never;
    if (timer_at_ == engine::never) return;
    if (timer_at_ > when) {
        call_at(timer_at_);
        return;
    }
    timer_at_ = engine::never;
    parts_.events.push(event_kind::timer, 0);
}

/// Remembers what packet the operation is about.
void register_file::about(std::uint32_t slot) {
    if (watcher_ == nullptr || !watcher_->wants_spans() || !parts_.memory.in_use(slot)) return;
    about_source_ = parts_.memory.word(slot, slot_word::source);
    about_message_ = parts_.memory.word(slot, slot_word::message);
    about_offset_ = parts_.memory.word(slot, slot_word::offset);
}

void register_file::mark(std::uint8_t operation) {
    const cycle now = time_.now();
    progressed();
    if (watcher_ != nullptr && operation != 0 && watcher_->wants_spans()) {
        watcher_->used({.host = params_.host,
                        .where = resource::ni_processor,
                        .what = operation,
                        .begin = operation_begun_,
                        .end = now,
                        .source = about_source_,
                        .message = about_message_,
                        .offset = about_offset_});
    }
    operation_begun_ = now;
    last_operation_ = operation;
    about_source_ = ~0u;
    about_message_ = about_offset_ = 0;
}

void register_file::put_character(char character) {
    if (character != '\n') {
        line_ += character;
        if (line_.size() < 256) return;
    }
    if (watcher_ != nullptr) watcher_->console(time_.now(), params_.host, line_);
    line_.clear();
}

void register_file::set_panic(std::uint32_t reason) {
    // Giving up without a reason is giving up.
    panic_ = reason != 0 ? reason : ~0u;
    parts_.pages.set_panic(panic_);
    parts_.guard.give_up();
}

void register_file::reset(cycle now) {
    interrupt_enabled_ = false;
    timer_at_ = timer_call_ = engine::never;
    link_destination_ = link_route_ = dma_window_ = dma_offset_ = dma_address_ = group_root_ = time_high_ = panic_ = 0;
    link_hops_ = dma_length_ = group_number_ = 0;
    completion_ = {};
    counters_.reset();
    group_entry_ = group_table::none;
    reset_at_ = operation_begun_ = now;
    last_operation_ = 0;
    about_source_ = ~0u;
    about_message_ = about_offset_ = 0;
    line_.clear();
}

}  // namespace polycast::hw::ni
