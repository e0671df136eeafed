// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/register_file.h"

#include <utility>

#include "hw/ni/register_map.h"

namespace polycast::hw::ni {

namespace {

constexpr std::uint32_t bits(std::uint32_t value, unsigned high, unsigned low) {
    return static_cast<std::uint32_t>((std::uint64_t{value} >> low) & ((std::uint64_t{1} << (high - low + 1)) - 1));
}
constexpr bool bit(std::uint32_t value, unsigned number) {
    return (value >> number & 1) != 0;
}

}  // namespace

bool register_file::load(cycle /*when*/, std::uint32_t address, unsigned bytes, std::uint32_t& value) {
    value = 0;
    if (address % bytes != 0) return false;
    if (address >= register_base) return bytes == 4 && load_register(address, value);
    if (address >= group_memory_base) return parts_.groups.load(address - group_memory_base, bytes, value);
    if (address >= command_memory_base) return parts_.commands.load(address - command_memory_base, bytes, value);
    if (address >= packet_memory_base) return parts_.memory.load(address - packet_memory_base, bytes, value);
    return false;
}

bool register_file::store(cycle /*when*/, std::uint32_t address, unsigned bytes, std::uint32_t value) {
    if (address % bytes != 0) return false;
    if (address >= register_base) return bytes == 4 && store_register(address, value);
    if (address >= group_memory_base) return parts_.groups.store(address - group_memory_base, bytes, value);
    if (address >= command_memory_base) return parts_.commands.store(address - command_memory_base, bytes, value);
    if (address < packet_memory_base) return false;
    bool unused = false;
    if (!parts_.memory.store(address - packet_memory_base, bytes, value, unused)) return false;
    if (unused) parts_.events.raise(ni_error::bad_slot);
    return true;
}

bool register_file::load_register(std::uint32_t address, std::uint32_t& value) {
    switch (address) {
        case reg::host: value = params_.host; return true;
        case reg::hosts: value = params_.hosts; return true;
        case reg::payload: value = params_.payload_bytes; return true;
        case reg::slot_bytes: value = parts_.memory.slot_bytes(); return true;
        case reg::processes: value = params_.processes; return true;
        case reg::command_bytes: value = parts_.commands.entry_bytes(); return true;
        case reg::command_entries: value = params_.command_entries; return true;
        case reg::group_entries: value = params_.group_entries; return true;
        case reg::options: value = static_cast<std::uint32_t>(params_.wait); return true;
        case reg::event: value = next_event(); return true;
        case reg::event_count: value = parts_.events.size(); return true;
        case reg::interrupt_enable: value = interrupt_enabled_ ? 1 : 0; return true;
        case reg::slot_allocate: value = parts_.memory.take(slot_side::send, time_.now()); return true;
        case reg::slots_used: value = parts_.memory.used(); return true;
        case reg::link_destination: value = link_destination_; return true;
        case reg::link_hops: value = link_hops_; return true;
        case reg::link_space: value = parts_.link.ask_space(); return true;
        case reg::dma_window: value = dma_window_; return true;
        case reg::dma_offset: value = dma_offset_; return true;
        case reg::dma_address: value = dma_address_; return true;
        case reg::dma_length: value = dma_length_; return true;
        case reg::dma_space: value = parts_.dma.ask_space(); return true;
        case reg::dma_error: value = static_cast<std::uint32_t>(parts_.dma.last_error()); return true;
        case reg::group_root: value = group_root_; return true;
        case reg::group_number: value = group_number_; return true;
        case reg::group_entry: value = group_entry_; return true;
        case reg::group_allocate: value = allocate_group(); return true;
        case reg::time_low:
            value = static_cast<std::uint32_t>(time_.now() - reset_at_);
            time_high_ = static_cast<std::uint32_t>((time_.now() - reset_at_) >> 32);
            return true;
        case reg::time_high: value = time_high_; return true;
        case reg::timer: value = 0; return true;
        case reg::errors: value = parts_.events.errors(); return true;
        // Registers that can only be written read as zero.
        case reg::mark:
        case reg::slot_hold:
        case reg::slot_release:
        case reg::link_push:
        case reg::dma_push:
        case reg::completion_push:
        case reg::command_done:
        case reg::group_free:
        case reg::console:
        case reg::panic: return true;
        default: break;
    }
    if (address >= reg::completion && address < reg::completion_push && address % 4 == 0) {
        value = completion_[(address - reg::completion) / 4];
        return true;
    }
    return false;
}

bool register_file::store_register(std::uint32_t address, std::uint32_t value) {
    switch (address) {
        case reg::interrupt_enable: interrupt_enabled_ = bit(value, 0); return true;
        case reg::mark: mark(static_cast<std::uint8_t>(value)); return true;
        case reg::command_done: command_done(value); return true;
        case reg::timer: set_timer(value); return true;
        case reg::errors: parts_.events.clear_errors(value); return true;
        case reg::console: put_character(static_cast<char>(value)); return true;
        case reg::panic: set_panic(value); return true;
        // Registers that can only be read keep what they say.
        case reg::host:
        case reg::hosts:
        case reg::payload:
        case reg::slot_bytes:
        case reg::processes:
        case reg::command_bytes:
        case reg::command_entries:
        case reg::group_entries:
        case reg::options:
        case reg::event:
        case reg::event_count:
        case reg::slot_allocate:
        case reg::slots_used:
        case reg::link_space:
        case reg::dma_space:
        case reg::dma_error:
        case reg::group_entry:
        case reg::group_allocate:
        case reg::time_low:
        case reg::time_high: return true;
        default:
            return store_slot_or_link(address, value) || store_transfer(address, value) || store_group(address, value);
    }
}

bool register_file::store_slot_or_link(std::uint32_t address, std::uint32_t value) {
    switch (address) {
        case reg::slot_hold:
            if (!parts_.memory.hold(bits(value, 19, 0), bits(value, 31, 20))) parts_.events.raise(ni_error::bad_slot);
            return true;
        case reg::slot_release:
            if (!parts_.memory.release(value, time_.now())) parts_.events.raise(ni_error::bad_slot);
            return true;
        case reg::link_destination: link_destination_ = bits(value, 23, 0); return true;
        case reg::link_hops: link_hops_ = static_cast<std::uint16_t>(value); return true;
        case reg::link_push: push_link(value); return true;
        default: return false;
    }
}

bool register_file::store_transfer(std::uint32_t address, std::uint32_t value) {
    if (address >= reg::completion && address < reg::completion_push && address % 4 == 0) {
        completion_[(address - reg::completion) / 4] = value;
        return true;
    }
    switch (address) {
        case reg::dma_window: dma_window_ = bits(value, 15, 0); return true;
        case reg::dma_offset: dma_offset_ = value; return true;
        case reg::dma_address: dma_address_ = value; return true;
        case reg::dma_length: dma_length_ = static_cast<std::uint16_t>(value); return true;
        case reg::dma_push: push_transfer(value); return true;
        case reg::completion_push: push_completion(static_cast<std::uint8_t>(value)); return true;
        default: return false;
    }
}

bool register_file::store_group(std::uint32_t address, std::uint32_t value) {
    switch (address) {
        case reg::group_root: group_root_ = bits(value, 23, 0); return true;
        case reg::group_number:
            group_number_ = static_cast<std::uint16_t>(value);
            group_entry_ = parts_.groups.find(group_root_, group_number_);
            return true;
        case reg::group_free:
            if (!parts_.groups.free(value)) parts_.events.raise(ni_error::bad_group);
            return true;
        default: return false;
    }
}

std::uint32_t register_file::next_event() {
    const std::uint32_t event = parts_.events.pop();
    if (event >> 28 == static_cast<std::uint32_t>(event_kind::packet) && about_source_ == ~0u)
        about(event & 0x0fffffffu);
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
    parts_.link.push({slot, link_destination_, link_hops_, bit(value, 20)});
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
        dma_address_ >= packet_memory_base && dma_address_ - packet_memory_base < packet_memory_bytes;
    transfer.address = in_memory ? dma_address_ - packet_memory_base : packet_memory::none;
    if (transfer.to_host) about(transfer.address / parts_.memory.slot_bytes());
    if (!parts_.dma.push(transfer)) parts_.events.raise(ni_error::dma_full);
}

void register_file::push_completion(std::uint8_t process) {
    if (!parts_.dma.push(process, completion_)) parts_.events.raise(ni_error::dma_full);
}

void register_file::command_done(std::uint32_t entry) {
    entry = bits(entry, 27, 0);
    if (!parts_.commands.give_back(entry)) {
        parts_.events.raise(ni_error::bad_command);
        return;
    }
    const unsigned process = parts_.commands.process_of(entry);
    if (parts_.commands.space(process) == 1) host_.command_space(time_.now(), process);
}

void register_file::set_timer(std::uint32_t cycles) {
    ++timer_;
    timer_pending_ = cycles != 0;
    if (timer_pending_) time_.schedule(time_.now() + cycles, *this, timer_);
}

void register_file::due(cycle /*when*/, std::uint64_t tag) {
    if (!timer_pending_ || tag != timer_) return;
    timer_pending_ = false;
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
}

void register_file::reset(cycle now) {
    interrupt_enabled_ = timer_pending_ = false;
    link_destination_ = dma_window_ = dma_offset_ = dma_address_ = group_root_ = time_high_ = panic_ = 0;
    link_hops_ = dma_length_ = group_number_ = 0;
    completion_ = {};
    group_entry_ = group_table::none;
    reset_at_ = operation_begun_ = now;
    last_operation_ = 0;
    about_source_ = ~0u;
    about_message_ = about_offset_ = 0;
    line_.clear();
}

}  // namespace polycast::hw::ni
