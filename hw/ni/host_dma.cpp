// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/host_dma.h"

#include <algorithm>
#include <utility>

namespace polycast::hw::ni {

host_dma::host_dma(const ni_params& params, timeline& time, packet_memory& memory, host_pages& pages,
                   event_queue& events, host_side& host, observer* watcher)
    : params_(params), time_(time), memory_(memory), pages_(pages), events_(events), host_(host), watcher_(watcher) {}

cycle host_dma::bus_cycles(std::uint32_t bytes) const {
    const auto& rate = params_.bus_cycles_per_byte;
    const std::int64_t exact = rate.numerator() * static_cast<std::int64_t>(bytes);
    return static_cast<cycle>((exact + rate.denominator() - 1) / rate.denominator());
}

bool host_dma::accept() {
    if (waiting() < params_.dma_queue) return true;
    wanted_ = true;
    return false;
}

bool host_dma::push(const host_transfer& transfer) {
    if (!accept()) return false;
    (transfer.to_host ? to_host_ : from_host_).push({transfer, order_++, no_completion});
    start(time_.now());
    return true;
}

bool host_dma::push(std::uint8_t process, const completion_words& words) {
    if (!accept()) return false;
    std::uint32_t place = static_cast<std::uint32_t>(words_.size());
    if (free_words_.empty()) {
        words_.push_back(words);
    } else {
        place = free_words_.back();
        free_words_.pop_back();
        words_[place] = words;
    }
    request next;
    next.transfer.process = process;
    next.transfer.to_host = true;
    next.order = order_++;
    next.completion = place;
    to_host_.push(next);
    start(time_.now());
    return true;
}

/// The queue whose turn it is. A completion overtakes no transfer, whatever the arbitration: it tells of them.
growing_queue<host_dma::request>* host_dma::choose() {
    if (to_host_.empty()) return from_host_.empty() ? nullptr : &from_host_;
    if (from_host_.empty()) return &to_host_;
    const bool older = to_host_.front().order < from_host_.front().order;
    if (to_host_.front().completion != no_completion && !older) return &from_host_;
    bool to_host = older;
    switch (params_.arbitration) {
        case bus_arbitration::fifo: break;
        case bus_arbitration::to_host: to_host = true; break;
        case bus_arbitration::from_host: to_host = false; break;
        case bus_arbitration::round_robin: to_host = !last_to_host_; break;
    }
    return to_host ? &to_host_ : &from_host_;
}

void host_dma::start(cycle now) {
    while (!busy_) {
        growing_queue<request>* const queue = choose();
        if (queue == nullptr) return;
        const request next = queue->front();
        queue->pop();
        if (std::exchange(wanted_, false)) events_.push(event_kind::dma_ready, 0);
        busy_ = begin(next, now);
    }
}

/// \returns false if the request was refused and the bus is free for the next.
bool host_dma::begin(const request& next, cycle now) {
    const host_transfer& transfer = next.transfer;
    cycle duration = 0;
    if (next.completion != no_completion) {
        if (transfer.process >= pages_.processes() || pages_.queue(transfer.process).full()) {
            lose_completion(transfer.process);
            free_words_.push_back(next.completion);
            return false;
        }
        if (params_.charge_completions) duration = bus_cycles(completion_bytes);
    } else {
        const dma_error error = refusal(transfer);
        if (error != dma_error::none) {
            refuse(transfer, error, now);
            release(transfer, now);
            return false;
        }
        duration = bus_cycles(transfer.length);
    }
    last_to_host_ = transfer.to_host;
    current_ = next;
    begun_ = now;
    bus_busy_ += duration;
    time_.schedule(now + duration, *this, epoch_);
    return true;
}

dma_error host_dma::refusal(const host_transfer& transfer) const {
    if (transfer.process >= pages_.processes()) return dma_error::no_process;
    if (transfer.window >= windows_per_process) return dma_error::no_window;
    const host_window& window = pages_.window(transfer.process, transfer.window);
    if (!window.registered()) return dma_error::no_window;
    if (!(transfer.to_host ? window.write : window.read)) return dma_error::forbidden;
    if (!window.contains(transfer.offset, transfer.length)) return dma_error::outside;
    return memory_.slot_of(transfer.address, transfer.length) == packet_memory::none ? dma_error::bad_address
                                                                                     : dma_error::none;
}

void host_dma::refuse(const host_transfer& transfer, dma_error error, cycle /*now*/) {
    ++refused_;
    last_error_ = error;
    if (error == dma_error::bad_address) events_.raise(ni_error::bad_slot);
    events_.push(event_kind::dma_refused, transfer.cookie);
}

void host_dma::due(cycle when, std::uint64_t tag) {
    if (tag != epoch_ || !busy_) return;
    busy_ = false;
    if (watcher_ != nullptr && watcher_->wants_spans()) report(when);
    if (current_.completion != no_completion) {
        finish_completion(when);
    } else {
        finish_transfer(when);
    }
    start(when);
}

void host_dma::finish_transfer(cycle now) {
    const host_transfer& transfer = current_.transfer;
    // The window may have been taken away meanwhile, and the slot, too.
    dma_error error = refusal(transfer);
    if (error == dma_error::none && transfer.length != 0) {
        const std::uint32_t slot = transfer.address / memory_.slot_bytes();
        const std::span<std::uint8_t> bytes =
            memory_.bytes(slot).subspan(transfer.address % memory_.slot_bytes(), transfer.length);
        const std::uint64_t address = pages_.window(transfer.process, transfer.window).address + transfer.offset;
        const bool moved =
            transfer.to_host ? host_.dma_write(now, address, bytes) : host_.dma_read(now, address, bytes);
        if (!moved) error = dma_error::outside;
    }
    if (error != dma_error::none) refuse(transfer, error, now);
    release(transfer, now);
    if (error == dma_error::none && transfer.notify) events_.push(event_kind::dma_done, transfer.cookie);
}

void host_dma::finish_completion(cycle now) {
    const std::uint8_t process = current_.transfer.process;
    const completion_words words = words_[current_.completion];
    free_words_.push_back(current_.completion);
    completion_queue& queue = pages_.queue(process);
    if (queue.full()) {
        lose_completion(process);
        return;
    }
    std::array<std::uint8_t, completion_bytes> entry;
    for (std::size_t word = 0; word < words.size(); ++word) put_bytes(&entry[4 * word], 4, words[word]);
    put_bytes(&entry[4 * words.size()], 4, queue.written + 1);
    if (!host_.dma_write(now, queue.next(), entry)) {
        lose_completion(process);
        return;
    }
    ++queue.written;
    if (queue.interrupt) host_.completion(now, process);
}

void host_dma::lose_completion(std::uint8_t process) {
    ++lost_;
    last_error_ = process < pages_.processes() ? dma_error::completion_overflow : dma_error::no_process;
    if (process < pages_.processes()) ++pages_.queue(process).lost;
    events_.raise(ni_error::completion_lost);
}

void host_dma::release(const host_transfer& transfer, cycle now) {
    if (transfer.release_slot && !memory_.release(transfer.address / memory_.slot_bytes(), now))
        events_.raise(ni_error::bad_slot);
}

/// Tells the observer of the use of the bus that has ended.
void host_dma::report(cycle now) {
    span_record span{.host = params_.host, .where = resource::bus, .begin = begun_, .end = now};
    if (current_.completion != no_completion) {
        const completion_words& words = words_[current_.completion];
        span.what = 2;
        span.source = (words[2] & 0xffffffu) == 0xffffffu ? ~0u : words[2] & 0xffffffu;
        span.message = words[3];
    } else {
        span.what = current_.transfer.to_host ? 1 : 0;
        const std::uint32_t slot = memory_.slot_of(current_.transfer.address, 0);
        if (slot != packet_memory::none) {
            span.source = memory_.word(slot, slot_word::source);
            span.message = memory_.word(slot, slot_word::message);
            span.offset = memory_.word(slot, slot_word::offset);
        }
    }
    watcher_->used(span);
}

void host_dma::count(ni_statistics& statistics) const {
    statistics.transfers_refused = refused_;
    statistics.completions_lost = lost_;
    statistics.bus_busy = bus_busy_;
}

void host_dma::reset() {
    from_host_.clear();
    to_host_.clear();
    words_.clear();
    free_words_.clear();
    busy_ = wanted_ = last_to_host_ = false;
    last_error_ = dma_error::none;
    ++epoch_;
}

std::size_t host_dma::memory_bytes() const {
    return from_host_.memory_bytes() + to_host_.memory_bytes() + words_.capacity() * sizeof(completion_words) +
           free_words_.capacity() * sizeof(std::uint32_t);
}

}  // namespace polycast::hw::ni
