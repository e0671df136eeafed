// SPDX-License-Identifier: Apache-2.0
// A process's region of host memory, and the messages that are sent out of it and come into it.
#include <stdexcept>
#include <string>

#include "hw/host/command_words.h"
#include "hw/host/process.h"

namespace polycast::hw::host {

void process::check_region(const char* what, std::uint64_t offset, std::uint64_t bytes) const {
    if (offset <= region_bytes_ && bytes <= region_bytes_ - offset) return;
    throw std::invalid_argument(std::string(what) + ": bytes " + std::to_string(offset) + " to " +
                                std::to_string(offset + bytes) + " of a region of " + std::to_string(region_bytes_));
}

void process::open_region(std::uint64_t bytes) {
    if (region_bytes_ != 0) throw std::invalid_argument("region: it is open already");
    if (bytes == 0 || bytes > window_bytes)
        throw std::invalid_argument("region: 1.." + std::to_string(window_bytes) + " bytes, not " +
                                    std::to_string(bytes));
    region_bytes_ = bytes;
    manager_.open_window(
        params_.process, region_window,
        {.address = region_address_, .bytes = static_cast<std::uint32_t>(bytes), .read = true, .write = true});
}

void process::write_region(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
    check_region("region", offset, bytes.size());
    if (!memory_.write(region_address_ + offset, bytes))
        throw std::length_error("region: host memory ends before its last byte");
}

std::span<const std::uint8_t> process::region(std::uint64_t offset, std::size_t bytes,
                                              std::vector<std::uint8_t>& scratch) const {
    check_region("region", offset, bytes);
    return memory_.view(region_address_ + offset, bytes, scratch);
}

void process::release_region(std::uint64_t offset, std::uint64_t bytes) {
    check_region("region", offset, bytes);
    memory_.release(region_address_ + offset, bytes);
}

void process::send_region(const send_order& order, std::uint64_t offset, std::uint32_t bytes) {
    check_order(params_, order, bytes);
    check_region("send", offset, bytes);
    call({true, order, static_cast<std::uint32_t>(offset), bytes, true});
}

void process::expect(const landing_order& order) {
    check_landing(params_, order);
    check_region("expect", order.offset, order.bytes);
    submit(time_.now(), {command_kind::landing, landings_.add({true, order}), 0});
}

void process::set_counter(unsigned counter, std::uint32_t value) {
    check_counter(params_, "counter", counter);
    submit(time_.now(), {command_kind::counter, counters_.add({true, counter, value}), 0});
}

}  // namespace polycast::hw::host
