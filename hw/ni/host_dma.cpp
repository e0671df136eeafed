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

bool host_dma::enqueue(const request& next) {
    growing_queue<request>& direction = next.transfer.to_host ? to_host_ : from_host_;
    direction.push(next);
    direction.back().order = order_++;
    start(time_.now());
    return true;
}

bool host_dma::push(const host_transfer& transfer) {
    return accept() && enqueue({.transfer = transfer});
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
    return enqueue(
        {.transfer = {.process = process, .to_host = true}, .kind = request_kind::completion, .number = place});
}

bool host_dma::push_count(std::uint8_t interface, std::uint8_t counter) {
    return accept() &&
           enqueue(
               {.transfer = {.to_host = true}, .kind = request_kind::count, .interface = interface, .number = counter});
}

/// The queue whose turn it is. Completions and counts overtake no transfer, whatever the arbitration: they tell of
/// them.
growing_queue<host_dma::request>* host_dma::choose() {
    if (to_host_.empty()) return from_host_.empty() ? nullptr : &from_host_;
    if (from_host_.empty()) return &to_host_;
    const bool older = to_host_.front().order < from_host_.front().order;
    if (to_host_.front().kind != request_kind::transfer && !older) return &from_host_;
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
    if (params_.duplex) {
        while (!uses_[0].busy && !from_host_.empty()) start(0, from_host_, now);
        while (!uses_[1].busy && !to_host_.empty()) start(1, to_host_, now);
        return;
    }
    while (!uses_[0].busy) {
        growing_queue<request>* const queue = choose();
        if (queue == nullptr) return;
        start(0, *queue, now);
    }
}

void host_dma::start(unsigned use, growing_queue<request>& queue, cycle now) {
    const request next = queue.front();
    queue.pop();
    if (std::exchange(wanted_, false)) events_.push(event_kind::dma_ready, 0);
    uses_[use].busy = begin(use, next, now);
}

/// \returns false if the request was refused and the bus is free for the next.
bool host_dma::begin(unsigned use, const request& next, cycle now) {
    const host_transfer& transfer = next.transfer;
    cycle duration = 0;
    switch (next.kind) {
        case request_kind::transfer: {
            const dma_error error = refusal(transfer);
            if (error != dma_error::none) {
                refuse(transfer, error, now);
                release(transfer, now);
                return false;
            }
            duration = bus_cycles(transfer.length);
            break;
        }
        case request_kind::completion:
            if (!pages_.enabled(transfer.process) || pages_.queue(transfer.process).full()) {
                lose_completion(transfer.process);
                free_words_.push_back(next.number);
                return false;
            }
            if (params_.charge_completions) duration = bus_cycles(completion_bytes);
            break;
        case request_kind::count:
            if (params_.charge_completions) duration = bus_cycles(count_bytes);
            break;
    }
    last_to_host_ = transfer.to_host;
    uses_[use].what = next;
    uses_[use].begun = now;
    uses_[use].end = now + duration;
    uses_[use].waits = false;
    bus_busy_ += duration;
    time_.schedule(now + duration, *this, tag_of(use));
    return true;
}

dma_error host_dma::refusal(const host_transfer& transfer) const {
    if (!pages_.enabled(transfer.process)) return dma_error::no_process;
    if (transfer.window >= windows_per_process) return dma_error::no_window;
    const host_window& window = pages_.window(transfer.process, transfer.window);
    if (!window.registered()) return dma_error::no_window;
    if (!(transfer.to_host ? window.write : window.read)) return dma_error::forbidden;
    if (!window.contains(transfer.offset, transfer.length)) return dma_error::outside;
    const std::uint32_t slot = memory_.slot_of(transfer.address, transfer.length);
    if (slot == packet_memory::none) return dma_error::bad_address;
    // Else bytes of one job would reach another one, or leave as its own.
    const bool other = params_.jobs && memory_.stamped(slot) && pages_.other_job(transfer.process, memory_.job(slot));
    return other ? dma_error::other_job : dma_error::none;
}

void host_dma::refuse(const host_transfer& transfer, dma_error error, cycle /*now*/) {
    ++refused_;
    last_error_ = error;
    if (error == dma_error::bad_address) events_.raise(ni_error::bad_slot);
    events_.push(event_kind::dma_refused, transfer.cookie);
}

void host_dma::due(cycle when, std::uint64_t tag) {
    bus_use& use = uses_[tag % uses_.size()];
    if (tag / uses_.size() != epoch_ || !use.busy) return;
    const request done = use.what;
    dma_error error = dma_error::none;
    if (done.kind != request_kind::count) {
        const std::optional<dma_error> ended =
            done.kind == request_kind::transfer ? end_of_transfer(done.transfer, when) : end_of_completion(done, when);
        use.waits = !ended;
        if (!ended) return;
        error = *ended;
    }
    use.busy = false;
    bus_busy_ += when - use.end;
    if (watcher_ != nullptr && watcher_->wants_spans()) report(use, when);
    switch (done.kind) {
        case request_kind::transfer: finish_transfer(done.transfer, error, when); break;
        case request_kind::completion: finish_completion(done, error, when); break;
        case request_kind::count:
            if (!host_.count(when, done.interface, done.number)) events_.raise(ni_error::bad_counter);
            break;
    }
    start(when);
}

void host_dma::host_answered(cycle when) {
    for (unsigned use = 0; use < uses_.size(); ++use)
        if (uses_[use].busy && uses_[use].waits) time_.schedule(when, *this, tag_of(use));
}

/// Moves the bytes. Nothing if host memory has not answered.
std::optional<dma_error> host_dma::end_of_transfer(const host_transfer& transfer, cycle now) {
    // The window may have been taken away meanwhile, and the slot, too.
    const dma_error error = refusal(transfer);
    if (error != dma_error::none || transfer.length == 0) return error;
    const std::uint32_t slot = transfer.address / memory_.slot_bytes();
    const std::span<std::uint8_t> bytes =
        memory_.bytes(slot).subspan(transfer.address % memory_.slot_bytes(), transfer.length);
    if (transfer.to_host && !memory_.reads(now, transfer.address, transfer.length)) return dma_error::soft_error;
    const std::uint64_t address = pages_.window(transfer.process, transfer.window).address + transfer.offset;
    const unsigned process = transfer.process;
    switch (transfer.to_host ? host_.dma_write(now, process, address, bytes)
                             : host_.dma_read(now, process, address, bytes)) {
        case host_answer::later: return std::nullopt;
        case host_answer::refused: return dma_error::outside;
        case host_answer::done: break;
    }
    if (!transfer.to_host) memory_.writes(now, transfer.address, transfer.length);
    return dma_error::none;
}

void host_dma::finish_transfer(const host_transfer& transfer, dma_error error, cycle now) {
    if (error != dma_error::none) refuse(transfer, error, now);
    release(transfer, now);
    if (error == dma_error::none && transfer.notify) events_.push(event_kind::dma_done, transfer.cookie);
}

/// Writes the entry; likewise.
std::optional<dma_error> host_dma::end_of_completion(const request& what, cycle now) {
    const unsigned process = what.transfer.process;
    const completion_queue& queue = pages_.queue(process);
    if (!pages_.enabled(process) || queue.full()) return dma_error::completion_overflow;
    const completion_words& words = words_[what.number];
    std::array<std::uint8_t, completion_bytes> entry;
    for (std::size_t word = 0; word < words.size(); ++word) put_bytes(&entry[4 * word], 4, words[word]);
    put_bytes(&entry[4 * words.size()], 4, queue.written + 1);
    switch (host_.dma_write(now, process, queue.next(), entry)) {
        case host_answer::later: return std::nullopt;
        case host_answer::refused: return dma_error::completion_overflow;
        case host_answer::done: break;
    }
    return dma_error::none;
}

void host_dma::finish_completion(const request& what, dma_error error, cycle now) {
    const std::uint8_t process = what.transfer.process;
    free_words_.push_back(what.number);
    if (error != dma_error::none) {
        lose_completion(process);
        return;
    }
    completion_queue& queue = pages_.queue(process);
    ++queue.written;
    if (queue.interrupt) host_.completion(now, process);
}

void host_dma::lose_completion(std::uint8_t process) {
    ++lost_;
    last_error_ = pages_.enabled(process) ? dma_error::completion_overflow : dma_error::no_process;
    if (process < params_.processes) ++pages_.queue(process).lost;
    events_.raise(ni_error::completion_lost);
}

void host_dma::release(const host_transfer& transfer, cycle now) {
    if (transfer.release_slot && !memory_.release(transfer.address / memory_.slot_bytes(), now))
        events_.raise(ni_error::bad_slot);
}

/// Reports a use of the bus that has ended to the observer. Counts belong to no message.
void host_dma::report(const bus_use& use, cycle now) {
    span_record span{.host = params_.host, .where = resource::bus, .begin = use.begun, .end = now};
    switch (use.what.kind) {
        case request_kind::transfer: {
            span.what = use.what.transfer.to_host ? 1 : 0;
            const std::uint32_t slot = memory_.slot_of(use.what.transfer.address, 0);
            if (slot == packet_memory::none) break;
            span.source = memory_.word(slot, slot_word::source);
            span.message = memory_.word(slot, slot_word::message);
            span.offset = memory_.word(slot, slot_word::offset);
            break;
        }
        case request_kind::completion: {
            const completion_words& words = words_[use.what.number];
            span.what = 2;
            span.source = (words[2] & 0xffffffu) == 0xffffffu ? ~0u : words[2] & 0xffffffu;
            span.message = words[3];
            break;
        }
        case request_kind::count: span.what = 3; break;
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
    uses_ = {};
    wanted_ = last_to_host_ = false;
    last_error_ = dma_error::none;
    ++epoch_;
}

std::size_t host_dma::memory_bytes() const {
    return from_host_.memory_bytes() + to_host_.memory_bytes() + words_.capacity() * sizeof(completion_words) +
           free_words_.capacity() * sizeof(std::uint32_t);
}

}  // namespace polycast::hw::ni
