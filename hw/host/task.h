// SPDX-License-Identifier: Apache-2.0
/// \file Coroutines of host programs.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace polycast::hw::host {

template <typename value>
class task;

namespace detail {

/// Base of the promises of all tasks. When a task has ended, its awaiter continues.
class promise_base {
public:
    struct resume_awaiter {
        bool await_ready() const noexcept { return false; }
        template <typename promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise> ended) const noexcept {
            const std::coroutine_handle<> next = ended.promise().continuation;
            return next ? next : std::noop_coroutine();
        }
        void await_resume() const noexcept {}
    };

    std::suspend_always initial_suspend() const noexcept { return {}; }
    resume_awaiter final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { exception = std::current_exception(); }

    std::coroutine_handle<> continuation;
    std::exception_ptr exception;
};

template <typename value>
class task_promise : public promise_base {
public:
    task<value> get_return_object();
    template <typename source>
    void return_value(source&& result) {
        result_.emplace(std::forward<source>(result));
    }
    value take() {
        if (exception) std::rethrow_exception(exception);
        return std::move(*result_);
    }

private:
    std::optional<value> result_;
};

template <>
class task_promise<void> : public promise_base {
public:
    task<void> get_return_object();
    void return_void() const noexcept {}
    void take() const {
        if (exception) std::rethrow_exception(exception);
    }
};

}  // namespace detail

/// A coroutine that begins when it is awaited (or started), once, and gives its result, or its exception, to its
/// awaiter. Destroying it destroys everything in it, wherever it waits.
template <typename value = void>
class [[nodiscard]] task {
public:
    using promise_type = detail::task_promise<value>;

    explicit task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    task(task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
    task& operator=(task&& other) noexcept {
        if (this != &other) {
            destroy();
            handle_ = std::exchange(other.handle_, {});
        }
        return *this;
    }
    ~task() { destroy(); }

    /// Starts it without awaiting it. It must not have begun.
    void start() { handle_.resume(); }
    bool done() const { return !handle_ || handle_.done(); }
    /// The exception that it ended with, if any.
    std::exception_ptr exception() const { return handle_ && handle_.done() ? handle_.promise().exception : nullptr; }

    auto operator co_await() const noexcept {
        struct awaiter {
            std::coroutine_handle<promise_type> handle;
            bool await_ready() const noexcept { return handle.done(); }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) const noexcept {
                handle.promise().continuation = waiter;
                return handle;
            }
            value await_resume() const { return handle.promise().take(); }
        };
        return awaiter{handle_};
    }

private:
    void destroy() {
        if (handle_) handle_.destroy();
        handle_ = {};
    }

    std::coroutine_handle<promise_type> handle_;
};

/// A host program: what a process runs from the first cycle on.
using program = task<>;

namespace detail {

template <typename value>
task<value> task_promise<value>::get_return_object() {
    return task<value>(std::coroutine_handle<task_promise>::from_promise(*this));
}

inline task<void> task_promise<void>::get_return_object() {
    return task<void>(std::coroutine_handle<task_promise>::from_promise(*this));
}

}  // namespace detail

}  // namespace polycast::hw::host
