// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/host_pages.h"

#include <algorithm>

#include "hw/ni/abi/ni_registers.h"

namespace polycast::hw::ni {

namespace {

constexpr std::uint32_t page_bytes = NI_HOST_PROCESS_STRIDE;
constexpr std::uint32_t window_bytes = NI_HOST_PROCESS_WINDOW_STRIDE;
constexpr std::uint32_t windows_end = NI_HOST_PROCESS_WINDOW_BASE + windows_per_process * window_bytes;
static_assert(NI_HOST_PROCESS_BASE == page_bytes);
constexpr std::uint32_t low_half = 0xffffffffu;

std::uint64_t with_low(std::uint64_t value, std::uint32_t low) {
    return (value & ~std::uint64_t{low_half}) | low;
}
std::uint64_t with_high(std::uint64_t value, std::uint32_t high) {
    return (value & low_half) | std::uint64_t{high} << 32;
}

/// True if the access lies wholly in a command buffer.
bool in_buffer(std::uint32_t address, std::size_t bytes) {
    const std::uint32_t offset = address % page_bytes;
    return address >= page_bytes && offset >= NI_HOST_PROCESS_COMMAND_BUFFER_BASE && offset + bytes <= page_bytes;
}

}  // namespace

host_pages::host_pages(const ni_params& params, command_memory& commands, event_queue& events,
                       const packet_memory& packets, watchdog& guard, host_side& host)
    : params_(params),
      commands_(commands),
      events_(events),
      packets_(packets),
      guard_(guard),
      host_(host),
      pages_(params.processes) {}

bool host_pages::read(std::uint32_t address, std::span<std::uint8_t> bytes) const {
    if (in_buffer(address, bytes.size())) {
        const std::uint32_t process = address / page_bytes - 1;
        if (process >= pages_.size()) return false;
        const std::vector<std::uint8_t>& buffer = pages_[process].buffer;
        const std::size_t at = address % page_bytes - NI_HOST_PROCESS_COMMAND_BUFFER_BASE;
        for (std::size_t byte = 0; byte < bytes.size(); ++byte)
            bytes[byte] = at + byte < buffer.size() ? buffer[at + byte] : std::uint8_t{0};
        return true;
    }
    if (bytes.empty() || address % 4 != 0 || bytes.size() % 4 != 0) return false;
    for (std::uint32_t at = 0; at < bytes.size(); at += 4)
        if (!read_word(address + at)) return false;
    for (std::uint32_t at = 0; at < bytes.size(); at += 4) put_bytes(&bytes[at], 4, *read_word(address + at));
    return true;
}

bool host_pages::write(cycle when, std::uint32_t address, std::span<const std::uint8_t> bytes) {
    if (in_buffer(address, bytes.size())) {
        const std::uint32_t process = address / page_bytes - 1;
        if (process >= pages_.size()) return false;
        std::vector<std::uint8_t>& buffer = pages_[process].buffer;
        const std::size_t at = address % page_bytes - NI_HOST_PROCESS_COMMAND_BUFFER_BASE;
        if (buffer.size() < at + bytes.size()) buffer.resize(at + bytes.size(), 0);
        std::ranges::copy(bytes, buffer.begin() + static_cast<std::ptrdiff_t>(at));
        return true;
    }
    if (bytes.empty() || address % 4 != 0 || bytes.size() % 4 != 0) return false;
    for (std::uint32_t at = 0; at < bytes.size(); at += 4)
        if (!write_word(when, address + at, get_bytes(&bytes[at], 4))) return false;
    return true;
}

std::optional<std::uint32_t> host_pages::read_word(std::uint32_t address) const {
    const std::uint32_t offset = address % page_bytes;
    if (address < page_bytes) return read_device(offset);
    const std::uint32_t process = address / page_bytes - 1;
    if (process >= pages_.size()) return std::nullopt;
    const process_page& page = pages_[process];
    if (offset >= NI_HOST_PROCESS_WINDOW_BASE && offset < windows_end) {
        const host_window& window = page.windows[(offset - NI_HOST_PROCESS_WINDOW_BASE) / window_bytes];
        switch (offset % window_bytes / 4) {
            case 0: return static_cast<std::uint32_t>(window.address);
            case 1: return static_cast<std::uint32_t>(window.address >> 32);
            case 2: return window.bytes;
            default: return (window.read ? 1u : 0u) | (window.write ? 2u : 0u);
        }
    }
    switch (offset) {
        case NI_HOST_PROCESS_DOORBELL: return 0;
        case NI_HOST_PROCESS_COMMAND_SPACE: return guard_.down() ? 0 : commands_.space(process);
        case NI_HOST_PROCESS_COMMANDS_REFUSED: return page.refused;
        case NI_HOST_PROCESS_QUEUE_LOW: return static_cast<std::uint32_t>(page.queue.address);
        case NI_HOST_PROCESS_QUEUE_HIGH: return static_cast<std::uint32_t>(page.queue.address >> 32);
        case NI_HOST_PROCESS_QUEUE_ENTRIES: return page.queue.entries;
        case NI_HOST_PROCESS_QUEUE_READ: return page.queue.read;
        case NI_HOST_PROCESS_QUEUE_WRITTEN: return page.queue.written;
        case NI_HOST_PROCESS_QUEUE_LOST: return page.queue.lost;
        case NI_HOST_PROCESS_QUEUE_INTERRUPT: return page.queue.interrupt ? 1u : 0u;
        case NI_HOST_PROCESS_ACTIVITY: return activity();
        default: return std::nullopt;
    }
}

std::optional<std::uint32_t> host_pages::read_device(std::uint32_t offset) const {
    switch (offset) {
        case NI_HOST_ID: return NI_HOST_ID_RESET;
        case NI_HOST_VERSION: return NI_HOST_VERSION_RESET;
        case NI_HOST_PROCESS_COUNT: return params_.processes;
        case NI_HOST_HOST_NUMBER: return params_.host;
        case NI_HOST_DEVICE_ERRORS: return events_.errors();
        case NI_HOST_DEVICE_PANIC: return panic_;
        case NI_HOST_WATCHDOG: return guard_.limit();
        case NI_HOST_RESTART: return guard_.pause();
        case NI_HOST_DEVICE_RESTARTS: return guard_.restarts();
        default: return std::nullopt;
    }
}

bool host_pages::write_device(std::uint32_t offset, std::uint32_t value) {
    switch (offset) {
        case NI_HOST_WATCHDOG: guard_.set_limit(value); return true;
        case NI_HOST_RESTART: guard_.set_pause(value); return true;
        // Writing what can only be read changes nothing.
        default: return read_device(offset).has_value();
    }
}

std::uint32_t host_pages::activity() const {
    const auto half = [this](slot_side side) { return std::min(packets_.used(side), 0xffffu); };
    return half(slot_side::send) << NI_HOST_PROCESS_ACTIVITY_SENDING_SHIFT |
           half(slot_side::receive) << NI_HOST_PROCESS_ACTIVITY_RECEIVING_SHIFT;
}

bool host_pages::write_word(cycle when, std::uint32_t address, std::uint32_t value) {
    if (address < page_bytes) return write_device(address, value);
    const std::uint32_t process = address / page_bytes - 1;
    const std::uint32_t offset = address % page_bytes;
    if (process >= pages_.size()) return false;
    if (offset >= NI_HOST_PROCESS_WINDOW_BASE && offset < windows_end) {
        host_window& window = pages_[process].windows[(offset - NI_HOST_PROCESS_WINDOW_BASE) / window_bytes];
        switch (offset % window_bytes / 4) {
            case 0: window.address = with_low(window.address, value); break;
            case 1: window.address = with_high(window.address, value); break;
            case 2: window.bytes = value; break;
            default: window.read = (value & 1) != 0; window.write = (value & 2) != 0;
        }
        return true;
    }
    if (offset == NI_HOST_PROCESS_DOORBELL) {
        ring(process, value & 0xffff);
        return true;
    }
    return write_queue(when, process, offset, value);
}

bool host_pages::write_queue(cycle when, unsigned process, std::uint32_t offset, std::uint32_t value) {
    completion_queue& queue = pages_[process].queue;
    switch (offset) {
        case NI_HOST_PROCESS_QUEUE_LOW: queue.address = with_low(queue.address, value); break;
        case NI_HOST_PROCESS_QUEUE_HIGH: queue.address = with_high(queue.address, value); break;
        case NI_HOST_PROCESS_QUEUE_ENTRIES:
            queue.entries = value;
            queue.read = queue.written = queue.lost = 0;
            break;
        case NI_HOST_PROCESS_QUEUE_READ: queue.read = value; break;
        case NI_HOST_PROCESS_QUEUE_INTERRUPT:
            queue.interrupt = (value & 1) != 0;
            if (queue.interrupt && queue.written != queue.read) host_.completion(when, process);
            break;
        case NI_HOST_PROCESS_COMMAND_SPACE:
        case NI_HOST_PROCESS_COMMANDS_REFUSED:
        case NI_HOST_PROCESS_QUEUE_WRITTEN:
        case NI_HOST_PROCESS_QUEUE_LOST: break;
        default: return false;
    }
    return true;
}

void host_pages::ring(unsigned process, std::uint32_t length) {
    process_page& page = pages_[process];
    const bool good = length % 4 == 0 && length >= 32 && length <= commands_.entry_bytes();
    std::uint32_t number = command_memory::none;
    if (good && !events_.full() && !guard_.down()) {
        if (page.buffer.size() < length) page.buffer.resize(length, 0);
        number = commands_.put(process, std::span(page.buffer).first(length));
    }
    if (number == command_memory::none) {
        ++page.refused;
        ++refused_;
        return;
    }
    events_.push(event_kind::command, number);
}

void host_pages::reset() {
    std::ranges::fill(pages_, process_page{});
    panic_ = 0;
}

std::size_t host_pages::memory_bytes() const {
    std::size_t sum = pages_.capacity() * sizeof(process_page);
    for (const process_page& page : pages_) sum += page.buffer.capacity();
    return sum;
}

}  // namespace polycast::hw::ni
