// SPDX-License-Identifier: Apache-2.0
/// \file Four processes that share one interface, and what must hold for them whatever arrives and whatever one of them
/// does.
///
/// Process 0 has receive buffers and gets hostile messages. Processes 1 and 3 are good: they get good messages, unicast
/// and multicast, and send some. Process 2 is hostile: it gives any commands. Every byte says whose it is: in bits 7..4
/// of a payload is the process that it is for, 8 more in what a process sends, 0xf in packets that must be dropped;
/// everything that belongs to nobody is 0xee.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "hw/ni/abi/ni_registers.h"
#include "testbench/ni/commands.h"
#include "testbench/ni/dice.h"
#include "testbench/ni/ni_node.h"
#include "testbench/ni/packets.h"
#include "testbench/ni/wire.h"

namespace polycast::testbench::ni {

/// Where things lie in the part of memory that each process has.
struct tenant_layout {
    static constexpr std::uint32_t bytes = 0x40000;
    static constexpr std::uint32_t send_at = 0x1000;
    static constexpr std::uint32_t send_bytes = 0x8000;
    static constexpr std::uint32_t receive_at = 0x10000;
    static constexpr std::uint32_t buffer_bytes = 0x800;
    static constexpr std::uint32_t buffers = 16;
    static constexpr std::uint32_t statistics_at = 0x30000;
    static constexpr std::uint32_t queue_at = 0x32000;
    static constexpr std::uint32_t queue_entries = 1024;
    /// The part of the hostile process that the manager grants it windows and a queue in.
    static constexpr std::uint32_t free_for_all_at = 0x800;
    static constexpr std::uint32_t free_for_all_bytes = 0x3f000;
};

inline constexpr unsigned tenants = 4;
inline constexpr unsigned target = 0;
inline constexpr unsigned hostile = 2;
constexpr bool is_good(unsigned process) {
    return process == 1 || process == 3;
}
/// Jobs, where packets carry them: the hostile process and what comes from hostile hosts are of one with the target.
/// Then they name messages, groups and processes of the good ones, too.
constexpr std::uint32_t job_of(unsigned process) {
    return is_good(process) ? 0x1'0000u + process : 0x66u;
}
inline constexpr std::uint32_t counters_each = NI_COUNTER_ELEMENTS / tenants;
/// Word of a control packet that acknowledges another.
inline constexpr std::uint16_t acknowledgement = 16;
/// Of one that says that no more of a message comes.
inline constexpr std::uint16_t abort_word = 35;
inline constexpr std::uint8_t invalid_tag = 0xf;
inline constexpr std::uint8_t canary = 0xee;
inline constexpr std::uint32_t interface_host = 5;
/// Hosts that send good messages; the hostile ones come behind them.
inline constexpr std::uint32_t good_hosts = 5;

/// Members of the good groups, by the order in which they are set up.
struct good_group {
    unsigned owner;  ///< to whom its messages are delivered, too
    std::uint32_t root;
    std::uint16_t number;
    bool fcfs;
    hw::format::packet_kind kind;         ///< of its packets
    std::vector<std::uint32_t> children;  ///< hosts, or the first switches of worms
};
/// A worm of such a group, or one that a good process sends: SSR, or a path of two stops.
route route_to(const hw::format::header_shape& shape, hw::format::packet_kind kind, std::uint32_t first);
const std::vector<good_group>& good_groups();

struct tenancy_params {
    hw::ni::ni_params interface;
    bool exact = false;   ///< nothing hostile arrives for process 2 or in its groups: every packet can be accounted for
    unsigned slots = 64;  ///< nothing more arrives while that many more are in use than after the last pause
    bool sweep = true;    ///< wait until what is half-received has been given up
};

/// What happened, summed up over runs.
struct tenancy_counts {
    std::uint64_t packets = 0;  ///< that the interface got
    std::uint64_t hostile = 0;  ///< of them
    std::uint64_t good_messages = 0;
    std::uint64_t good_sends = 0;
    std::uint64_t commands = 0;
    std::uint64_t dropped = 0;
    std::uint64_t forwarded = 0;
    std::vector<std::uint64_t> statuses = std::vector<std::uint64_t>(NI_STATUSES);
    cycle cycles = 0;
};

/// One interface with its host and the other end of its link. Everything that must not happen ends in problem().
class tenancy {
public:
    tenancy(const tenancy_params& params, const hw::ni::processor_factory& factory, dice& random);

    const tenancy_params& params() const { return params_; }
    const hw::ni::ni_params& interface() const { return params_.interface; }
    dice& random() { return random_; }
    ni_node& node() { return node_; }
    /// Puts something hostile on the wire.
    void arrive(wire_item item) {
        ++counts_.hostile;
        wire_.push(std::move(item));
    }
    /// A packet of a good message that is not whole yet, as it was sent; none if there is none.
    const link_packet* unfinished() const;
    /// A packet that a good process has sent and that is to be acknowledged, the last one; none if there was none.
    const std::optional<packet_fields>& to_be_acknowledged() const { return to_be_acknowledged_; }

    void run(cycle cycles);
    void pause();
    /// So long that firmware gives up what is half-received.
    void long_pause();
    /// True if more may be put on the wire.
    bool wants_more() const;
    /// A control packet that nobody may believe.
    void arrive_forged(const packet_fields& fields) {
        ++acknowledgements_;
        arrive({build_packet(params_.interface, fields)});
    }
    /// Starts and goes on with good messages.
    void good_traffic();
    /// Ends all traffic and checks that nothing was lost, kept or leaked.
    void finish();
    void add_to(tenancy_counts& counts) const;
    const std::string& problem() const { return problem_; }
    std::uint32_t next_sequence() { return ++sequence_; }

private:
    struct incoming {
        unsigned process;  ///< that receives it
        std::uint32_t source;
        std::uint16_t group;
        std::uint32_t total;
        std::vector<std::uint8_t> bytes;   ///< of the message
        std::vector<link_packet> packets;  ///< to be sent, last one first
        link_packet last;                  ///< sent last
    };
    struct outgoing {
        unsigned process;
        message_order order;
        std::vector<std::uint32_t> to;
        std::uint32_t window = 0;     ///< 0: none
        std::uint32_t under_way = 0;  ///< sent and not acknowledged
        bool completed = false;
        std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  ///< host and offset
    };
    struct copies {
        std::vector<std::uint32_t> children;  ///< that have not got theirs
        std::vector<std::uint8_t> payload;
        std::uint32_t job;
    };

    void fail(const std::string& text);
    void set_up();
    void step();
    void on_access(unsigned whose, bool write, std::uint64_t offset, std::span<const std::uint8_t> bytes);
    void on_ended(const link_packet& packet, bool headless);
    void on_sent(const link_packet& packet);
    void own_packet(const packet_fields& fields);
    void acknowledge(const packet_fields& fields);
    void forwarded_packet(const packet_fields& fields);
    void look_after(unsigned process);
    void completion(unsigned process, std::span<const std::uint32_t> entry);
    void received(unsigned process, std::span<const std::uint32_t> entry);
    void release_followers();
    void submit(unsigned process, words command) { waiting_[process].push_back(std::move(command)); }
    void post(unsigned process, std::uint32_t buffer);
    void begin_message(unsigned process);
    void begin_send(unsigned process);
    bool is_sent(const outgoing& message) const;
    unsigned available(unsigned process);
    void check_canaries();
    void end_open_packet();
    void drain(cycle at_most);
    void check_quiet();
    void check_statistics();
    std::vector<std::uint32_t> read_statistics();

    tenancy_params params_;
    dice& random_;
    ni_node node_;
    wire wire_;
    hw::engine::pins in_;
    hw::engine::pins out_;
    cycle now_ = 0;
    cycle wake_ = 0;
    std::string problem_;

    std::vector<std::deque<words>> waiting_;  ///< commands by process
    std::vector<std::uint32_t> entries_read_;
    std::vector<unsigned> posted_;                ///< buffers given and not filled, by process
    std::map<std::uint32_t, incoming> incoming_;  ///< by message number
    std::map<std::uint32_t, outgoing> outgoing_;
    std::map<std::uint32_t, copies> forwarded_;  ///< packets of good groups by sequence number
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> unanswered_;  ///< source, message, offset
    std::uint64_t acknowledgements_ = 0;                                            ///< that the interface gets
    bool draining_ = false;
    std::uint32_t sequence_ = 0;
    std::uint32_t message_ = 0;
    unsigned groups_set_ = 0;
    unsigned questions_ = 0;  ///< commands about groups and statistics that are not answered
    unsigned slices_ = 0;
    unsigned held_ = 0;  ///< slots in use after the last pause
    bool hostilities_ = true;
    std::vector<std::uint32_t> statistics_;

    tenancy_counts counts_;
    std::uint64_t expected_check_ = 0;
    std::uint64_t expected_not_mine_ = 0;
    std::uint64_t expected_refused_ = 0;  ///< by the hardware, because of their job
    std::optional<packet_fields> to_be_acknowledged_;
    std::uint64_t copies_own_ = 0;
    std::uint64_t copies_forwarded_ = 0;
    std::uint64_t delivered_ = 0;  ///< transfers into the receive windows of processes 0, 1 and 3
};

}  // namespace polycast::testbench::ni
