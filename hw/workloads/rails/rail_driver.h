// SPDX-License-Identifier: Apache-2.0
/// \file The host's driver of several network interfaces: it chooses the rails of each message and reassembles stripes.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/delivery/check.h"
#include "hw/host/application.h"
#include "hw/traffic/payload_packing.h"
#include "hw/workloads/rails/rail_message.h"
#include "hw/workloads/rails/rail_policy.h"
#include "hw/workloads/rails/rail_scoreboard.h"
#include "hw/workloads/rails/stripe_assembly.h"

namespace polycast::hw::rails {

/// What the processes of one host know of each other.
struct rail_board {
    explicit rail_board(unsigned rails) : bytes(rails) {}

    /// The first of a set that is not empty at or after a pointer, which moves behind it.
    unsigned next(rail_set candidates);

    std::vector<std::uint64_t> bytes;  ///< [rail] asked for and not yet read out of host memory
    unsigned pointer = 0;
};

/// Counters of a driver.
struct driver_statistics {
    std::uint64_t messages = 0;  ///< read out of host memory
    std::uint64_t stripes = 0;   ///< parts sent
    std::uint64_t refused = 0;   ///< parts that were refused, each as often as it was
    std::uint64_t urgent = 0;    ///< parts sent, or tried in vain, as urgent ones
    std::uint64_t withdrawn = 0;

    /// As rail_driver::counts() gives them; none of a driver that was never started.
    void add(std::span<const std::uint64_t> counts);
};

/// A process at all interfaces of its host. It sends one message at a time; the others wait behind it without bound.
class rail_driver final : public host::application, private ni::timeline::task {
public:
    /// All must outlive it. \throws input_error where the matrix is missing or fits neither hosts nor interfaces
    rail_driver(const host::host_context& context, const driver_params& params, std::shared_ptr<rail_board> board,
                rail_source& source, rail_scoreboard& sink);
    ~rail_driver() override;

    void start() override;
    bool finished() const override { return !current_ && waiting_.empty() && !upcoming_; }
    std::vector<std::string> failures() const override { return failures_.first(); }
    host::process_client* client(unsigned interface) override;

    const driver_statistics& statistics() const { return statistics_; }
    /// The fields of its statistics.
    std::vector<std::uint64_t> counts() const override;
    const stripe_assembly& assembly() const { return assembly_; }
    std::size_t waiting() const { return waiting_.size() + (current_ ? 1 : 0); }

private:
    class side;
    /// Bytes of the present message.
    struct part {
        std::uint32_t offset = 0;
        std::uint32_t bytes = 0;
    };
    struct sending {
        rail_message what;
        std::vector<std::uint8_t> content;
        std::vector<part> pending;  ///< on no rail
        std::uint32_t left = 0;     ///< bytes not yet read out of host memory
        rail_set tried = 0;         ///< that have refused since the last pause
        rail_set kept = 0;          ///< on which an interface keeps itself for it
        unsigned refusals = 0;
    };

    void due(cycle when, std::uint64_t tag) override;
    // What interface 0 tells; the sides tell the same of the others.
    void sent(cycle when, std::uint64_t context, ni_status status) override;
    void refused(cycle when, std::uint64_t context, bool kept) override;
    void received(cycle when, const host::delivery& message) override;
    void failed(cycle when, const host::ni_report& report) override;

    void sent_on(unsigned rail, ni_status status);
    void refused_on(unsigned rail, bool kept);
    void received_on(unsigned rail, cycle when, const host::delivery& message);
    void failed_on(unsigned rail, const host::ni_report& report);

    void fetch();
    void take_up();
    void advance();
    void wait();
    void finish();
    void spread(rail_set rails);
    void send(unsigned rail, const part& what);
    void put_together(cycle when, const host::delivery& message, std::span<const std::uint8_t> bytes);
    void expire(cycle when);
    void given_up(const incomplete_message& what);
    void deliver(cycle when, const host::delivery& last, std::uint32_t which, std::span<const std::uint8_t> bytes);
    rail_set allowed();
    rail_set idle(rail_set rails);
    rail_set all() const { return busy_.size() == 64 ? ~rail_set{0} : (rail_set{1} << busy_.size()) - 1; }
    rail_set in_use() const;
    std::uint32_t host() const { return context_.own.params().host; }
    unsigned number() const { return context_.own.params().process; }
    void fail(const std::string& what);

    host::host_context context_;
    driver_params params_;
    std::shared_ptr<rail_board> board_;
    rail_source& source_;
    // What the scoreboard is told.
    engine::told<process_id, const rail_message&> created_;
    engine::told<cycle, process_id, process_id, std::uint32_t, traffic::payload_view> delivered_;
    traffic::random_stream random_;
    std::vector<std::unique_ptr<side>> sides_;  ///< [rail - 1]
    std::vector<std::optional<part>> busy_;     ///< [rail] what is asked for or being sent there
    std::optional<rail_message> upcoming_;      ///< not created yet
    std::deque<rail_message> waiting_;
    std::optional<sending> current_;
    std::uint64_t pause_ = 0;  ///< number of the pause that ends next; 0: none
    std::uint64_t pauses_ = 0;
    stripe_assembly assembly_;
    bool expiring_ = false;  ///< the timeline knows when something of it expires
    std::vector<std::uint8_t> scratch_;
    std::uint32_t stripes_ = 0;  ///< number of the next one
    driver_statistics statistics_;
    delivery::fault_list failures_;
};

/// The processes of one host. `source` and `sink` must outlive them.
std::vector<host::application_factory> drive_rails(unsigned processes, unsigned rails, const driver_params& params,
                                                   rail_source& source, rail_scoreboard& sink);

}  // namespace polycast::hw::rails
