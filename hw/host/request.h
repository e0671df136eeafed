// SPDX-License-Identifier: Apache-2.0
/// \file A request of a program, which may wait for it.
#pragma once

#include <coroutine>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace polycast::hw::host {

namespace detail {

/// The waiting side of a request; at most one coroutine waits.
struct request_state {
    bool done = false;
    std::coroutine_handle<> waiter;
};

template <typename value>
struct request_result : request_state {
    std::optional<value> result;
};

/// Waits for a request. If the waiting coroutine is destroyed, nothing is resumed.
class request_awaiter {
public:
    explicit request_awaiter(std::shared_ptr<request_state> state) : state_(std::move(state)) {}
    request_awaiter(const request_awaiter&) = delete;
    request_awaiter& operator=(const request_awaiter&) = delete;
    ~request_awaiter() {
        if (waiter_ && state_->waiter == waiter_) state_->waiter = {};
    }

    bool await_ready() const noexcept { return state_->done; }
    void await_suspend(std::coroutine_handle<> waiter) {
        if (state_->waiter) throw std::logic_error("two coroutines wait for one request");
        waiter_ = state_->waiter = waiter;
    }
    void await_resume() const noexcept {}

private:
    std::shared_ptr<request_state> state_;
    std::coroutine_handle<> waiter_;
};

template <typename value>
class result_awaiter : public request_awaiter {
public:
    explicit result_awaiter(std::shared_ptr<request_result<value>> state)
        : request_awaiter(state), result_(std::move(state)) {}
    value await_resume() const { return std::move(result_->result).value(); }

private:
    std::shared_ptr<request_result<value>> result_;
};

}  // namespace detail

/// Proceeds independently; may be tested, awaited for its result (once), or dropped.
template <typename value>
class request {
public:
    explicit request(std::shared_ptr<detail::request_result<value>> state) : state_(std::move(state)) {}

    bool test() const { return state_->done; }
    /// The result, once. \throws std::bad_optional_access before it is done
    value take() {
        std::optional<value> result = std::exchange(state_->result, std::nullopt);
        return std::move(result).value();
    }
    /// co_await r.finished() leaves the result for take().
    detail::request_awaiter finished() const { return detail::request_awaiter(state_); }
    detail::result_awaiter<value> operator co_await() const { return detail::result_awaiter<value>(state_); }

private:
    std::shared_ptr<detail::request_result<value>> state_;
};

}  // namespace polycast::hw::host
