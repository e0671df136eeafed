// SPDX-License-Identifier: Apache-2.0
#include "hw/host/manager.h"

#include <array>
#include <boost/endian/conversion.hpp>

#include "hw/ni/abi/ni_registers.h"

namespace polycast::hw::host {

namespace {

constexpr std::uint32_t grant_of(unsigned process) {
    return NI_HOST_GRANT_BASE + process * NI_HOST_GRANT_STRIDE;
}

}  // namespace

void manager::open_window(unsigned process, unsigned window, const window_grant& grant) {
    const std::uint32_t at = grant_of(process) + NI_HOST_GRANT_WINDOW_BASE + window * NI_HOST_GRANT_WINDOW_STRIDE;
    write_register(at + NI_HOST_GRANT_WINDOW_LOW, static_cast<std::uint32_t>(grant.address));
    write_register(at + NI_HOST_GRANT_WINDOW_HIGH, static_cast<std::uint32_t>(grant.address >> 32));
    write_register(at + NI_HOST_GRANT_WINDOW_BYTES, grant.bytes);
    write_register(at + NI_HOST_GRANT_WINDOW_ALLOW, (grant.read ? NI_HOST_GRANT_WINDOW_ALLOW_READ_MASK : 0) |
                                                        (grant.write ? NI_HOST_GRANT_WINDOW_ALLOW_WRITE_MASK : 0));
}

void manager::open_queue(unsigned process, std::uint64_t address, std::uint32_t entries) {
    write_register(grant_of(process) + NI_HOST_GRANT_QUEUE_LOW, static_cast<std::uint32_t>(address));
    write_register(grant_of(process) + NI_HOST_GRANT_QUEUE_HIGH, static_cast<std::uint32_t>(address >> 32));
    write_register(grant_of(process) + NI_HOST_GRANT_QUEUE_ENTRIES, entries);
}

void manager::set_job(unsigned process, std::uint32_t job) {
    write_register(grant_of(process) + NI_HOST_GRANT_JOB, job);
}

void manager::enable(unsigned process, bool observes) {
    write_register(grant_of(process) + NI_HOST_GRANT_RIGHTS,
                   NI_HOST_GRANT_RIGHTS_ENABLE_MASK | (observes ? NI_HOST_GRANT_RIGHTS_OBSERVE_MASK : 0));
}

void manager::disable(unsigned process) {
    write_register(grant_of(process) + NI_HOST_GRANT_RIGHTS, 0);
}

std::uint32_t manager::jobs_refused(unsigned process) {
    return read_register(grant_of(process) + NI_HOST_GRANT_JOBS_REFUSED);
}

void manager::watch(std::uint32_t watchdog, std::uint32_t restart) {
    write_register(NI_HOST_RESTART, restart);
    write_register(NI_HOST_WATCHDOG, watchdog);
}

ni_activity manager::activity() {
    const std::uint32_t word = read_register(NI_HOST_DEVICE_ACTIVITY);
    return {(word & NI_HOST_DEVICE_ACTIVITY_SENDING_MASK) >> NI_HOST_DEVICE_ACTIVITY_SENDING_SHIFT,
            (word & NI_HOST_DEVICE_ACTIVITY_RECEIVING_MASK) >> NI_HOST_DEVICE_ACTIVITY_RECEIVING_SHIFT};
}

std::uint32_t manager::read_register(std::uint32_t address) {
    std::array<std::uint8_t, 4> bytes{};
    if (!port_.host_read(time_.now(), address, bytes)) ++bus_errors_;
    return boost::endian::load_little_u32(bytes.data());
}

void manager::write_register(std::uint32_t address, std::uint32_t value) {
    std::array<std::uint8_t, 4> bytes;
    boost::endian::store_little_u32(bytes.data(), value);
    if (!port_.host_write(time_.now(), address, bytes)) ++bus_errors_;
}

}  // namespace polycast::hw::host
