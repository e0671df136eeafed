// SPDX-License-Identifier: Apache-2.0
/// \file The message layer that host programs use. How to write one: hw/host/host.md.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hw/host/application.h"
#include "hw/host/request.h"
#include "hw/host/task.h"

namespace polycast::hw::host {

/// A message as a program receives it.
struct message {
    std::uint32_t source = 0;  ///< host
    unsigned process = 0;      ///< of that host
    std::uint32_t number = 0;  ///< of the message at its process
    std::uint32_t tag = 0;
    std::uint16_t group = 0xffff;  ///< it was multicast to; 0xffff: none
    cycle arrived = 0;             ///< t_hr paid
    std::vector<std::uint8_t> bytes;
};

/// Receiving process, tag and class of a message.
struct envelope {
    unsigned process = 0;
    std::uint32_t tag = 0;
    std::uint8_t vc_class = 0;     ///< class of virtual channels of its packets, for networks of routers
    bool reliable = false;         ///< done when all receivers have acknowledged it
    unsigned patience = 0;         ///< reliable: the first time-out is twice as long for each
    std::uint16_t group = 0xffff;  ///< of a reliable worm: its members acknowledge it; 0xffff: none
};

/// The messages that a receive takes: all that match the given values.
struct match {
    std::optional<std::uint32_t> source{};
    std::optional<std::uint32_t> tag{};
    std::optional<unsigned> process{};  ///< that sent it
    std::optional<std::uint16_t> group{};
};

/// A reliable message that not all receivers have acknowledged.
struct failed_send {
    std::uint32_t tag = 0;
    std::vector<lacking_host> lacking;
};

/// A process that takes part in a collective operation.
struct participant {
    std::uint32_t host = 0;
    unsigned process = 0;

    bool operator==(const participant&) const = default;
};

/// Tags from here on belong to the message layer; a receive without a tag does not take them.
inline constexpr std::uint32_t first_reserved_tag = 0xff000000;

class endpoint;
using program_function = std::function<program(endpoint&)>;

/// Runs programs in a process. (g++ 12 refuses a braced list inside a co_await expression: name it first.)
/// Operations begin when they are called, and end when their request is done; waiting is
/// optional. Requests are done, and programs go on, in the cycle in which it happens. A request of a send is done when
/// the message has left host memory, with NI_STATUS_OK or the reason why it never will.
class endpoint final : public application, private ni::timeline::task {
public:
    /// `main` is started with the process.
    endpoint(const host_context& context, program_function main);
    endpoint(const endpoint&) = delete;
    endpoint& operator=(const endpoint&) = delete;

    std::uint32_t host() const { return process_.params().host; }
    std::uint32_t hosts() const { return process_.params().hosts; }
    /// For routes of worms.
    format::header_shape header_shape() const { return process_.params().header_shape(); }
    unsigned process_number() const { return process_.params().process; }
    cycle now() const { return time_.now(); }

    /// To one host. t_hs per call. All sends copy `bytes` at the call. \throws std::invalid_argument on invalid
    /// arguments; in a program this ends the program and fails the run
    request<ni_status> isend(std::uint32_t to, std::span<const std::uint8_t> bytes, envelope how = {});
    /// To the members of a group whose root is this host.
    request<ni_status> imulticast(std::uint16_t group, std::span<const std::uint8_t> bytes, envelope how = {});
    /// To several hosts by worms, one for each packet, copied by the switches. hw/format/route.h makes routes.
    request<ni_status> isend_worm(format::route route, std::span<const std::uint8_t> bytes, envelope how = {});
    /// The same by tree worms.
    request<ni_status> isend_tree(const std::vector<std::uint32_t>& to, std::span<const std::uint8_t> bytes,
                                  envelope how = {});
    /// An operand for a coding unit: number `index` of `context`, in one packet. hw/chips/coding/coding_unit.md
    request<ni_status> isend_operand(std::uint32_t unit, std::uint16_t context, std::uint32_t index,
                                     std::span<const std::uint8_t> bytes, envelope how = {});
    /// The oldest message that matches and that no earlier receive waits for. A dropped request takes none.
    request<message> ireceive(const match& which = {});

    /// The same, for co_await.
    [[nodiscard]] request<ni_status> send(std::uint32_t to, std::span<const std::uint8_t> bytes, envelope how = {}) {
        return isend(to, bytes, how);
    }
    [[nodiscard]] request<ni_status> multicast(std::uint16_t group, std::span<const std::uint8_t> bytes,
                                               envelope how = {}) {
        return imulticast(group, bytes, how);
    }
    [[nodiscard]] request<ni_status> send_worm(format::route route, std::span<const std::uint8_t> bytes,
                                               envelope how = {}) {
        return isend_worm(std::move(route), bytes, how);
    }
    [[nodiscard]] request<ni_status> send_tree(const std::vector<std::uint32_t>& to,
                                               std::span<const std::uint8_t> bytes, envelope how = {}) {
        return isend_tree(to, bytes, how);
    }
    [[nodiscard]] request<message> receive(const match& which = {}) { return ireceive(which); }

    /// Informs the host's own interface about a group; no overhead.
    request<ni_status> join(const group_order& order);
    request<ni_status> leave(std::uint32_t root, std::uint16_t group);
    /// Counters of the interface's firmware, a word for each ni_statistic; none if refused.
    request<std::vector<std::uint32_t>> statistics();

    /// Done in cycle `when`, or at once if that has passed.
    request<cycle> sleep_until(cycle when);

    /// Ends when all of `all`, this process among them, have called it with the same list and context. Dissemination
    /// barrier: ceil(log2 n) rounds, each a send and a receive (Hensgen, Finkel, Manber: Two algorithms for barrier
    /// synchronization, Int. J. Parallel Programming 17(1), 1988). Barriers with different lists that may overlap in
    /// time need different contexts. \throws std::invalid_argument if this process is not in the list
    program barrier(std::vector<participant> all, std::uint16_t context = 0);
    /// The processes of the same number at these hosts.
    program barrier(std::vector<std::uint32_t> hosts, std::uint16_t context = 0);

    /// Starts another program in the same process, in this cycle.
    void spawn(program other);

    /// Errors that the interface has reported to this process: the first 100, and their total number.
    const std::vector<ni_report>& errors() const { return process_.reports(); }
    std::uint64_t error_count() const;

    void start() override;
    bool finished() const override { return started_ && running_.empty() && beginning_.empty(); }
    std::vector<std::string> failures() const override { return failures_; }
    /// Reliable messages that have failed, and who has not acknowledged them.
    const std::vector<failed_send>& failed_sends() const { return failed_sends_; }
    /// Messages that no receive has taken.
    std::size_t unexpected() const { return unexpected_.size(); }

private:
    template <typename value>
    using result_state = std::shared_ptr<detail::request_result<value>>;
    struct waiting_receive {
        match which;
        result_state<message> state;
    };
    struct kept_message {
        delivery what;
        cycle arrived;
    };

    void due(cycle when, std::uint64_t tag) override;
    void sent(cycle when, std::uint64_t context, ni_status status) override;
    void unacknowledged(cycle when, std::uint64_t context, std::span<const lacking_host> hosts) override;
    void received(cycle when, const delivery& arrived) override;
    void group_set(cycle when, std::uint64_t context, ni_status status) override;
    void statistics(cycle when, std::span<const std::uint32_t> words) override;

    request<ni_status> order(send_order&& what, std::span<const std::uint8_t> bytes, const envelope& how);
    void remember(const result_state<ni_status>& state);
    void settle(std::uint64_t context, ni_status status);
    template <typename value>
    void finish(const result_state<value>& state, value result) {
        state->result = std::move(result);
        complete(state);
    }
    void complete(const std::shared_ptr<detail::request_state>& state);
    message take(const kept_message& kept);
    void sweep();
    void failed_with(const std::exception_ptr& exception);

    process& process_;
    ni::timeline& time_;
    program_function main_;  ///< outlives its coroutine, which may use its captures
    bool started_ = false;
    std::uint32_t next_number_ = 0;
    std::uint64_t next_id_ = 1;
    std::unordered_map<std::uint64_t, result_state<ni_status>> asked_;  ///< by context
    std::unordered_map<std::uint64_t, std::uint32_t> reliable_;         ///< tags of sends, by context
    std::vector<failed_send> failed_sends_;
    std::unordered_map<std::uint64_t, result_state<cycle>> sleeping_;  ///< by tag
    std::deque<result_state<std::vector<std::uint32_t>>> questions_;
    std::deque<std::shared_ptr<detail::request_state>> ready_;  ///< each with an event on the timeline
    std::deque<waiting_receive> receives_;
    std::deque<kept_message> unexpected_;
    std::vector<std::uint8_t> scratch_;
    std::vector<std::string> failures_;
    std::deque<program> beginning_;  ///< spawned, not begun
    std::vector<program> running_;   ///< destroyed first
};

/// A process that runs one program.
application_factory run_program(program_function main);

/// Waits for all of them; their results stay for take().
template <typename... value>
program wait_all(request<value>... all) {
    (co_await all.finished(), ...);
}
template <typename value>
program wait_all(std::vector<request<value>> all) {
    for (const request<value>& each : all) co_await each.finished();
}

/// The bytes of a text.
inline std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace polycast::hw::host
