// SPDX-License-Identifier: Apache-2.0
#include "hw/host/process.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "hw/host/command_words.h"
#include "hw/input_error.h"
#include "hw/ni/abi/ni_registers.h"

namespace polycast::hw::host {

namespace {

using boost::endian::load_little_u32;
using boost::endian::store_little_u32;

// A process's part of host memory: 32 GiB each, the first 32 GiB belong to none.
constexpr std::uint64_t part_bytes = std::uint64_t{1} << 35;
constexpr std::uint64_t receive_at = std::uint64_t{1} << 32;
constexpr std::uint64_t queue_at = std::uint64_t{2} << 32;
constexpr std::uint64_t statistics_at = std::uint64_t{3} << 32;
constexpr std::uint64_t region_at = std::uint64_t{4} << 32;  ///< in the part at interface 0
constexpr unsigned send_window = 0;
constexpr unsigned receive_window = 1;
constexpr unsigned statistics_window = 2;
constexpr unsigned entry_bytes = 4 * NI_COMPLETION_WORDS;
constexpr std::size_t reports_kept = 100;
constexpr std::uint32_t most_hosts = 0xffffff;

// Tags on the timeline: what, and the number of a record.
constexpr std::uint64_t what_send = 0;
constexpr std::uint64_t what_receive = 1;
constexpr std::uint64_t what_pump = 2;
constexpr std::uint64_t what_withdraw = 3;
constexpr std::uint64_t tag_of(std::uint64_t what, std::uint32_t index) {
    return what << 32 | index;
}

/// Cycles until an interface without packet memory for a withdrawal is asked again.
constexpr cycle withdraw_again = 1000;

constexpr std::uint32_t cookie_mask = (1u << process_cookie_shift) - 1;

const process_params& checked(const process_params& params) {
    if (params.hosts == 0 || params.hosts > most_hosts || params.host >= params.hosts)
        throw input_error("host: number " + std::to_string(params.host) + " of " + std::to_string(params.hosts) +
                          " hosts");
    if (params.processes == 0 || params.processes > NI_HOST_PROCESS_ELEMENTS || params.process >= params.processes)
        throw input_error("host: process " + std::to_string(params.process) + " of " +
                          std::to_string(params.processes));
    if (params.message_bytes == 0) throw input_error("host: a message has at least one byte");
    if (params.payload_bytes == 0) throw input_error("host: a packet carries at least one byte");
    if (params.queue_entries == 0) throw input_error("host: the completion queue has no entry");
    if (params.command_bytes < 4 * (NI_COMMAND_WORDS + 1) || params.command_bytes > NI_HOST_PROCESS_COMMAND_BUFFER_SIZE)
        throw input_error("host: commands of " + std::to_string(params.command_bytes) + " bytes");
    return params;
}

}  // namespace

process::process(const process_params& params, ni::timeline& time, host_memory& memory, host_processor& processor,
                 ni_port& port, manager& of)
    : params_(checked(params)),
      time_(time),
      memory_(memory),
      processor_(processor),
      port_(port),
      manager_(of),
      page_(NI_HOST_PROCESS_BASE + params.process * NI_HOST_PROCESS_STRIDE),
      base_((std::uint64_t{params.interface} * NI_HOST_PROCESS_ELEMENTS + params.process + 1) * part_bytes),
      receive_address_(base_ + receive_at),
      region_address_((std::uint64_t{params.process} + 1) * part_bytes + region_at),
      send_area_(memory, base_, window_bytes) {
    // Buffers from half a page on have pages of their own, which can be given back.
    const std::uint64_t step = params.message_bytes > host_memory::page_bytes / 2 ? host_memory::page_bytes : 64;
    buffer_stride_ = (std::uint64_t{params.message_bytes} + step - 1) / step * step;
    buffers_most_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(window_bytes / buffer_stride_, cookie_mask));
    if (buffers_most_ == 0)
        throw input_error("host: no receive buffer of " + std::to_string(params.message_bytes) + " bytes fits");
    const unsigned allowed = most_receive_buffers / params.processes;
    if (params.receive_buffers > allowed)
        throw input_error("host: " + std::to_string(params.receive_buffers) + " receive buffers, but firmware takes " +
                          std::to_string(allowed) + " from each process");
    target_ = params.receive_buffers != 0 ? params.receive_buffers
                                          : std::min({std::clamp(2 * params.hosts, 64u, 256u), allowed});
}

void process::start(process_client& client) {
    client_ = &client;
    const cycle now = time_.now();
    const unsigned self = params_.process;
    manager_.open_window(self, send_window, {.address = send_area_.address(), .bytes = window_bytes, .read = true});
    manager_.open_window(self, receive_window, {.address = receive_address_, .bytes = window_bytes, .write = true});
    manager_.open_window(self, statistics_window,
                         {.address = base_ + statistics_at, .bytes = 4 * NI_STATISTICS, .write = true});
    manager_.open_queue(self, base_ + queue_at, params_.queue_entries);
    manager_.set_job(self, params_.job);
    manager_.enable(self, params_.observes);
    write_register(now, NI_HOST_PROCESS_QUEUE_INTERRUPT, NI_HOST_PROCESS_QUEUE_INTERRUPT_ENABLE_MASK);
    entries_read_ = 0;
    while (posted_ < target_ && post(now)) continue;
}

void process::send(const send_order& order, std::span<const std::uint8_t> content) {
    check_order(params_, order, content.size());
    const auto bytes = static_cast<std::uint32_t>(content.size());
    const std::optional<std::uint32_t> offset = send_area_.allocate(bytes);
    if (!offset) throw std::length_error("send: the window for messages to be sent is full");
    if (!memory_.write(send_area_.address() + *offset, content)) {
        send_area_.release(*offset, bytes);
        throw std::length_error("send: host memory ends before the message");
    }
    call({true, order, *offset, bytes, false});
}

/// t_hs, then the command.
void process::call(send_record&& record) {
    ++statistics_.sends;
    const cycle done = params_.overheads_by_program
                           ? time_.now()
                           : processor_.serve(time_.now(), overhead_of(params_.send_overhead, record.bytes),
                                              overhead::send, params_.host, record.order.number);
    time_.schedule(done, *this, tag_of(what_send, sends_.add(std::move(record))));
}

void process::withdraw(std::uint32_t to, std::uint32_t ticket) {
    if (to >= params_.hosts || to == params_.host) throw std::invalid_argument("withdraw: from a host that is none");
    submit(time_.now(), {command_kind::withdraw, withdrawals_.add({true, to, ticket}), 0});
}

ni_activity process::activity() {
    const std::uint32_t word = read_register(time_.now(), NI_HOST_PROCESS_ACTIVITY);
    return {word >> NI_HOST_PROCESS_ACTIVITY_SENDING_SHIFT & 0xffff,
            word >> NI_HOST_PROCESS_ACTIVITY_RECEIVING_SHIFT & 0xffff};
}

/// t_hs or t_hr of a message.
cycle process::overhead_of(cycle each, std::uint32_t bytes) const {
    return params_.overheads_per_packet ? each * ((bytes - 1) / params_.payload_bytes + 1) : each;
}

void process::set_group(const group_order& order, std::uint64_t context) {
    group_record record;
    record.active = true;
    record.order = checked_order(params_, order);
    record.parts = commands_of(params_, record.order);
    record.context = context;
    const std::uint32_t parts = record.parts;
    const std::uint32_t index = groups_.add(std::move(record));
    for (std::uint32_t part = 0; part < parts; ++part) submit(time_.now(), {command_kind::group, index, part});
}

void process::clear_group(std::uint32_t root, std::uint16_t group, std::uint64_t context) {
    group_record record;
    record.active = true;
    record.clear = true;
    record.order.root = root;
    record.order.group = group;
    record.context = context;
    submit(time_.now(), {command_kind::group, groups_.add(std::move(record)), 0});
}

void process::read_statistics() {
    ++questions_;
    submit(time_.now(), {command_kind::statistics, 0, 0});
}

std::span<const std::uint8_t> process::bytes(const delivery& message, std::vector<std::uint8_t>& scratch) const {
    return memory_.view(buffer_address(message.buffer), message.bytes, scratch);
}

void process::release(const delivery& message) {
    if (message.buffer >= buffers_.size() || buffers_[message.buffer].state != buffer_state::kept)
        throw std::invalid_argument("release: the buffer was given back already");
    buffers_[message.buffer].state = buffer_state::free;
    free_buffers_.push_back(message.buffer);
    --kept_;
    memory_.release(buffer_address(message.buffer), buffer_stride_);
    while (posted_ < target_ && post(time_.now())) continue;
}

/// Posts a receive buffer. \returns false if the window has none left.
bool process::post(cycle when) {
    std::uint32_t index = 0;
    if (!free_buffers_.empty()) {
        index = free_buffers_.back();
        free_buffers_.pop_back();
    } else {
        if (buffers_.size() >= buffers_most_) return false;
        index = static_cast<std::uint32_t>(buffers_.size());
        buffers_.emplace_back();
    }
    buffers_[index].state = buffer_state::posted;
    ++posted_;
    submit(when, {command_kind::receive, index, 0});
    return true;
}

void process::submit(cycle when, waiting_command command) {
    const bool urgent = command.kind == command_kind::receive || command.kind == command_kind::landing ||
                        command.kind == command_kind::counter;
    (urgent ? urgent_ : waiting_).push_back(command);
    pump(when);
    statistics_.commands_waiting_max = std::max(statistics_.commands_waiting_max, urgent_.size() + waiting_.size());
}

void process::pump(cycle when) {
    while (!urgent_.empty() || !waiting_.empty()) {
        if (space_ == 0) {
            if (full_) return;
            space_ = read_register(when, NI_HOST_PROCESS_COMMAND_SPACE);
            full_ = space_ == 0;
            if (full_) return;
        }
        std::deque<waiting_command>& queue = urgent_.empty() ? waiting_ : urgent_;
        const waiting_command command = queue.front();
        queue.pop_front();
        --space_;
        ring(when, command);
    }
}

void process::ring(cycle when, const waiting_command& command) {
    words_.assign(NI_COMMAND_WORDS, 0);
    switch (command.kind) {
        case command_kind::send: {
            send_record& record = sends_.items[command.index];
            record.given = true;
            compose_send(params_, record.order, record.region ? region_window : send_window, record.offset,
                         record.bytes, words_);
            break;
        }
        case command_kind::group: {
            const group_record& record = groups_.items[command.index];
            compose_group(params_, record.order, command.part, words_);
            if (record.clear) words_[NI_COMMAND_OPERATION] = NI_COMMAND_CLEAR_GROUP;
            break;
        }
        case command_kind::receive:
            words_[NI_COMMAND_OPERATION] = NI_COMMAND_RECEIVE | receive_window << 8;
            words_[NI_COMMAND_OFFSET] = static_cast<std::uint32_t>(command.index * buffer_stride_);
            words_[NI_COMMAND_LENGTH] = params_.message_bytes;
            break;
        case command_kind::statistics:
            words_[NI_COMMAND_OPERATION] = NI_COMMAND_STATISTICS | statistics_window << 8;
            words_[NI_COMMAND_LENGTH] = 4 * NI_STATISTICS;
            break;
        case command_kind::withdraw:
            withdrawals_.items[command.index].given = true;
            words_[NI_COMMAND_OPERATION] = NI_COMMAND_WITHDRAW;
            words_[NI_COMMAND_TO] = withdrawals_.items[command.index].to;
            words_[NI_COMMAND_GROUP] = withdrawals_.items[command.index].ticket;
            break;
        case command_kind::landing: compose_landing(landings_.items[command.index].order, region_window, words_); break;
        case command_kind::counter:
            words_[NI_COMMAND_OPERATION] = NI_COMMAND_SET_COUNTER;
            words_[NI_COMMAND_GROUP] = counters_.items[command.index].counter;
            words_[NI_COMMAND_LENGTH] = counters_.items[command.index].value;
            break;
        case command_kind::given: break;  // not by the driver
    }
    words_[NI_COMMAND_COOKIE] = static_cast<std::uint32_t>(command.kind) << process_cookie_shift | command.index;
    scratch_.resize(4 * words_.size());
    for (std::size_t word = 0; word < words_.size(); ++word) store_little_u32(&scratch_[4 * word], words_[word]);
    if (!port_.host_write(when, page_ + NI_HOST_PROCESS_COMMAND_BUFFER_BASE, scratch_)) ++statistics_.bus_errors;
    write_register(when, NI_HOST_PROCESS_DOORBELL, static_cast<std::uint32_t>(scratch_.size()));
    ++statistics_.commands;
}

void process::command_space(cycle when) {
    // The interface is in the middle of something: the doorbell rings a moment later, in the same cycle.
    if (full_ && !(urgent_.empty() && waiting_.empty())) time_.schedule(when, *this, tag_of(what_pump, 0));
    full_ = false;
}

void process::due(cycle when, std::uint64_t tag) {
    const auto index = static_cast<std::uint32_t>(tag);
    switch (tag >> 32) {
        case what_send: submit(when, {command_kind::send, index, 0}); break;
        case what_withdraw: submit(when, {command_kind::withdraw, index, 0}); break;
        case what_receive: {
            buffers_[index].state = buffer_state::kept;
            ++kept_;
            --receiving_;
            ++statistics_.received;
            const delivery message = buffers_[index].message;
            client_->received(when, message);
            break;
        }
        default: pump(when); break;
    }
}

void process::completion(cycle when) {
    std::array<std::uint8_t, entry_bytes> bytes;
    std::array<std::uint32_t, NI_COMPLETION_WORDS> entry;
    for (;;) {
        const std::uint64_t at = base_ + queue_at + std::uint64_t{entries_read_ % params_.queue_entries} * entry_bytes;
        memory_.read(at, bytes);
        if (load_little_u32(&bytes[4 * NI_COMPLETION_NUMBER]) != entries_read_ + 1) return;
        for (std::size_t word = 0; word < entry.size(); ++word) entry[word] = load_little_u32(&bytes[4 * word]);
        ++entries_read_;
        write_register(when, NI_HOST_PROCESS_QUEUE_READ, entries_read_);
        handle(when, entry);
    }
}

void process::handle(cycle when, std::span<const std::uint32_t, NI_COMPLETION_WORDS> entry) {
    const std::uint32_t cookie = entry[NI_COMPLETION_COOKIE];
    const std::uint32_t index = cookie & cookie_mask;
    const auto kind = static_cast<command_kind>(cookie >> process_cookie_shift);
    const std::uint32_t code = entry[NI_COMPLETION_KIND] >> 8 & 0xff;
    const auto status = static_cast<ni_status>(std::min<std::uint32_t>(code, NI_STATUSES));
    const std::uint32_t what = entry[NI_COMPLETION_KIND] & 0xff;
    if (kind == command_kind::given) {
        if (what == NI_COMPLETION_ERROR || what == NI_COMPLETION_FAILED) report(when, entry);
        return;
    }
    if (what == NI_COMPLETION_LACKS && kind == command_kind::send)
        return lacks(index, {entry[NI_COMPLETION_SOURCE] & 0xffffff, status});
    if (what == NI_COMPLETION_FAILED && kind == command_kind::send) return send_failed(when, index, status, entry);
    if (what == NI_COMPLETION_FAILED && status == NI_STATUS_TABLE_FULL && kind == command_kind::withdraw &&
        index < withdrawals_.items.size()) {
        withdrawals_.items[index].given = false;
        return time_.schedule(when + withdraw_again, *this, tag_of(what_withdraw, index));
    }
    if (what == NI_COMPLETION_ERROR || what == NI_COMPLETION_FAILED) {
        report(when, entry);
        if (what == NI_COMPLETION_FAILED) answer(when, kind, index, status);
        return;
    }
    const bool fits = (what == NI_COMPLETION_SENT && kind == command_kind::send) ||
                      (what == NI_COMPLETION_RECEIVED && kind == command_kind::receive) ||
                      (what == NI_COMPLETION_GROUP_SET && kind == command_kind::group) ||
                      (what == NI_COMPLETION_STATISTICS && kind == command_kind::statistics) ||
                      (what == NI_COMPLETION_WITHDRAWN && kind == command_kind::withdraw) ||
                      (what == NI_COMPLETION_RECEIVED && kind == command_kind::landing && as_expected(index, entry)) ||
                      (what == NI_COMPLETION_COUNTER_SET && kind == command_kind::counter);
    if (!fits)
        ++statistics_.bad_completions;
    else if (kind == command_kind::receive)
        message_arrived(when, index, entry);
    else
        answer(when, kind, index, status);
}

void process::message_arrived(cycle when, std::uint32_t index,
                              std::span<const std::uint32_t, NI_COMPLETION_WORDS> entry) {
    if (index >= buffers_.size() || buffers_[index].state != buffer_state::posted ||
        entry[NI_COMPLETION_LENGTH] > params_.message_bytes) {
        ++statistics_.bad_completions;
        return;
    }
    buffer_record& record = buffers_[index];
    record.state = buffer_state::arrived;
    --posted_;
    ++receiving_;
    record.message = {index,
                      entry[NI_COMPLETION_SOURCE] & 0xffffff,
                      entry[NI_COMPLETION_KIND] >> 16,
                      entry[NI_COMPLETION_MESSAGE],
                      entry[NI_COMPLETION_LENGTH],
                      entry[NI_COMPLETION_TAG],
                      static_cast<std::uint16_t>(entry[NI_COMPLETION_GROUP])};
    const cycle done = params_.overheads_by_program
                           ? when
                           : processor_.serve(when, overhead_of(params_.receive_overhead, record.message.bytes),
                                              overhead::receive, record.message.source, record.message.number);
    time_.schedule(done, *this, tag_of(what_receive, index));
    while (posted_ < target_ && post(when)) continue;
}

void process::answer_landing(cycle when, std::uint32_t index, ni_status status) {
    const std::uint64_t context = landings_.items[index].order.context;
    landings_.remove(index);
    if (status == NI_STATUS_OK) ++statistics_.landed;
    client_->landed(when, context, status);
}

/// The message has the expected length.
bool process::as_expected(std::uint32_t index, std::span<const std::uint32_t, NI_COMPLETION_WORDS> entry) const {
    return index < landings_.items.size() && landings_.items[index].active &&
           landings_.items[index].order.bytes == entry[NI_COMPLETION_LENGTH];
}

/// A command has been answered, successfully or not.
void process::answer(cycle when, command_kind kind, std::uint32_t index, ni_status status) {
    switch (kind) {
        case command_kind::send: return answer_send(when, index, status, false);
        case command_kind::receive:
            if (index >= buffers_.size() || buffers_[index].state != buffer_state::posted) break;
            buffers_[index].state = buffer_state::free;
            free_buffers_.push_back(index);
            --posted_;
            // A buffer that was not taken would not be taken again; one that a message has failed in is replaced.
            if (status == NI_STATUS_TABLE_FULL || status == NI_STATUS_BAD_COMMAND) --target_;
            while (posted_ < target_ && post(when)) continue;
            return;
        case command_kind::group: {
            if (index >= groups_.items.size() || !groups_.items[index].active) break;
            group_record& record = groups_.items[index];
            if (record.status == NI_STATUS_OK) record.status = status;
            if (++record.answers < record.parts) return;
            const std::uint64_t context = record.context;
            const ni_status worst = record.status;
            groups_.remove(index);
            client_->group_set(when, context, worst);
            return;
        }
        case command_kind::statistics: {
            if (questions_ == 0) break;
            --questions_;
            std::vector<std::uint32_t> words;
            if (status == NI_STATUS_OK) {
                std::vector<std::uint8_t> bytes(4 * NI_STATISTICS);
                memory_.read(base_ + statistics_at, bytes);
                for (std::size_t word = 0; word < NI_STATISTICS; ++word)
                    words.push_back(load_little_u32(&bytes[4 * word]));
            }
            client_->statistics(when, words);
            return;
        }
        case command_kind::withdraw:
            if (index >= withdrawals_.items.size() || !withdrawals_.items[index].active) break;
            withdrawals_.remove(index);
            return;
        case command_kind::landing:
            if (index >= landings_.items.size() || !landings_.items[index].active) break;
            return answer_landing(when, index, status);
        case command_kind::counter:
            if (index >= counters_.items.size() || !counters_.items[index].active) break;
            counters_.remove(index);
            return;
        case command_kind::given: return;
    }
    ++statistics_.bad_completions;
}

void process::report(cycle when, std::span<const std::uint32_t, NI_COMPLETION_WORDS> entry) {
    ni_report report;
    report.when = when;
    const std::uint32_t code = entry[NI_COMPLETION_KIND] >> 8 & 0xff;
    if (code >= NI_STATUSES) {
        ++statistics_.bad_completions;
    } else {
        ++statistics_.errors[code];
    }
    report.status = static_cast<ni_status>(code);
    const bool own = (entry[NI_COMPLETION_KIND] & 0xff) == NI_COMPLETION_FAILED;
    report.source = own ? ni_report::no_source : entry[NI_COMPLETION_SOURCE] & 0xffffff;
    report.message = entry[NI_COMPLETION_MESSAGE];
    report.tag = entry[NI_COMPLETION_TAG];
    report.group = static_cast<std::uint16_t>(entry[NI_COMPLETION_GROUP]);
    if (reports_.size() < reports_kept) reports_.push_back(report);
    client_->failed(when, report);
}

std::uint32_t process::read_register(cycle when, std::uint32_t offset) {
    std::array<std::uint8_t, 4> bytes{};
    if (!port_.host_read(when, page_ + offset, bytes)) ++statistics_.bus_errors;
    return load_little_u32(bytes.data());
}

void process::write_register(cycle when, std::uint32_t offset, std::uint32_t value) {
    std::array<std::uint8_t, 4> bytes;
    store_little_u32(bytes.data(), value);
    if (!port_.host_write(when, page_ + offset, bytes)) ++statistics_.bus_errors;
}

std::size_t process::memory_bytes() const {
    return sizeof(process) + sends_.items.capacity() * sizeof(send_record) +
           buffers_.capacity() * sizeof(buffer_record) + free_buffers_.capacity() * sizeof(std::uint32_t) +
           (urgent_.size() + waiting_.size()) * sizeof(waiting_command);
}

}  // namespace polycast::hw::host
