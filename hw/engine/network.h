// SPDX-License-Identifier: Apache-2.0
/// \file The engine: steps a network of chips joined by links, cycle by cycle, and only chips that have work.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/engine/ranks.h"

namespace polycast::hw::engine {

struct chip_node;
struct link_state;
struct partition_input;
struct network_chips;
struct part_counters;
class network_part;
class rank_runner;
class team;

using chip_id = std::uint32_t;

/// One end of a link.
struct port_id {
    chip_id chip = 0;
    unsigned port = 0;

    bool operator==(const port_id&) const = default;
};

struct link_params {
    /// Cycles from an output pin to the input pin, both directions. 0: output registers are seen in the next cycle, as
    /// by a link end beside its chip.
    unsigned delay = 1;
    unsigned chunk_flits = 1;  ///< flits that one credit stands for, for the occupancy statistics
};

/// Counts of the link into one input port.
struct link_statistics {
    std::uint64_t flits = 0;
    std::uint64_t packets = 0;
    std::uint32_t occupied = 0;         ///< chunks in use now at the receiver: begun and not freed
    std::uint32_t occupied_max = 0;     ///< most chunks in use at once
    std::uint64_t occupied_cycles = 0;  ///< sum over cycles of chunks in use, up to `since`
    cycle since = 0;
    std::uint32_t offset = 0;  ///< flits of the chunk being filled

    /// A flit is on the input pins in cycle `when`.
    void flit_arrived(cycle when, bool head, unsigned chunk_flits);
    /// A flit that takes no place in a buffer.
    void uncredited_arrived(bool head);
    /// The receiver frees a chunk: its credit pin is high in cycle `when`.
    void credit_returned(cycle when) { occupy(when, -1); }
    /// Counts occupancy up to `when`, and `change` more chunks from then on.
    void occupy(cycle when, int change);
};

/// An error pin that went high.
struct error_event {
    cycle when = 0;  ///< cycle in which the pin is up
    port_id where;
    std::uint16_t errors = 0;  ///< format::chip_error bits
};

/// An event pin that went high.
struct event_record {
    cycle when = 0;  ///< cycle in which the pin is up
    chip_id chip = 0;
    chip_event event;
};

/// Watches chips being stepped, for waves. A chip that is not stepped in a cycle has quiet pins and an unchanged state.
class observer {
public:
    virtual ~observer() = default;
    /// `in`: input pins of cycle `now`; `out`: output pins of cycle `now` + 1; `chip`: state after the step.
    virtual void stepped(chip_id id, cycle now, const pins& in, const pins& out, const chip& chip) = 0;
};

/// The other side of an open port, for networks that continue outside the engine. Called from network::run().
class outside {
public:
    virtual ~outside() = default;
    /// A flit is on the output pins in cycle `when`; its bytes are valid during the call.
    virtual void flit_sent(cycle when, const flit& flit) = 0;
    /// The credit pin is up in cycle `when`. `vc`: 0 if there is only one virtual channel.
    virtual void credit_sent(cycle when, std::uint8_t vc) = 0;
    /// Side wires change in cycle `when`. Never called at a port without them.
    virtual void side_sent(cycle when, const side_state& state) = 0;
};

/// How a run is cut into slices.
struct slices {
    cycle end = never;     ///< is not simulated
    cycle length = never;  ///< cycles of a slice
    cycle review = never;  ///< a slice ends there, too

    /// Of the slice that begins at `now`. A review does not move the slices behind it.
    cycle end_of(cycle now) const {
        const cycle next = std::min(end, length == never ? never : (now / length + 1) * length);
        return now < review ? std::min(next, review) : next;
    }
};

/// A network of chips that the engine or SystemC modules (tlm/network/sc_chip_network.h) step. Both give the same
/// results.
class chip_network {
public:
    virtual ~chip_network() = default;

    /// Only before the first step.
    virtual chip_id add(std::unique_ptr<chip> chip, std::string name) = 0;

    /// Joins two ports by a full-duplex link. \throws input_error if a port does not exist or is taken, or flit widths
    /// differ, or one has side wires and the other none, or takes whole packets and the other flits.
    virtual void connect(port_id a, port_id b, const link_params& params) = 0;

    /// While a network is built: what stands for the chip that is to be added next, if another process simulates it;
    /// null: the chip is to be made. Asked for all chips, or for none.
    virtual std::unique_ptr<chip> stand_in(chip_id id) {
        static_cast<void>(id);
        return nullptr;
    }
    /// All chips are there and joined, where stand_in() was asked.
    virtual void complete() {}

    /// Simulates slice by slice; time jumps over cycles in which nothing happens. `look` is asked between two slices,
    /// at the end, and when nothing is left to do (`over`), and ends the run by returning true. Once.
    virtual void run_slices(const slices& how, const std::function<bool(bool over)>& look) = 0;

    /// The next cycle to simulate, unless time jumps.
    virtual cycle now() const = 0;

    /// As it was made; of the state, what another process simulates or halves are stepped for has none: see the next
    /// four.
    virtual const chip& at(chip_id id) const = 0;
    virtual bool idle(chip_id id) const { return at(id).idle(); }
    virtual bool finished(chip_id id) const { return at(id).finished(); }
    virtual void probe(chip_id id, chip_probe& probe) const { at(id).probe(probe); }
    virtual chip_report report(chip_id id) const { return at(id).report(); }
    virtual const std::string& name(chip_id id) const = 0;
    virtual std::size_t size() const = 0;

    /// The other end of a link; `chip` is no_chip if the port is open.
    virtual port_id peer(port_id port) const = 0;
    static constexpr chip_id no_chip = ~chip_id{0};

    /// Statistics of the link into `port`, occupancy counted up to now().
    virtual link_statistics statistics(port_id port) const = 0;

    /// Error pins that went up: the first 1,000, and how many there were.
    virtual std::vector<error_event> errors() const = 0;
    virtual std::uint64_t error_count() const = 0;
    /// The same of events of chips with event pins.
    virtual std::vector<event_record> events() const = 0;
    virtual std::uint64_t event_count() const = 0;
    /// Last cycle in which a flit was sent; of packets as events the last one of a packet, which may be still to come.
    virtual cycle last_flit() const = 0;
    /// Chip steps and flit transfers so far, for benchmarks.
    virtual std::uint64_t chip_steps() const = 0;
    virtual std::uint64_t flit_hops() const = 0;
    /// Transfers of whole packets.
    virtual std::uint64_t packet_hops() const { return 0; }

    /// Before the first step. `observer` (or nullptr) must outlive the network or be removed.
    virtual void observe(observer* observer) = 0;

    /// Nothing where one process simulates it alone.
    virtual std::optional<rank_costs> costs_of_ranks() const { return std::nullopt; }

    /// What is counted beside the chips, by whatever they ask, for networks that several processes simulate: `give` is
    /// called in the others at the end, and `take` in the first one with each of their answers.
    virtual void count_beside(std::function<std::string()> give, std::function<void(const std::string&)> take) {
        static_cast<void>(give);
        static_cast<void>(take);
    }
};

/// Chips that are not stepped by the engine but by another simulator, with one thread in each process: SystemC's
/// modules.
struct foreign_chips {
    std::function<bool(chip_id)> has;
    /// What steps them, part `index` of `parts` in this process; `all` outlives it.
    std::function<std::unique_ptr<network_part>(network_chips& all, std::uint32_t index, std::size_t parts,
                                                std::size_t slots)>
        make;
};

/// Which threads step a network.
struct threading {
    unsigned threads = 1;
    /// By the names of chips: the number of the thread, below `threads`, or with ranks below `threads` times their
    /// number, those of the first rank before those of the second. Chips with the same shared() follow the first of
    /// them. Empty: METIS decides, by cost and traffic.
    std::map<std::string, std::uint32_t> part_of{};
    /// Otherwise one thread does everything while that takes less time, as on a busy machine.
    bool always = false;
    /// Processes that simulate the network together; null: this one alone.
    std::shared_ptr<rank_group> ranks{};
    /// Null: the engine steps all.
    std::shared_ptr<const foreign_chips> foreign{};
};

/// A network of chips in flat arrays. Results do not depend on the order of the chips: every effect of one on another
/// is an event at least one cycle away. Nor do they depend on the threads.
class network final : public chip_network {
public:
    explicit network(threading threads = {});
    ~network() override;
    network(const network&) = delete;
    network& operator=(const network&) = delete;

    chip_id add(std::unique_ptr<chip> chip, std::string name) override;
    void connect(port_id a, port_id b, const link_params& params) override;
    std::unique_ptr<chip> stand_in(chip_id id) override;
    void complete() override;

    /// Joins a port to something outside, which must outlive the network. `lookahead`: most cycles between now() and an
    /// arrival that inject_flit() or inject_credit() announces. \throws input_error as connect() does.
    void connect(port_id port, outside& outside, unsigned lookahead);

    /// A flit from outside is on the input pins of `port` in cycle `when`, now() or later. At most one per port and
    /// cycle. Its bytes are copied. \throws input_error for a cycle in the past or beyond the lookahead.
    void inject_flit(port_id port, cycle when, const flit& flit);
    /// A credit from outside, of virtual channel `vc`, is on the credit pin of `port` in cycle `when`.
    void inject_credit(port_id port, cycle when, std::uint8_t vc = 0);
    /// Side wires from outside change in cycle `when`.
    void inject_side(port_id port, cycle when, const side_state& state);

    /// Moves time forward to cycle `to`, or to the next activity if that comes first, without simulating.
    void skip_to(cycle to);

    cycle now() const override;

    /// The next cycle in which something happens; never if nothing will.
    cycle next_activity() const;

    /// Simulates up to, not including, cycle `end`. Stops early when nothing is left to do or `stop` (if any), asked
    /// after every simulated cycle, says so. \returns true if stopped early.
    bool run(cycle end, const std::function<bool()>& stop = {});
    /// With ranks `look` is asked on the first one. \throws simulated_elsewhere on the others, at the end
    void run_slices(const slices& how, const std::function<bool(bool over)>& look) override;

    const chip& at(chip_id id) const override;
    bool idle(chip_id id) const override;
    bool finished(chip_id id) const override;
    void probe(chip_id id, chip_probe& probe) const override;
    chip_report report(chip_id id) const override;
    chip& at(chip_id id);
    const std::string& name(chip_id id) const override;
    std::size_t size() const override;
    port_id peer(port_id port) const override;
    link_statistics statistics(port_id port) const override;

    std::vector<error_event> errors() const override;
    std::uint64_t error_count() const override;
    std::vector<event_record> events() const override;
    std::uint64_t event_count() const override;

    cycle last_flit() const override;
    std::uint64_t chip_steps() const override;
    std::uint64_t flit_hops() const override;
    std::uint64_t packet_hops() const override;
    void observe(observer* observer) override;
    void count_beside(std::function<std::string()> give, std::function<void(const std::string&)> take) override;
    std::optional<rank_costs> costs_of_ranks() const override;

    /// Parts that step it, [chip] and which steps it now; all 0 before the first step. Foreign chips have a part behind
    /// those of the threads. Of a chip of rank r the number of parts + r.
    std::vector<std::uint32_t> part_of() const;

    /// Bytes of the engine itself, without the chips.
    std::size_t memory_bytes() const;

private:
    friend class rank_runner;

    std::array<chip_id, 2> halves_of(chip_id id) const;
    bool foreign(chip_id id) const { return threading_.foreign && id < size() && threading_.foreign->has(id); }
    std::uint32_t own_threads() const { return std::max(threading_.threads, 1u); }
    std::uint32_t own_parts() const { return own_threads() + (threading_.foreign ? 1 : 0); }
    void start();
    void cut();
    partition_input graph(const std::function<bool(chip_id)>& of, std::vector<chip_id>& chips) const;
    std::vector<std::uint32_t> with_halves(std::vector<std::uint32_t> part_of) const;
    void make_parts(const std::vector<std::uint32_t>& part_of, bool first);
    std::vector<std::uint32_t> partition() const;
    std::vector<std::uint32_t> given_partition() const;
    void balance();
    cycle quiet_from() const;
    void run_until(cycle end);
    void end_at(cycle when);
    void run_window(cycle end, const std::function<bool()>& stop);
    void stop_at(cycle when, chip_id chip);
    std::pair<cycle, chip_id> announced_end() const;
    void rethrow_failure();
    part_counters counted() const;
    part_counters everywhere() const;
    std::uint64_t total(std::uint64_t part_counters::*count) const;
    void check_port(port_id port) const;
    network_part& injected(port_id port, cycle when);

    std::unique_ptr<network_chips> chips_;
    threading threading_;
    std::vector<std::unique_ptr<network_part>> parts_;  ///< none before the first step
    std::unique_ptr<team> team_;                        ///< null: one part
    std::unique_ptr<rank_runner> ranks_;                ///< null: this process is alone
    std::unique_ptr<part_counters> past_;               ///< of parts that are no more
    cycle window_ = never;                              ///< shortest time from one part to another
    cycle warning_ = never;                             ///< of chips that announce the end of the run; never: none does
    std::vector<chip_id> announcing_;                   ///< these, as far as they are stepped here
};

}  // namespace polycast::hw::engine
