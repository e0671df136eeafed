// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/host_pages.h"

#include <algorithm>

#include "hw/ni/abi/ni_registers.h"

namespace polycast::hw::ni {

namespace {

constexpr std::uint32_t page_bytes = NI_HOST_PROCESS_STRIDE;
constexpr std::uint32_t grant_bytes = NI_HOST_GRANT_STRIDE;
constexpr std::uint32_t window_bytes = NI_HOST_GRANT_WINDOW_STRIDE;
constexpr std::uint32_t windows_end = NI_HOST_GRANT_WINDOW_BASE + windows_per_process * window_bytes;
static_assert(NI_HOST_PROCESS_BASE == page_bytes);
static_assert(NI_HOST_GRANT_BASE == NI_HOST_PROCESS_BASE + NI_HOST_PROCESS_ELEMENTS * page_bytes);
constexpr std::uint32_t low_half = 0xffffffffu;

std::uint64_t with_low(std::uint64_t value, std::uint32_t low) {
    return (value & ~std::uint64_t{low_half}) | low;
}
std::uint64_t with_high(std::uint64_t value, std::uint32_t high) {
    return (value & low_half) | std::uint64_t{high} << 32;
}

/// True if the access lies wholly in the command buffer of a process page.
bool in_buffer(std::uint32_t address, std::size_t bytes) {
    const std::uint32_t offset = address % page_bytes;
    return address >= page_bytes && address < NI_HOST_GRANT_BASE && offset >= NI_HOST_PROCESS_COMMAND_BUFFER_BASE &&
           offset + bytes <= page_bytes;
}

bool in_windows(std::uint32_t offset) {
    return offset >= NI_HOST_GRANT_WINDOW_BASE && offset < windows_end;
}

/// ACTIVITY: slots in use by side.
std::uint32_t activity_of(unsigned sending, unsigned receiving) {
    return std::min(sending, 0xffffu) << NI_HOST_PROCESS_ACTIVITY_SENDING_SHIFT |
           std::min(receiving, 0xffffu) << NI_HOST_PROCESS_ACTIVITY_RECEIVING_SHIFT;
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

/// COMMAND_SPACE of a process that there is.
std::uint32_t host_pages::space(unsigned process) const {
    return guard_.down() || !enabled(process) ? 0 : commands_.space(process);
}

std::uint32_t host_pages::rights(unsigned process) const {
    if (process >= pages_.size()) return 0;
    const process_page& page = pages_[process];
    return (page.enabled ? NI_HOST_GRANT_RIGHTS_ENABLE_MASK : 0) |
           (page.observes ? NI_HOST_GRANT_RIGHTS_OBSERVE_MASK : 0);
}

std::optional<std::uint32_t> host_pages::read_word(std::uint32_t address) const {
    if (address < page_bytes) return read_device(address);
    if (address < NI_HOST_GRANT_BASE) return read_process(address / page_bytes - 1, address % page_bytes);
    const std::uint32_t behind = address - NI_HOST_GRANT_BASE;
    return read_grant(behind / grant_bytes, behind % grant_bytes);
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
        case NI_HOST_DEVICE_ACTIVITY:
            return activity_of(packets_.used(slot_side::send), packets_.used(slot_side::receive));
        case NI_HOST_DEVICE_JOBS_REFUSED: return static_cast<std::uint32_t>(jobs_refused_);
        default: return std::nullopt;
    }
}

std::optional<std::uint32_t> host_pages::read_process(unsigned process, std::uint32_t offset) const {
    if (process >= pages_.size()) return std::nullopt;
    const process_page& page = pages_[process];
    switch (offset) {
        case NI_HOST_PROCESS_DOORBELL: return 0;
        case NI_HOST_PROCESS_COMMAND_SPACE: return space(process);
        case NI_HOST_PROCESS_COMMANDS_REFUSED: return page.refused;
        case NI_HOST_PROCESS_QUEUE_READ: return page.queue.read;
        case NI_HOST_PROCESS_QUEUE_WRITTEN: return page.queue.written;
        case NI_HOST_PROCESS_QUEUE_LOST: return page.queue.lost;
        case NI_HOST_PROCESS_QUEUE_INTERRUPT: return page.queue.interrupt ? 1u : 0u;
        case NI_HOST_PROCESS_ACTIVITY:
            return activity_of(packets_.used(slot_side::send, process), packets_.used(slot_side::receive, process));
        default: return std::nullopt;
    }
}

std::optional<std::uint32_t> host_pages::read_grant(unsigned process, std::uint32_t offset) const {
    if (process >= pages_.size()) return std::nullopt;
    const process_page& page = pages_[process];
    if (in_windows(offset)) {
        const host_window& window = page.windows[(offset - NI_HOST_GRANT_WINDOW_BASE) / window_bytes];
        switch (offset % window_bytes) {
            case NI_HOST_GRANT_WINDOW_LOW: return static_cast<std::uint32_t>(window.address);
            case NI_HOST_GRANT_WINDOW_HIGH: return static_cast<std::uint32_t>(window.address >> 32);
            case NI_HOST_GRANT_WINDOW_BYTES: return window.bytes;
            default:
                return (window.read ? NI_HOST_GRANT_WINDOW_ALLOW_READ_MASK : 0) |
                       (window.write ? NI_HOST_GRANT_WINDOW_ALLOW_WRITE_MASK : 0);
        }
    }
    switch (offset) {
        case NI_HOST_GRANT_RIGHTS: return rights(process);
        case NI_HOST_GRANT_JOB: return page.job;
        case NI_HOST_GRANT_JOBS_REFUSED: return page.jobs_refused;
        case NI_HOST_GRANT_QUEUE_LOW: return static_cast<std::uint32_t>(page.queue.address);
        case NI_HOST_GRANT_QUEUE_HIGH: return static_cast<std::uint32_t>(page.queue.address >> 32);
        case NI_HOST_GRANT_QUEUE_ENTRIES: return page.queue.entries;
        default: return std::nullopt;
    }
}

bool host_pages::write_word(cycle when, std::uint32_t address, std::uint32_t value) {
    if (address < page_bytes) return write_device(address, value);
    if (address < NI_HOST_GRANT_BASE) return write_process(when, address / page_bytes - 1, address % page_bytes, value);
    const std::uint32_t behind = address - NI_HOST_GRANT_BASE;
    return write_grant(when, behind / grant_bytes, behind % grant_bytes, value);
}

bool host_pages::write_device(std::uint32_t offset, std::uint32_t value) {
    switch (offset) {
        case NI_HOST_WATCHDOG: guard_.set_limit(value); return true;
        case NI_HOST_RESTART: guard_.set_pause(value); return true;
        // Writing what can only be read changes nothing.
        default: return read_device(offset).has_value();
    }
}

bool host_pages::write_process(cycle when, unsigned process, std::uint32_t offset, std::uint32_t value) {
    if (process >= pages_.size()) return false;
    completion_queue& queue = pages_[process].queue;
    switch (offset) {
        case NI_HOST_PROCESS_DOORBELL: ring(process, value & 0xffff); return true;
        case NI_HOST_PROCESS_QUEUE_READ: queue.read = value; return true;
        case NI_HOST_PROCESS_QUEUE_INTERRUPT:
            queue.interrupt = (value & 1) != 0;
            if (queue.interrupt && queue.written != queue.read) host_.completion(when, process);
            return true;
        default: return read_process(process, offset).has_value();
    }
}

bool host_pages::write_grant(cycle when, unsigned process, std::uint32_t offset, std::uint32_t value) {
    if (process >= pages_.size()) return false;
    process_page& page = pages_[process];
    if (in_windows(offset)) {
        host_window& window = page.windows[(offset - NI_HOST_GRANT_WINDOW_BASE) / window_bytes];
        switch (offset % window_bytes) {
            case NI_HOST_GRANT_WINDOW_LOW: window.address = with_low(window.address, value); break;
            case NI_HOST_GRANT_WINDOW_HIGH: window.address = with_high(window.address, value); break;
            case NI_HOST_GRANT_WINDOW_BYTES: window.bytes = value; break;
            default:
                window.read = (value & NI_HOST_GRANT_WINDOW_ALLOW_READ_MASK) != 0;
                window.write = (value & NI_HOST_GRANT_WINDOW_ALLOW_WRITE_MASK) != 0;
        }
        return true;
    }
    switch (offset) {
        case NI_HOST_GRANT_RIGHTS: set_rights(when, process, value); return true;
        case NI_HOST_GRANT_JOB: page.job = value; return true;
        case NI_HOST_GRANT_QUEUE_LOW: page.queue.address = with_low(page.queue.address, value); return true;
        case NI_HOST_GRANT_QUEUE_HIGH: page.queue.address = with_high(page.queue.address, value); return true;
        case NI_HOST_GRANT_QUEUE_ENTRIES:
            page.queue.entries = value;
            page.queue.read = page.queue.written = page.queue.lost = 0;
            return true;
        default: return read_grant(process, offset).has_value();
    }
}

/// A process that is enabled anew may have seen a COMMAND_SPACE of 0.
void host_pages::set_rights(cycle when, unsigned process, std::uint32_t rights) {
    process_page& page = pages_[process];
    const bool before = space(process) != 0;
    page.enabled = (rights & NI_HOST_GRANT_RIGHTS_ENABLE_MASK) != 0;
    page.observes = (rights & NI_HOST_GRANT_RIGHTS_OBSERVE_MASK) != 0;
    if (!before && space(process) != 0) host_.command_space(when, process);
}

void host_pages::ring(unsigned process, std::uint32_t length) {
    process_page& page = pages_[process];
    const bool good = length % 4 == 0 && length >= 32 && length <= commands_.entry_bytes();
    std::uint32_t number = command_memory::none;
    if (good && page.enabled && !events_.full() && !guard_.down()) {
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
