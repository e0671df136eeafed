// SPDX-License-Identifier: Apache-2.0
#include "testbench/firmware/ni_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace polycast::testbench::firmware {

namespace {

constexpr std::uint32_t payload_offset = 0x40;

std::uint32_t slot_bytes(const model_params& params) {
    return payload_offset + (params.payload + 3) / 4 * 4;
}

std::uint32_t word_of(const std::vector<std::uint8_t>& bytes, std::uint32_t offset) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + offset, 4);
    return value;
}

}  // namespace

ni_model::ni_model(const model_params& sizes)
    : params(sizes), memory_(std::make_unique<std::uint64_t[]>(ni_firmware_size() / 8 + 1)) {
    const ni_hardware hardware{
        this, [](void* self, std::uint32_t address) { return static_cast<ni_model*>(self)->load(address); },
        [](void* self, std::uint32_t address, std::uint32_t value) {
            static_cast<ni_model*>(self)->store(address, value);
        }};
    ni_firmware_start(state(), &hardware);
    take_effect();
}

// --- the world ---

bool ni_model::arrive(const packet& what) {
    const auto number = allocate(true);
    if (!number) return false;
    auto& bytes = slots_[*number].bytes;
    const auto put = [&](std::uint32_t offset, std::uint32_t value) { std::memcpy(bytes.data() + offset, &value, 4); };
    const auto length = static_cast<std::uint32_t>(what.payload.size());
    put(0x00, what.kind | what.vc_class << 5 | length << 16);
    put(0x04, what.source);
    put(0x08, what.sequence);
    put(0x0c, what.destination);
    put(0x10, what.op | what.process << 8 | what.source_process << 16);
    put(0x14, what.group | what.hops << 16);
    put(0x18, what.message);
    put(0x1c, what.offset);
    put(0x20, what.total);
    put(0x24, what.tag);
    put(0x2c, what.status);
    const auto room = std::min<std::size_t>(what.payload.size(), bytes.size() - payload_offset);
    std::copy_n(what.payload.begin(), room, bytes.begin() + payload_offset);
    slots_[*number].job = what.job;
    event(NI_EVENT_PACKET, *number);
    return true;
}

bool ni_model::command(std::uint32_t process, std::vector<std::uint32_t> words) {
    words.resize(params.command_bytes / 4);
    for (std::uint32_t i = 0; i < params.command_entries; ++i) {
        const std::uint32_t entry = process * params.command_entries + i;
        if (commands_.contains(entry)) continue;
        auto& bytes = commands_[entry];
        bytes.resize(params.command_bytes);
        std::memcpy(bytes.data(), words.data(), bytes.size());
        event(NI_EVENT_COMMAND, entry);
        return true;
    }
    return false;
}

bool ni_model::allowed(const transfer& what, window*& where) {
    const auto found = windows.find({what.window >> 8, what.window & 0xff});
    if (found == windows.end()) return false;
    where = &found->second;
    if (std::uint64_t{what.offset} + what.length > where->bytes.size()) return false;
    return (what.push & NI_DMA_PUSH_TO_HOST_MASK) != 0 ? where->write : where->read;
}

std::size_t ni_model::run_dma(std::size_t count) {
    std::size_t made = 0;
    for (; made < count && !dma_.empty(); ++made) {
        const transfer next = dma_.front();
        dma_.pop_front();
        if (std::exchange(dma_wanted_, false)) event(NI_EVENT_DMA_READY, 0);
        if (next.is_count) {
            const std::uint32_t interface = next.push >> NI_COUNTER_PUSH_INTERFACE_SHIFT;
            moved_before.push_back(moved_);
            if (interface < siblings.size()) siblings[interface]->count(next.push & NI_COUNTER_PUSH_COUNTER_MASK);
            continue;
        }
        if (next.is_completion) {
            const auto& word = next.words;
            completions[next.process].push_back({word[0] & 0xff, word[0] >> 8 & 0xff, word[0] >> 16, word[1], word[2],
                                                 word[3], word[4], word[5], word[6]});
            continue;
        }
        const std::uint32_t number = (next.address - NI_PACKET_MEMORY_BASE) / slot_bytes(params);
        used(number, "transferred");
        std::uint8_t* const local = memory_at(next.address, next.length);
        window* where = nullptr;
        const std::uint32_t cookie = next.push & NI_DMA_PUSH_COOKIE_MASK;
        if (!allowed(next, where)) {
            event(NI_EVENT_DMA_REFUSED, cookie);
        } else {
            std::uint8_t* const host = where->bytes.data() + next.offset;
            if ((next.push & NI_DMA_PUSH_TO_HOST_MASK) != 0)
                std::memcpy(host, local, next.length), moved_ += next.length;
            else
                std::memcpy(local, host, next.length);
            if ((next.push & NI_DMA_PUSH_NOTIFY_MASK) != 0) event(NI_EVENT_DMA_DONE, cookie);
        }
        if ((next.push & NI_DMA_PUSH_RELEASE_SLOT_MASK) != 0) release(number);
    }
    return made;
}

std::size_t ni_model::run_link(std::size_t count) {
    std::size_t taken = 0;
    for (; taken < count && !link.empty(); ++taken) {
        release(link.front().slot);
        sent.push_back(std::move(link.front()));
        link.pop_front();
        if (std::exchange(link_wanted_, false)) event(NI_EVENT_LINK_READY, 0);
    }
    return taken;
}

bool ni_model::run_timer() {
    return timer_ != 0 && advance(timer_left());
}

bool ni_model::advance(std::uint32_t cycles) {
    const bool due = timer_ != 0 && timer_left() <= cycles;
    time += cycles;
    if (!due) return false;
    timer_ = 0;
    event(NI_EVENT_TIMER, 0);
    return true;
}

void ni_model::event(std::uint32_t kind, std::uint32_t argument) {
    events_.push_back(kind << NI_EVENT_KIND_SHIFT | argument);
}

void ni_model::count(std::uint32_t counter) {
    ++counters[counter];
    if (told_.insert(counter).second) event(NI_EVENT_COUNTER, counter);
}

// --- firmware ---

ni_operation ni_model::step(unsigned roles) {
    const ni_operation done = ni_firmware_step(state(), roles);
    take_effect();
    return done;
}

std::vector<ni_operation> ni_model::run() {
    std::vector<ni_operation> operations;
    for (;;) {
        operations.push_back(step());
        if (operations.back() == NI_OPERATION_IDLE) break;
    }
    operations.pop_back();
    return operations;
}

void ni_model::settle(bool on_link) {
    do run();
    while (run_dma() + (on_link ? run_link() : 0) != 0 || !events_.empty());
}

void ni_model::expect_idle() {
    settle();
    EXPECT_EQ(slots_used(), 0u);
    EXPECT_EQ(commands_taken(), 0u);
}

std::uint32_t ni_model::slots_used() const {
    return static_cast<std::uint32_t>(
        std::count_if(slots_.begin(), slots_.end(), [](const slot& one) { return one.references != 0; }));
}

std::uint32_t ni_model::commands_taken() const {
    return static_cast<std::uint32_t>(commands_.size());
}

std::uint32_t ni_model::loads_of(std::uint32_t address) const {
    const auto found = loads_.find(address);
    return found == loads_.end() ? 0 : found->second;
}

std::uint32_t ni_model::statistic(unsigned which) {
    constexpr std::uint32_t spare = 200;
    windows[{0, spare}].bytes.resize(4 * NI_STATISTICS);
    EXPECT_TRUE(command(0, {NI_COMMAND_STATISTICS | spare << 8, 77, 0, 4 * NI_STATISTICS}));
    settle();
    EXPECT_FALSE(completions[0].empty());
    if (!completions[0].empty()) {
        EXPECT_EQ(completions[0].back().kind, static_cast<std::uint32_t>(NI_COMPLETION_STATISTICS));
        completions[0].pop_back();
    }
    return word_of(windows[{0, spare}].bytes, 4 * which);
}

// --- registers ---

std::optional<std::uint32_t> ni_model::allocate(bool receive) {
    const auto in_use = std::count_if(slots_.begin(), slots_.end(),
                                      [&](const slot& one) { return one.references != 0 && one.receive == receive; });
    if (static_cast<std::uint32_t>(in_use) >= (receive ? params.receive_slots : params.send_slots)) return std::nullopt;
    std::uint32_t number = 0;
    while (number < slots_.size() && slots_[number].references != 0) ++number;
    if (number == slots_.size()) slots_.emplace_back();
    slots_[number].references = 1;
    slots_[number].receive = receive;
    slots_[number].job.reset();
    // What the last user left must not matter.
    slots_[number].bytes.assign(slot_bytes(params), 0xa5);
    return number;
}

ni_model::slot& ni_model::used(std::uint32_t number, const char* what) {
    static slot nothing;
    if (number < slots_.size() && slots_[number].references != 0) return slots_[number];
    ADD_FAILURE() << "slot " << number << " is " << what << " but not in use";
    return nothing;
}

void ni_model::release(std::uint32_t number) {
    slot& one = used(number, "released");
    if (one.references == 0 || --one.references != 0 || one.receive) return;
    if (std::exchange(slot_wanted_, false)) event(NI_EVENT_SLOT_READY, 0);
}

packet ni_model::copy_of(std::uint32_t push) {
    packet made;
    made.slot = push & NI_LINK_PUSH_SLOT_MASK;
    const auto& bytes = used(made.slot, "sent").bytes;
    if (bytes.empty()) return made;
    const std::uint32_t op = word_of(bytes, 0x10);
    const std::uint32_t length = word_of(bytes, 0) >> 16;
    made.kind = word_of(bytes, 0) & 0xf;
    made.vc_class = word_of(bytes, 0) >> 5 & 7;
    made.source = word_of(bytes, 0x04);
    made.sequence = word_of(bytes, 0x08);
    made.destination = registers_[NI_LINK_DESTINATION];
    made.op = op & 0xff;
    made.process = op >> 8 & 0xff;
    made.source_process = op >> 16 & 0xff;
    made.group = word_of(bytes, 0x14) & 0xffff;
    made.hops = registers_[NI_LINK_HOPS];
    made.message = word_of(bytes, 0x18);
    made.offset = word_of(bytes, 0x1c);
    made.total = word_of(bytes, 0x20);
    made.tag = word_of(bytes, 0x24);
    // As the hardware stamps it, see ni.md.
    auto& stamp = slots_[made.slot].job;
    if (!stamp) stamp = job_of(made.source_process);
    made.job = *stamp;
    made.seal = (push & NI_LINK_PUSH_SEAL_MASK) != 0;
    made.payload.assign(bytes.begin() + payload_offset, bytes.begin() + payload_offset + length);
    if (made.kind == 0)
        EXPECT_LT(made.destination, params.hosts + params.units);
    else
        made.route = route_of(made.kind);
    return made;
}

/// What link-out copies at a push.
std::vector<std::uint8_t> ni_model::route_of(std::uint32_t kind) {
    const std::uint32_t address = registers_[NI_LINK_ROUTE];
    const auto byte_at = [&](std::uint32_t index) {
        std::uint32_t word = 0;
        std::memcpy(&word, memory_at((address + index) & ~3u, 4), 4);
        return static_cast<std::uint8_t>(word >> (address + index) % 4 * 8);
    };
    std::uint32_t length = 0;
    switch (kind) {
        case 1: length = (params.hosts + 7) / 8; break;
        case 2: length = params.stop_bytes; break;
        case 3:
            EXPECT_TRUE(byte_at(0) != 0 && byte_at(0) <= params.stops);
            length = 2 + byte_at(0) * params.stop_bytes;
            break;
        default: ADD_FAILURE() << "push of kind " << kind; break;
    }
    std::vector<std::uint8_t> route(length);
    for (std::uint32_t index = 0; index < length; ++index) route[index] = byte_at(index);
    EXPECT_FALSE(kind == 1 && std::ranges::all_of(route, [](std::uint8_t byte) { return byte == 0; }));
    return route;
}

std::uint8_t* ni_model::memory_at(std::uint32_t address, std::uint32_t bytes) {
    static std::array<std::uint8_t, 65536> nothing{};
    if (address >= NI_GROUP_MEMORY_BASE) {
        const std::uint32_t entry = (address - NI_GROUP_MEMORY_BASE) / 128;
        const std::uint32_t word = (address - NI_GROUP_MEMORY_BASE) % 128 / 4;
        const auto found = groups_.find(entry);
        if (found != groups_.end()) return reinterpret_cast<std::uint8_t*>(&found->second.words[word]);
        ADD_FAILURE() << "group entry " << entry << " is not in use";
    } else if (address >= NI_COMMAND_MEMORY_BASE) {
        const std::uint32_t entry = (address - NI_COMMAND_MEMORY_BASE) / params.command_bytes;
        const auto found = commands_.find(entry);
        if (found != commands_.end())
            return found->second.data() + (address - NI_COMMAND_MEMORY_BASE) % params.command_bytes;
        ADD_FAILURE() << "command entry " << entry << " is not taken";
    } else {
        const std::uint32_t size = slot_bytes(params);
        const std::uint32_t number = (address - NI_PACKET_MEMORY_BASE) / size;
        auto& of_slot = used(number, "accessed").bytes;
        const std::uint32_t offset = (address - NI_PACKET_MEMORY_BASE) % size;
        if (offset + bytes <= of_slot.size()) return of_slot.data() + offset;
        ADD_FAILURE() << "access beyond slot " << number;
    }
    return nothing.data();
}

std::uint32_t ni_model::load(std::uint32_t address) {
    EXPECT_EQ(address % 4, 0u);
    ++loads_[address];
    ++all_loads_;
    if (address >= NI_REGISTERS_BASE) return load_register(address);
    if (address >= NI_SLOT_JOBS_BASE) {
        EXPECT_FALSE(params.jobs.empty()) << "packets carry no jobs";
        return used((address - NI_SLOT_JOBS_BASE) / 4, "asked for its job").job.value_or(0);
    }
    std::uint32_t value = 0;
    std::memcpy(&value, memory_at(address, 4), 4);
    return value;
}

std::uint32_t ni_model::load_register(std::uint32_t address) {
    switch (address) {
        case NI_HOST: return params.host;
        case NI_HOSTS: return params.hosts;
        case NI_PAYLOAD: return params.payload;
        case NI_SLOT_BYTES: return slot_bytes(params);
        case NI_PROCESSES: return params.processes;
        case NI_COMMAND_BYTES: return params.command_bytes;
        case NI_COMMAND_ENTRIES: return params.command_entries;
        case NI_GROUP_ENTRIES: return params.group_entries;
        case NI_STOP_BYTES: return params.stop_bytes;
        case NI_STOPS: return params.stops;
        case NI_UNITS: return params.units;
        case NI_OPTIONS: return params.wait_mode | (params.jobs.empty() ? 0 : NI_OPTIONS_JOBS_MASK);
        case NI_RELIABLE_TIMEOUT: return params.reliable_timeout;
        case NI_RELIABLE_ATTEMPTS: return params.reliable_attempts;
        case NI_RELIABLE_ACK_DELAY: return params.reliable_ack_delay;
        case NI_RESTARTS: return params.restarts;
        case NI_TIME_LOW: return time;
        case NI_EVENT: {
            if (events_.empty()) return 0;
            const std::uint32_t event = events_.front();
            events_.pop_front();
            return event;
        }
        case NI_SLOT_ALLOCATE: {
            const auto number = allocate(false);
            slot_wanted_ = slot_wanted_ || !number;
            return number.value_or(all_ones);
        }
        case NI_LINK_SPACE:
            link_wanted_ = link_wanted_ || link.size() == params.link_queue;
            return params.link_queue - static_cast<std::uint32_t>(link.size());
        case NI_DMA_SPACE:
            dma_wanted_ = dma_wanted_ || dma_.size() == params.dma_queue;
            return params.dma_queue - static_cast<std::uint32_t>(dma_.size());
        case NI_GROUP_ENTRY:
            for (const auto& [entry, one] : groups_)
                if (one.number != no_group && one.root == registers_[NI_GROUP_ROOT] &&
                    one.number == registers_[NI_GROUP_NUMBER])
                    return entry;
            return all_ones;
        case NI_GROUP_ALLOCATE: {
            std::uint32_t entry = 0;
            while (groups_.contains(entry)) ++entry;
            if (entry >= params.group_entries) return all_ones;
            for (const auto& [number, one] : groups_)
                EXPECT_FALSE(one.number != no_group && one.root == registers_[NI_GROUP_ROOT] &&
                             one.number == registers_[NI_GROUP_NUMBER])
                    << "the table has this group";
            group& made = groups_[entry];
            made.words.fill(0xa5a5a5a5);  // what the last user left must not matter
            made.root = made.words[0] = registers_[NI_GROUP_ROOT];
            made.number = made.words[1] = registers_[NI_GROUP_NUMBER];
            return entry;
        }
        default: break;
    }
    if (address >= NI_JOB && address < NI_JOB + NI_JOB_STRIDE * params.processes) {
        EXPECT_FALSE(params.jobs.empty()) << "packets carry no jobs";
        return job_of((address - NI_JOB) / NI_JOB_STRIDE);
    }
    if (address >= NI_RIGHTS && address < NI_RIGHTS + NI_RIGHTS_STRIDE * params.processes)
        return NI_RIGHTS_ENABLE_MASK | (params.observes ? NI_RIGHTS_OBSERVE_MASK : 0);
    if (address < NI_COUNTER || address >= NI_COUNTER + NI_COUNTER_STRIDE * NI_COUNTER_ELEMENTS) {
        ADD_FAILURE() << "load of " << std::hex << address;
        return 0;
    }
    const std::uint32_t counter = (address - NI_COUNTER) / NI_COUNTER_STRIDE;
    told_.erase(counter);
    return counters[counter];
}

void ni_model::store(std::uint32_t address, std::uint32_t value) {
    EXPECT_EQ(address % 4, 0u);
    if (address < NI_REGISTERS_BASE) {
        std::memcpy(memory_at(address, 4), &value, 4);
    } else if (params.late_stores && address != NI_GROUP_ROOT && address != NI_GROUP_NUMBER &&
               address != NI_GROUP_FREE) {
        late_.emplace_back(address, value);
    } else {
        apply(address, value);
    }
}

void ni_model::take_effect() {
    if (!hold_stores) make(take_held());
}

void ni_model::make(const late_stores& stores) {
    for (const auto& [address, value] : stores) apply(address, value);
}

void ni_model::apply(std::uint32_t address, std::uint32_t value) {
    registers_[address] = value;
    switch (address) {
        case NI_SLOT_HOLD:
            EXPECT_NE(value >> 20, 0u);
            used(value & NI_SLOT_HOLD_SLOT_MASK, "held").references += value >> 20;
            break;
        case NI_SLOT_RELEASE: release(value); break;
        case NI_LINK_PUSH:
            EXPECT_LT(link.size(), params.link_queue) << "push to a full link queue";
            link.push_back(copy_of(value));
            break;
        case NI_DMA_PUSH:
        case NI_COUNTER_PUSH:
        case NI_COMPLETION_PUSH: {
            EXPECT_LT(dma_.size(), params.dma_queue) << "push to a full transfer queue";
            transfer made;
            made.is_completion = address == NI_COMPLETION_PUSH;
            made.is_count = address == NI_COUNTER_PUSH;
            made.process = value;
            for (std::uint32_t i = 0; i < 7; ++i) made.words[i] = registers_[NI_COMPLETION + 4 * i];
            made.window = registers_[NI_DMA_WINDOW];
            made.offset = registers_[NI_DMA_OFFSET];
            made.address = registers_[NI_DMA_ADDRESS];
            made.length = registers_[NI_DMA_LENGTH];
            made.push = value;
            EXPECT_TRUE(!made.is_completion || value < params.processes);
            if (address == NI_DMA_PUSH) {
                auto& stamp = used((made.address - NI_PACKET_MEMORY_BASE) / slot_bytes(params), "transferred").job;
                if (!stamp) stamp = job_of(made.window >> 8);
                EXPECT_EQ(*stamp, job_of(made.window >> 8)) << "for a process of another job";
            }
            dma_.push_back(made);
            break;
        }
        case NI_COMMAND_DONE: EXPECT_EQ(commands_.erase(value), 1u) << "command " << value << " was not taken"; break;
        case NI_GROUP_FREE: EXPECT_EQ(groups_.erase(value), 1u) << "group entry " << value << " was not in use"; break;
        case NI_JOB_REFUSED: ++jobs_refused[value]; break;
        case NI_TIMER:
            timer_ = value;
            timer_at_ = time + value;
            ++timer_starts_;
            break;
        case NI_INTERRUPT_ENABLE: interrupt_enable_ = value; break;
        case NI_PANIC: panic_ = value; break;
        case NI_GROUP_ROOT:
        case NI_GROUP_NUMBER:
        case NI_LINK_DESTINATION:
        case NI_LINK_HOPS:
        case NI_LINK_ROUTE:
        case NI_DMA_WINDOW:
        case NI_DMA_OFFSET:
        case NI_DMA_ADDRESS:
        case NI_DMA_LENGTH: break;
        default:
            if (address >= NI_COUNTER && address < NI_COUNTER + NI_COUNTER_STRIDE * NI_COUNTER_ELEMENTS)
                counters[(address - NI_COUNTER) / NI_COUNTER_STRIDE] = value;
            else
                EXPECT_TRUE(address >= NI_COMPLETION && address < NI_COMPLETION_PUSH) << std::hex << address;
            break;
    }
}

}  // namespace polycast::testbench::firmware
