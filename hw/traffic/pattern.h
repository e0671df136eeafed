// SPDX-License-Identifier: Apache-2.0
/// \file Patterns of synthetic traffic: where each message goes, and when the next one comes. Every generator takes
/// every pattern; hw/traffic/README.md says how to add one. Most are those of Dally and Towles, "Principles and
/// Practices of Interconnection Networks", 2004, section 3.2.
#pragma once

#include <boost/random/exponential_distribution.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hw/traffic/random.h"

namespace polycast::hw::traffic {

/// What a scenario says of a pattern, and what the pattern has to know of the network.
struct pattern_params {
    std::string_view name = "uniform";
    std::vector<std::uint32_t> hosts{};                    ///< key `hosts`, of a pattern that has it
    std::map<std::string, double, std::less<>> numbers{};  ///< its other keys; those left out have their defaults
    unsigned dimensions = 0, radix = 0;                    ///< of a grid with a host at each node; 0: it is none

    bool operator==(const pattern_params&) const = default;
};

/// Who sends: `processes` on each of `hosts` hosts. Process p of host h is source h * processes + p.
struct pattern_sources {
    std::uint32_t hosts = 0;
    std::uint32_t processes = 1;
    std::uint64_t seed = 1;  ///< of what a pattern draws once for all
};

/// Draws from a stream. Results of a seed depend on how a whole number is made of 64 random bits.
struct draws {
    random_stream& stream;
    bool scaled = false;  ///< by a multiplication; else by a division that rejects

    /// Uniform in 0..end-1, the same on every platform.
    std::uint32_t below(std::uint32_t end) const {
        return scaled ? static_cast<std::uint32_t>((stream() >> 32) * end >> 32) : divided(end);
    }
    bool chance(double share) const { return static_cast<double>(stream() >> 11) * 0x1p-53 < share; }

private:
    std::uint32_t divided(std::uint32_t end) const;
};

/// A pattern with its parameters. This class itself is `uniform`; others derive from it. Without state, so that any
/// number of generators and threads can share one.
class pattern {
public:
    explicit pattern(const pattern_sources& sources)
        : all_(sources.hosts * sources.processes), processes_(sources.processes) {}
    virtual ~pattern() = default;

    /// True for sources that send nothing.
    bool silent(std::uint32_t source) const { return !fixed_.empty() && fixed_[source] == source; }
    /// Where message `number` of `source` goes. It may be a process of the same host, which the generator leaves out or
    /// replaces by uniform().
    std::uint32_t destination(std::uint32_t source, std::uint32_t number, draws random) const {
        if (!fixed_.empty()) return fixed_[source];
        return draws_destinations_ ? draw_destination(source, number, random) : uniform(source, random);
    }
    /// Any process of another host.
    std::uint32_t uniform(std::uint32_t source, draws random) const {
        return other(source, random.below(all_ - processes_));
    }
    /// Cycles to the next message of a source that makes `rate` messages per cycle on average.
    double gap(double rate, random_stream& random) const {
        return draws_gaps_ ? draw_gap(rate, random) : boost::random::exponential_distribution<double>(rate)(random);
    }
    /// Cycles from the beginning to the first message.
    virtual double first_gap(double rate, random_stream& random) const { return gap(rate, random); }
    /// Every source always sends to the same place.
    bool fixed() const { return !fixed_.empty(); }
    /// All pairs of hosts are as likely.
    virtual bool spread() const { return fixed_.empty(); }
    std::size_t memory_bytes() const { return fixed_.capacity() * sizeof(std::uint32_t); }

protected:
    /// Process number `index` of those of other hosts.
    std::uint32_t other(std::uint32_t source, std::uint32_t index) const {
        const std::uint32_t first = processes_ == 1 ? source : source - source % processes_;
        return index < first ? index : index + processes_;
    }
    /// Process p of host h sends to process p of host `to[h]`; none to its own host.
    void fix(const std::vector<std::uint32_t>& to);
    virtual std::uint32_t draw_destination(std::uint32_t source, std::uint32_t number, draws random) const;
    virtual double draw_gap(double rate, random_stream& random) const;

    std::uint32_t all_, processes_;
    std::vector<std::uint32_t> fixed_;  ///< [source] where destinations are not drawn
    bool draws_destinations_ = false;   ///< by draw_destination()
    bool draws_gaps_ = false;           ///< by draw_gap()
};

/// A key of a pattern, as scenarios spell it.
struct pattern_key {
    std::string_view name, fallback, least, most;
    std::string_view doc;
    bool fraction = false;  ///< "20 %" is one
};

/// A row of the table of patterns.
struct pattern_kind {
    enum class load { any, none, needed };

    std::string_view name, doc;
    load rate = load::any;           ///< whether messages have a rate
    bool grid = false;               ///< needs a mesh or torus
    std::string_view keys_doc = {};  ///< of its section of keys
    bool hosts = false;              ///< has a key `hosts`, which is required
    std::span<const pattern_key> keys = {};
    std::shared_ptr<const pattern> (*make)(const pattern_params&, const pattern_sources&) = nullptr;

    double number(const pattern_params& params, std::string_view key) const;
};

/// All patterns, in the order of the pages.
std::span<const pattern_kind* const> pattern_kinds();
/// \throws input_error if there is no such pattern
const pattern_kind& pattern_kind_of(std::string_view name);
/// \throws input_error if hosts, numbers or network do not fit the pattern
std::shared_ptr<const pattern> make_pattern(const pattern_params& params, const pattern_sources& sources);

template <typename type>
std::shared_ptr<const pattern> make_as(const pattern_params& params, const pattern_sources& sources) {
    return std::make_shared<const type>(params, sources);
}

}  // namespace polycast::hw::traffic
