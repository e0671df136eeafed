// SPDX-License-Identifier: Apache-2.0
/// \file Loads and stores of the simulator that are not aligned accesses to data memory.
#include <cstring>

#include "hw/riscv/iss.h"
#include "hw/riscv/timing.h"

namespace polycast::hw::riscv {
namespace {

constexpr const timing& cost = ibex_small;

bool inside(std::uint32_t address, unsigned bytes, std::uint32_t base, std::size_t size) {
    const std::uint32_t offset = address - base;
    return offset < size && bytes <= size - offset;
}

/// Bytes of the largest naturally aligned access at `address` of at most `bytes`.
unsigned aligned_piece(std::uint32_t address, unsigned bytes) {
    if (address % 4 == 0 && bytes >= 4) return 4;
    return address % 2 == 0 && bytes >= 2 ? 2 : 1;
}

}  // namespace

/// Ibex makes two requests of an access that crosses a word, the second whatever became of the first.
/// \param part (address, bytes, position in the value, cycle) -> whether there was no error
template <typename access_part>
iss::elsewhere iss::access_in_parts(std::uint32_t address, unsigned bytes, cycle when, cycle until, access_part part) {
    const bool crosses = address % 4 + bytes > 4;
    const cycle last = when + (crosses ? cost.split : 0);
    if ((ni::is_register(address) || ni::is_register(address + bytes - 1)) && last > until)
        return {outcome::blocked, 0, 0};
    const unsigned first_bytes = crosses ? 4 - address % 4 : bytes;
    const std::uint32_t second = address + first_bytes;
    const bool first_good = part(address, first_bytes, 0u, when);
    const bool second_good = !crosses || part(second, bytes - first_bytes, first_bytes, last);
    elsewhere result;
    result.cycles = crosses ? cost.split : 0;
    if (!first_good || !second_good) {
        result.result = outcome::fault;
        fault_address_ = first_good ? second : address;
    }
    return result;
}

iss::elsewhere iss::load_elsewhere(std::uint32_t address, unsigned bytes, cycle when, cycle until) {
    std::uint32_t value = 0;
    elsewhere result = access_in_parts(address, bytes, when, until,
                                       [&](std::uint32_t at, unsigned count, unsigned position, cycle moment) {
                                           std::uint32_t part = 0;
                                           const bool good = load_part(at, count, moment, part);
                                           value |= part << (8 * position);
                                           return good;
                                       });
    result.value = value;
    result.cycles += cost.load;
    if (result.result == outcome::fault) {
        fault_cause_ = cause::load_access_fault;
        fault_cycles_ = result.cycles;
    }
    return result;
}

iss::elsewhere iss::store_elsewhere(std::uint32_t address, unsigned bytes, std::uint32_t value, cycle when,
                                    cycle until) {
    elsewhere result = access_in_parts(address, bytes, when, until,
                                       [&](std::uint32_t at, unsigned count, unsigned position, cycle moment) {
                                           return store_part(at, count, moment, value >> (8 * position));
                                       });
    result.cycles += cost.store;
    if (result.result == outcome::fault) {
        fault_cause_ = cause::store_access_fault;
        fault_cycles_ = result.cycles;
    }
    return result;
}

bool iss::load_part(std::uint32_t address, unsigned bytes, cycle when, std::uint32_t& value) {
    const image& source = program_->source();
    value = 0;
    if (inside(address, bytes, instruction_base, source.instruction.size())) {
        std::memcpy(&value, source.instruction.data() + (address - instruction_base), bytes);
        return true;
    }
    if (inside(address, bytes, data_base, data_.size())) {
        const std::uint32_t offset = address - data_base;
        if (!codes_.read_bytes(offset, bytes)) bus_->spoilt(when);
        std::memcpy(&value, data_.data() + offset, bytes);
        return true;
    }
    if (address < bus_base) return false;
    bool good = true;
    for (unsigned done = 0; done < bytes;) {
        const unsigned piece = aligned_piece(address + done, bytes - done);
        std::uint32_t part = 0;
        good = bus_->load(when, address + done, piece, part) && good;
        value |= part << (8 * done);
        done += piece;
    }
    return good;
}

bool iss::store_part(std::uint32_t address, unsigned bytes, cycle when, std::uint32_t value) {
    if (inside(address, bytes, data_base, data_.size())) {
        const std::uint32_t offset = address - data_base;
        if (!codes_.write_bytes(offset, bytes)) bus_->spoilt(when);
        std::memcpy(data_.data() + offset, &value, bytes);
        return true;
    }
    if (address < bus_base) return false;
    bool good = true;
    for (unsigned done = 0; done < bytes;) {
        const unsigned piece = aligned_piece(address + done, bytes - done);
        const std::uint32_t mask = piece == 4 ? ~0u : (1u << (8 * piece)) - 1u;
        good = bus_->store(when, address + done, piece, value >> (8 * done) & mask) && good;
        done += piece;
    }
    return good;
}

std::optional<std::uint8_t> iss::peek(std::uint32_t address) const {
    const image& source = program_->source();
    if (inside(address, 1, instruction_base, source.instruction.size()))
        return source.instruction[address - instruction_base];
    if (inside(address, 1, data_base, data_.size())) return data_[address - data_base];
    if (address < bus_base || ni::is_register(address)) return std::nullopt;
    std::uint32_t value = 0;
    if (!bus_->load(now_, address, 1, value)) return std::nullopt;
    return static_cast<std::uint8_t>(value);
}

bool iss::poke(std::uint32_t address, std::uint8_t value) {
    if (address < data_base || ni::is_register(address)) return false;
    return store_part(address, 1, now_, value);
}

}  // namespace polycast::hw::riscv
