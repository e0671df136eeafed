// SPDX-License-Identifier: Apache-2.0
/// \file A network whose chips several processes simulate: who has which, and what they say to each other.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hw/engine/network_part.h"

namespace polycast::hw::engine {

/// All ranks have all chips, and each steps its own; where it was asked while the network was built (stand_in()), chips
/// of others are made by the first rank alone. They simulate the same windows of time, as long as the shortest
/// cable between two ranks allows, and after each give their neighbours what goes there. After a batch of windows they
/// agree on the next cycle in which anything happens, and the first rank does what all chips told in the batch. It
/// alone asks whether the run is over. Chips that share objects are its.
class rank_runner {
public:
    /// `of` outlives it, and has ranks.
    explicit rank_runner(network& of);
    ~rank_runner();

    /// As those of the network.
    std::unique_ptr<chip> stand_in(chip_id id);
    void complete();
    /// Before the parts are made: deals the chips to ranks.
    void deal();
    std::uint32_t rank_of(chip_id id) const { return rank_of_[id]; }
    bool here(chip_id id) const { return rank_of_[id] == ranks_.rank(); }

    /// As those of the network.
    void run_slices(const slices& how, const std::function<bool(bool over)>& look);
    bool idle(chip_id id) const;
    bool finished(chip_id id) const;
    void probe(chip_id id, chip_probe& probe) const;
    chip_report report(chip_id id) const;
    /// What the other ranks counted up to the last slice; on the first one.
    const part_counters& others() const { return others_; }
    const rank_costs& costs() const { return costs_; }
    void count_beside(std::function<std::string()> give, std::function<void(const std::string&)> take) {
        give_ = std::move(give);
        take_ = std::move(take);
    }

private:
    /// What the first rank has the others do between two slices.
    enum class command : std::uint8_t { go_on, say, end };
    /// What all know after a batch.
    struct state {
        cycle next = never;    ///< something happens
        cycle quiet_from = 0;  ///< of all ranks
        bool failed = false;   ///< a step, on any rank
        bool told = false;     ///< something was, on any rank but the first
        cycle last = never;    ///< a chip will end the run in it
    };
    struct saying;
    struct failure;

    struct dealing;

    std::vector<std::uint32_t> dealt() const;
    void drop_elsewhere();
    bool steps(chip_id id, unsigned rank) const;
    void begin();
    bool run(cycle end);
    template <typename action>
    auto timed(const action& act);
    void exchange();
    state agree();
    void act(const state& now);
    void tell(std::span<const std::string> written, cycle last, chip_id last_chip);
    void refresh();
    command obey();
    std::string sayings() const;
    void hear(unsigned rank, const std::string& all) const;
    const saying& said_of(chip_id id) const;
    std::string last_words() const;
    void finish();
    std::vector<effect_log*> logs() const;

    network& net_;
    rank_group& ranks_;
    std::vector<std::uint32_t> rank_of_;      ///< [chip]
    std::unique_ptr<dealing> heard_;          ///< before all chips are there; not on the first rank
    bool others_build_ = false;               ///< and wait for the first rank to deal
    std::vector<unsigned> neighbours_;        ///< ranks with cables to this one
    cycle window_ = never;                    ///< shortest time from one rank to another
    unsigned batch_ = 1;                      ///< windows
    std::vector<bool> idle_, finished_;       ///< [chip] at the end of the slice; on the first rank
    mutable std::map<chip_id, saying> said_;  ///< on the first rank, of this slice
    part_counters others_;
    rank_costs costs_;
    bool in_step_ = false;      ///< all is told at the end of each cycle
    bool others_wait_ = false;  ///< for what the first rank wants
    bool failed_ = false;
    bool over_ = false;          ///< nothing more will be said
    std::exception_ptr broken_;  ///< by what was told
    std::function<std::string()> give_;
    std::function<void(const std::string&)> take_;
};

}  // namespace polycast::hw::engine
