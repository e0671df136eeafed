// SPDX-License-Identifier: Apache-2.0
/// \file A host process and its driver: buffers, commands and completions of one network interface, with the host's
/// overheads. It reports by callbacks; hw/host/endpoint.h makes coroutines of them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "hw/format/route.h"
#include "hw/host/buffer_area.h"
#include "hw/host/host_memory.h"
#include "hw/host/host_processor.h"
#include "hw/host/manager.h"
#include "hw/host/ni_port.h"
#include "hw/ni/abi/ni_host.h"
#include "hw/ni/timeline.h"

namespace polycast::hw::host {

/// Times in cycles.
struct process_params {
    std::uint32_t host = 0;
    std::uint32_t hosts = 32;             ///< in the network
    std::uint32_t units = 0;              ///< coding units, with numbers behind those of the hosts
    unsigned header_ports = 8;            ///< bits of a stop's string in headers of worms
    unsigned header_stops = 8;            ///< longest list of a path worm
    unsigned process = 0;                 ///< number at its host
    unsigned interface = 0;               ///< of its host that it uses: has its own part of host memory at each
    unsigned processes = 1;               ///< of its host
    unsigned command_bytes = 128;         ///< longest command, see ni::command_bytes()
    std::uint32_t message_bytes = 65536;  ///< longest message that it receives
    unsigned receive_buffers = 0;         ///< kept posted; 0: 2 for each host of the network, 64..256
    unsigned queue_entries = 64;          ///< of the completion queue
    cycle send_overhead = 1000;           ///< t_hs, host processor, per send call
    cycle receive_overhead = 1000;        ///< t_hr, host processor, per message
    bool overheads_per_packet = false;    ///< both as often as the message has packets, one after the other
    bool overheads_by_program = false;    ///< the program pays them itself: calls and deliveries take no time
    bool observes = true;                 ///< may read the counters of its interface, which tell of all processes
    unsigned payload_bytes = 128;         ///< longest payload of a packet, for that
    std::uint32_t job = 0;                ///< JobID, where packets carry one

    format::header_shape header_shape() const { return {hosts, header_ports, header_stops}; }
};

/// Receive buffers of all processes of a host together, see hw/ni/abi/ni_host.h.
inline constexpr unsigned most_receive_buffers = 1024;

/// Cookies of a process's commands have their kind in the top bits, the number of a record below.
inline constexpr unsigned process_cookie_shift = 29;

/// How a message is sent.
enum class send_kind : std::uint8_t {
    unicast,  ///< to one host
    worm,     ///< worms of one route, copied by the switches
    group,    ///< to a multicast group, copied and forwarded by the interfaces
    operand,  ///< to a coding unit (hw/chips/coding/coding_unit.md), in one packet
};

/// A counter of a process at an interface: hw/ni/abi/ni_host.h. A received message counts, and sends follow.
struct counting {
    unsigned counter = 0;        ///< below NI_COUNTER_ELEMENTS / processes
    std::uint32_t step = 65536;  ///< bytes that each count stands for
};

/// One send call.
struct send_order {
    send_kind kind = send_kind::unicast;
    std::uint32_t to = 0;       ///< receiving host, for send_kind::unicast; unit, for send_kind::operand
    format::route route{};      ///< for send_kind::worm: tree, SSR or path
    unsigned process = 0;       ///< that receives it there
    std::uint32_t number = 0;   ///< of the message, not used twice at this process while in flight
    std::uint32_t tag = 0;      ///< index of an operand
    std::uint8_t vc_class = 0;  ///< class of virtual channels, 0..7
    std::uint16_t group = 0;    ///< of this host, for send_kind::group and reliable worms; context of an operand
    std::uint16_t hops = 0;     ///< interfaces that may forward it, for send_kind::group
    std::uint64_t context = 0;  ///< returned in process_client::sent()
    /// Unicasts: sent only while neither interface sends or receives another message that was sent so, else
    /// process_client::refused(). Of two that compete the earlier ticket wins; it is a time in cycles, modulo 2^32.
    std::optional<std::uint32_t> ticket{};
    bool urgent = false;  ///< with a ticket: interfaces that refuse it reserve themselves for the oldest of these
    /// Unicasts: only what has been counted is sent, so the message follows another one that arrives in the same place.
    std::optional<counting> follow{};
    bool whole = false;        ///< with `follow`: nothing is sent before all may be
    std::uint32_t window = 0;  ///< unicasts: bytes in flight, acknowledged packet by packet; 0: no limit
    bool second = false;       ///< in the second queue of this process at this interface
    /// Sent is what all receivers have acknowledged, and each has it once (hw/ni/abi/ni_host.h). Not for operands, with
    /// a ticket or a window; a worm's receivers are the members of `group`.
    bool reliable = false;
    unsigned patience = 0;  ///< reliable: the first time-out is ni_params::reliable.timeout << patience, 0..31
};

/// A receiver that has not acknowledged a reliable message.
struct lacking_host {
    std::uint32_t host = 0;
    ni_status why = NI_STATUS_UNREACHABLE;  ///< or the reason for which it declined

    bool operator==(const lacking_host&) const = default;
};

/// An expected message and its place in the process's region.
struct landing_order {
    std::uint32_t source = 0;
    unsigned process = 0;      ///< that sends it there
    std::uint32_t number = 0;  ///< of the message at that process
    std::uint64_t offset = 0;  ///< in the region
    std::uint32_t bytes = 0;   ///< of the message, exactly
    std::optional<counting> count{};
    std::uint64_t tell = 0;     ///< interfaces of this host at which it counts, bit i; at most the first 32
    std::uint64_t context = 0;  ///< returned in process_client::landed()
};

/// A message in a receive buffer.
struct delivery {
    std::uint32_t buffer = 0;  ///< to be freed with process::release()
    std::uint32_t source = 0;
    unsigned process = 0;  ///< that sent it
    std::uint32_t number = 0;
    std::uint32_t bytes = 0;
    std::uint32_t tag = 0;
    std::uint16_t group = 0xffff;  ///< 0xffff: none
};

/// Children in a tree of receipts, at most: as many as every command holds.
inline constexpr std::size_t most_receipt_children = 24;
static_assert(most_receipt_children <= NI_GROUP_RECEIPT_CHILDREN);

/// A host's place in the tree along which a group's members acknowledge reliable messages, up to the root.
struct receipts_order {
    static constexpr std::uint32_t none = 0xffffff;

    std::uint32_t parent = none;       ///< none: at the root, which is no member
    std::vector<std::uint32_t> below;  ///< its children, at most most_receipt_children
    std::uint32_t members = 0;         ///< of the group; told at the root
};

/// This host's part of a multicast group.
struct group_order {
    std::uint32_t root = 0;
    std::uint16_t group = 0;              ///< number at its root, not 0xffff
    bool member = false;                  ///< messages are delivered to this process
    bool fcfs = false;                    ///< first child first served; else first packet first served
    bool once = false;                    ///< for one message only
    std::vector<std::uint32_t> children;  ///< hosts, in the order in which they are served
    /// Or routes, all of one kind (unicasts are the same as children): a packet goes on along each of them. Only
    /// packets of that kind may come to a host that has some; a worm's route has at most 4 x NI_GROUP_ROUTE_WORDS
    /// bytes, and no more than a command holds.
    std::vector<format::route> worms{};
    /// Reliable messages may be sent to the group; not with `once`. Every host but the root is a member then.
    std::optional<receipts_order> receipts{};
};

/// Something that the interface dropped or refused.
struct ni_report {
    cycle when = 0;
    ni_status status = NI_STATUS_OK;
    std::uint32_t source = 0;  ///< host it came from; no_source: a command of this process failed
    std::uint32_t message = 0;
    std::uint32_t tag = 0;
    std::uint16_t group = 0xffff;

    static constexpr std::uint32_t no_source = 0xffffff;
};

/// The user of a process. Calls come from the timeline; every member of process may be called in them.
class process_client {
public:
    virtual ~process_client() = default;
    /// The message has left host memory, or `status` says why it did not.
    virtual void sent(cycle when, std::uint64_t context, ni_status status) = 0;
    /// Not all receivers have acknowledged a reliable message: these, as far as it is known. sent() follows, with
    /// NI_STATUS_UNREACHABLE, or NI_STATUS_DECLINED and the one that does not take it.
    virtual void unacknowledged(cycle when, std::uint64_t context, std::span<const lacking_host> hosts) {
        static_cast<void>(when);
        static_cast<void>(context);
        static_cast<void>(hosts);
    }
    /// t_hr is paid. The buffer stays as it is until process::release().
    virtual void received(cycle when, const delivery& message) = 0;
    /// A message with a ticket was not sent, because an interface is busy. `kept`: one is reserved for it, until it is
    /// sent there or process::withdraw() is called.
    virtual void refused(cycle when, std::uint64_t context, bool kept) {
        static_cast<void>(when);
        static_cast<void>(context);
        static_cast<void>(kept);
    }
    /// The message of a landing_order is in the region, or `status` says why it never will be.
    virtual void landed(cycle when, std::uint64_t context, ni_status status) {
        static_cast<void>(when);
        static_cast<void>(context);
        static_cast<void>(status);
    }
    /// A group was set up or cleared, or `status` says why not.
    virtual void group_set(cycle when, std::uint64_t context, ni_status status) {
        static_cast<void>(when);
        static_cast<void>(context);
        static_cast<void>(status);
    }
    /// Answer to read_statistics(): a word for each ni_statistic; none if it was refused.
    virtual void statistics(cycle when, std::span<const std::uint32_t> words) {
        static_cast<void>(when);
        static_cast<void>(words);
    }
    /// The interface has reported an error; it is counted already.
    virtual void failed(cycle when, const ni_report& report) {
        static_cast<void>(when);
        static_cast<void>(report);
    }
};

/// Counters of a process, for results.
struct process_statistics {
    std::uint64_t sends = 0;
    std::uint64_t sent = 0;
    std::uint64_t refused = 0;   ///< failed attempts to send messages with a ticket
    std::uint64_t received = 0;  ///< messages, t_hr paid
    std::uint64_t landed = 0;    ///< messages that were expected
    std::uint64_t commands = 0;  ///< doorbells rung
    std::size_t commands_waiting_max = 0;
    std::array<std::uint64_t, NI_STATUSES> errors{};  ///< NI_COMPLETION_ERROR and _FAILED by ni_status
    std::uint64_t bus_errors = 0;                     ///< register accesses that the interface did not answer
    std::uint64_t bad_completions = 0;                ///< invalid entries
};

/// One process. Commands wait in the host without bound while COMMAND_SPACE is zero; receive buffers are posted before
/// anything else that waits. A write to a register takes no time: it is part of t_hs.
class process final : private ni::timeline::task {
public:
    /// All must outlive it. \throws input_error on parameters out of range
    process(const process_params& params, ni::timeline& time, host_memory& memory, host_processor& processor,
            ni_port& port, manager& of);

    /// Has its manager open its windows and its completion queue, then posts the receive buffers, in the present cycle
    /// of the timeline.
    /// `client` must outlive the process. Before anything else, once.
    void start(process_client& client);

    /// A send call in the present cycle: `content` (at least one byte) is copied into host memory, the host processor
    /// is taken for t_hs, then the interface is told. \throws std::invalid_argument on an invalid order,
    /// std::length_error when 4 GiB wait to be sent
    void send(const send_order& order, std::span<const std::uint8_t> content);

    /// Host memory that the process has at the same addresses at all interfaces of its host, open to this one for
    /// reading and writing: `bytes` bytes, at most window_bytes (command_words.h), just below 4 GiB. Once.
    /// \throws std::invalid_argument
    void open_region(std::uint64_t bytes);
    /// The contents, without overheads, as the program itself writes and reads them. \throws std::invalid_argument for
    /// a range that is not in the region, std::length_error beyond the end of host memory
    void write_region(std::uint64_t offset, std::span<const std::uint8_t> bytes);
    std::span<const std::uint8_t> region(std::uint64_t offset, std::size_t bytes,
                                         std::vector<std::uint8_t>& scratch) const;
    /// These bytes are no longer needed.
    void release_region(std::uint64_t offset, std::uint64_t bytes);

    /// A send call without a copy: `bytes` bytes at `offset` of the region, read when they are sent.
    /// \throws std::invalid_argument
    void send_region(const send_order& order, std::uint64_t offset, std::uint32_t bytes);
    /// A place for an expected message. No t_hr is paid for it: firmware puts it there and counts. The command
    /// overtakes waiting sends. \throws std::invalid_argument
    void expect(const landing_order& order);
    /// Sets a counter at this interface before anything counts there. Ordered with expect().
    /// \throws std::invalid_argument
    void set_counter(unsigned counter, std::uint32_t value);

    /// This interface will no longer send the message with this ticket to host `to`: the two interfaces end their
    /// reservation for it.
    void withdraw(std::uint32_t to, std::uint32_t ticket);

    /// Packets of this process at the interface; manager::activity() tells of all.
    ni_activity activity();

    /// Informs the interface about a group, at once; replaces an earlier definition. \throws std::invalid_argument
    void set_group(const group_order& order, std::uint64_t context = 0);
    void clear_group(std::uint32_t root, std::uint16_t group, std::uint64_t context = 0);
    void read_statistics();

    /// Bytes of a received message, without a copy if possible, else in `scratch`. Valid until the next call.
    std::span<const std::uint8_t> bytes(const delivery& message, std::vector<std::uint8_t>& scratch) const;
    /// The program no longer needs the buffer.
    void release(const delivery& message);

    // For programs that nobody trusts.
    /// Gives the interface a command of any words and length, as far as the command buffer goes; nobody hears what
    /// becomes of it. \returns false if the interface takes none now
    bool give(std::span<const std::uint32_t> words, std::uint32_t bytes);
    /// Writes a register of its page, or where there is none.
    void poke(std::uint32_t offset, std::uint32_t value);

    /// For the owner of the interface: an entry was written to the completion queue, COMMAND_SPACE is not zero.
    void completion(cycle when);
    void command_space(cycle when);
    /// The interface is down: what it had taken and not answered ends with NI_STATUS_HUNG, and one report says so; its
    /// receive buffers are posted again when it is up. Groups are gone.
    void hung(cycle when);

    /// No request is unanswered.
    bool idle() const {
        return sends_.used + groups_.used + withdrawals_.used + landings_.used + counters_.used + receiving_ +
                   questions_ ==
               0;
    }

    const process_params& params() const { return params_; }
    const process_statistics& statistics() const { return statistics_; }
    /// The first 100 errors.
    const std::vector<ni_report>& reports() const { return reports_; }
    /// Receive buffers posted now.
    unsigned posted() const { return posted_; }
    /// Messages whose buffers the program has not freed.
    std::size_t kept() const { return kept_; }
    std::size_t memory_bytes() const;

private:
    static constexpr unsigned region_window = 3;

    enum class command_kind : std::uint8_t { send, receive, group, statistics, withdraw, landing, counter, given };

    /// Records that commands and completions identify by a number.
    template <typename record>
    struct table {
        std::vector<record> items;
        std::vector<std::uint32_t> free;
        std::size_t used = 0;

        std::uint32_t add(record&& item) {
            ++used;
            if (free.empty()) {
                items.push_back(std::move(item));
                return static_cast<std::uint32_t>(items.size() - 1);
            }
            const std::uint32_t index = free.back();
            free.pop_back();
            items[index] = std::move(item);
            return index;
        }
        void remove(std::uint32_t index) {
            items[index] = {};
            free.push_back(index);
            --used;
        }
    };
    struct send_record {
        bool active = false;
        send_order order;
        std::uint32_t offset = 0;  ///< in the region or in the window for messages that are copied
        std::uint32_t bytes = 0;
        bool region = false;
        bool given = false;  ///< to the interface
        std::vector<lacking_host> lacking = {};
    };
    struct landing_record {
        bool active = false;
        landing_order order;
    };
    struct counter_record {
        bool active = false;
        unsigned counter = 0;
        std::uint32_t value = 0;
    };
    struct group_record {
        bool active = false;
        bool clear = false;
        group_order order;
        std::uint32_t parts = 1;  ///< commands it takes
        std::uint32_t answers = 0;
        ni_status status = NI_STATUS_OK;
        std::uint64_t context = 0;
    };
    struct withdrawal {
        bool active = false;
        std::uint32_t to = 0;
        std::uint32_t ticket = 0;
        bool given = false;  ///< to the interface; else it waits for COMMAND_SPACE, or to be tried again
    };
    enum class buffer_state : std::uint8_t { free, posted, arrived, kept };
    struct buffer_record {
        buffer_state state = buffer_state::free;
        delivery message;
    };
    struct waiting_command {
        command_kind kind;
        std::uint32_t index;
        std::uint32_t part;
    };

    void due(cycle when, std::uint64_t tag) override;
    cycle overhead_of(cycle each, std::uint32_t bytes) const;
    bool post(cycle when);
    void submit(cycle when, waiting_command command);
    void call(send_record&& record);
    void check_region(const char* what, std::uint64_t offset, std::uint64_t bytes) const;
    void pump(cycle when);
    void ring(cycle when, const waiting_command& command);
    void handle(cycle when, std::span<const std::uint32_t, NI_COMPLETION_WORDS> entry);
    void message_arrived(cycle when, std::uint32_t index, std::span<const std::uint32_t, NI_COMPLETION_WORDS> entry);
    void answer(cycle when, command_kind kind, std::uint32_t index, ni_status status);
    bool as_expected(std::uint32_t index, std::span<const std::uint32_t, NI_COMPLETION_WORDS> entry) const;
    void answer_landing(cycle when, std::uint32_t index, ni_status status);
    void answer_send(cycle when, std::uint32_t index, ni_status status, bool kept);
    void lacks(std::uint32_t index, lacking_host who);
    void send_failed(cycle when, std::uint32_t index, ni_status status,
                     std::span<const std::uint32_t, NI_COMPLETION_WORDS> entry);
    void report(cycle when, std::span<const std::uint32_t, NI_COMPLETION_WORDS> entry);
    std::vector<waiting_command> given() const;
    std::uint32_t read_register(cycle when, std::uint32_t offset);
    void write_register(cycle when, std::uint32_t offset, std::uint32_t value);
    std::uint64_t buffer_address(std::uint32_t index) const { return receive_address_ + index * buffer_stride_; }

    process_params params_;
    ni::timeline& time_;
    host_memory& memory_;
    host_processor& processor_;
    ni_port& port_;
    manager& manager_;
    process_client* client_ = nullptr;
    std::uint32_t page_;  ///< address of its page
    std::uint64_t base_;  ///< of its part of host memory
    std::uint64_t receive_address_;
    std::uint64_t region_address_;
    std::uint64_t buffer_stride_;
    std::uint32_t buffers_most_;  ///< that the receive window holds

    buffer_area send_area_;
    table<send_record> sends_;
    table<group_record> groups_;
    table<withdrawal> withdrawals_;
    table<landing_record> landings_;
    table<counter_record> counters_;
    std::uint64_t region_bytes_ = 0;  ///< 0: not open
    std::vector<buffer_record> buffers_;
    std::vector<std::uint32_t> free_buffers_;
    unsigned posted_ = 0;
    unsigned target_ = 0;  ///< buffers to keep posted
    std::size_t kept_ = 0;
    std::size_t receiving_ = 0;  ///< messages that wait for t_hr
    std::size_t questions_ = 0;  ///< read_statistics() not answered

    std::deque<waiting_command> urgent_;   ///< receive buffers, messages to come, counters
    std::deque<waiting_command> waiting_;  ///< all others
    std::uint32_t space_ = 0;              ///< commands that can certainly be submitted
    bool full_ = false;                    ///< COMMAND_SPACE was zero
    std::uint32_t entries_read_ = 0;
    std::vector<std::uint32_t> words_;  ///< command being composed
    std::vector<std::uint8_t> scratch_;
    process_statistics statistics_;
    std::vector<ni_report> reports_;
};

}  // namespace polycast::hw::host
