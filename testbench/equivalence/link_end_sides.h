// SPDX-License-Identifier: Apache-2.0
/// \file What is around the two link ends of a run: a chip at each, and a wire in each direction.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/equivalence/dice.h"
#include "testbench/equivalence/link_end_run.h"

namespace polycast::testbench::equivalence {

using hw::chips::link_config;
using hw::chips::link_end_in;
using hw::chips::link_end_out;
using hw::chips::link_layer;
using hw::chips::link_symbol;
using hw::chips::symbol_kind;
using hw::engine::cycle;

inline bool is_poison(const link_symbol& flit, const link_config& config) {
    return flit.tail && !flit.head &&
           std::all_of(flit.data.begin(), flit.data.begin() + config.flit_bytes,
                       [](auto byte) { return byte == 0xff; });
}

/// Sends packets as its credits allow, takes others into a buffer and frees that at random.
class link_chip {
public:
    link_chip(const link_end_run& run, const link_config& config, unsigned index)
        : run_(run), config_(config), dice_(run.seed, 100 + index), vcs_(config.vcs) {
        for (unsigned vc = 0; vc < config.vcs; ++vc) vcs_[vc].credits = config.far.credits[vc];
    }

    /// \param traffic new packets and faults may begin
    void drive(link_end_in& in, bool traffic) {
        send(in, traffic);
        if (traffic && dice_.chance(run_.pause)) return;
        const unsigned vc = dice_.below(config_.vcs);
        if (vcs_[vc].complete != 0) {
            --vcs_[vc].complete;
            --vcs_[vc].units;
            in.credit = true;
            in.credit_vc = static_cast<std::uint8_t>(vc);
        } else if (traffic && dice_.chance(run_.rogue)) {
            in.credit = true;
            in.credit_vc = static_cast<std::uint8_t>(dice_.below(config_.vcs + (config_.vcs < 16 ? 1u : 0u)));
        }
    }

    void see(const link_end_out& out) {
        if (out.errors != 0 && run_.sound()) fail("an error pin");
        if (out.credit) {
            if (out.credit_vc >= config_.vcs) return fail("a credit of no virtual channel");
            if (++vcs_[out.credit_vc].credits > config_.far.credits[out.credit_vc] && run_.sound())
                fail("too many credits");
        }
        if (!out.valid) return;
        if (out.flit.vc >= config_.vcs) return fail("a flit of no virtual channel");
        vc_state& vc = vcs_[out.flit.vc];
        if (vc.arriving.empty() != out.flit.head && run_.sound()) fail("a head inside a packet, or none before it");
        vc.arriving.push_back(out.flit);
        if ((vc.arriving.size() - 1) % config_.own.unit_flits == 0) ++vc.units;
        if (vc.units > config_.own.credits[out.flit.vc] + 1 && run_.sound()) fail("the buffer overflows");
        if (out.flit.tail || vc.arriving.size() % config_.own.unit_flits == 0) ++vc.complete;
        if (!out.flit.tail) return;
        vc.arrived.push_back(std::move(vc.arriving));
        vc.arriving = {};
    }

    bool at_rest() const {
        return std::all_of(vcs_.begin(), vcs_.end(), [&](const vc_state& vc) {
            const auto index = static_cast<std::size_t>(&vc - vcs_.data());
            return vc.sending.empty() && vc.arriving.empty() && vc.units == 0 &&
                   (vc.credits == config_.far.credits[index] || !run_.sound());
        });
    }

    /// Compares what came here with what `from` sent. \param all nothing may be missing
    void compare(const link_chip& from, bool all) {
        for (unsigned index = 0; index < vcs_.size(); ++index) {
            auto sent = from.vcs_[index].sent.begin();
            const auto end = from.vcs_[index].sent.end();
            for (const packet& here : vcs_[index].arrived) {
                const auto whole = std::find(sent, end, here);
                if (whole != end) {
                    if (all && whole != sent) return fail("a packet is missing");
                    sent = whole + 1;
                    continue;
                }
                // What arrived before a poison tail is the beginning of a packet.
                const auto part = std::find_if(sent, end, [&](const packet& there) {
                    return there.size() >= here.size() - 1 && std::equal(here.begin(), here.end() - 1, there.begin());
                });
                if (part == end || !is_poison(here.back(), config_))
                    return fail("a packet that was not sent, or twice");
                if (all) return fail("a packet was cut");
                sent = part + 1;
            }
            if (all && sent != end) return fail("the last packets are missing");
        }
    }

    const std::string& failure() const { return failure_; }
    std::uint64_t packets() const {
        std::uint64_t count = 0;
        for (const vc_state& vc : vcs_) count += vc.arrived.size();
        return count;
    }

private:
    using packet = std::vector<link_symbol>;

    struct vc_state {
        std::uint64_t credits = 0;
        packet sending;  ///< the whole packet
        std::size_t next = 0;
        std::vector<packet> sent;
        packet arriving;
        std::vector<packet> arrived;
        std::uint64_t units = 0;     ///< in the buffer
        std::uint64_t complete = 0;  ///< of them
    };

    void fail(const char* what) {
        if (failure_.empty()) failure_ = what;
    }

    void send(link_end_in& in, bool traffic) {
        if (traffic && dice_.chance(run_.rogue)) {
            in.valid = true;
            in.flit = flit(dice_.chance(500), dice_.chance(500));
            in.flit.vc = static_cast<std::uint8_t>(dice_.below(config_.vcs + (config_.vcs < 16 ? 1u : 0u)));
            return;
        }
        if (!dice_.chance(traffic ? run_.load : 1000)) return;
        const unsigned number = dice_.below(config_.vcs);
        vc_state& vc = vcs_[number];
        if (vc.sending.empty()) {
            if (!traffic) return;
            const unsigned flits = dice_.between(1, run_.longest);
            for (unsigned index = 0; index < flits; ++index) {
                vc.sending.push_back(flit(index == 0, index + 1 == flits));
                vc.sending.back().vc = static_cast<std::uint8_t>(number);
            }
            vc.next = 0;
        }
        if (vc.next % config_.far.unit_flits == 0) {
            if (vc.credits == 0) {
                if (vc.next == 0) vc.sending.clear();
                return;
            }
            --vc.credits;
        }
        in.valid = true;
        in.flit = vc.sending[vc.next++];
        if (vc.next < vc.sending.size()) return;
        vc.sent.push_back(std::move(vc.sending));
        vc.sending = {};
    }

    link_symbol flit(bool head, bool tail) {
        link_symbol made;
        made.kind = symbol_kind::flit;
        made.head = head;
        made.tail = tail;
        for (unsigned byte = 0; byte < config_.flit_bytes; ++byte)
            made.data[byte] = static_cast<std::uint8_t>(dice_.word());
        if (head)
            for (unsigned byte = 0; byte < config_.header_bytes; ++byte)
                made.header.push_back(static_cast<std::uint8_t>(dice_.word()));
        return made;
    }

    const link_end_run& run_;
    link_config config_;
    dice dice_;
    std::vector<vc_state> vcs_;
    std::string failure_;
};

/// One direction.
class link_wire {
public:
    link_wire(const link_end_run& run, unsigned index) : run_(run), dice_(run.seed, 200 + index) {
        for (unsigned stage = 0; stage < run.config.delay; ++stage) stages_.emplace_back();
        if (run.deaths != 0 && dice_.chance(200)) dead_ = dice_.between(1, run.longest_death);
    }
    /// What is on the far pins in the cycle behind the one in which `symbol` was chosen, d cycles ago.
    void pass(link_symbol symbol, bool faults, link_end_in& in) {
        stages_.push_back(std::move(symbol));
        in.symbol = std::move(stages_.front());
        stages_.pop_front();
        in.signal = true;
        if (!faults) dead_ = 0;
        if (dead_ == 0 && faults && dice_.chance(1000) && dice_.below(1000000) < run_.deaths) {
            dead_ = dice_.between(1, run_.longest_death);
            with_signal_ = dice_.chance(300);
        }
        if (dead_ != 0) {
            --dead_;
            in.symbol = {};
            in.signal = with_signal_;
        }
        if (!faults) return;
        forge(in.symbol);
        vanish(in.symbol);
        if (dice_.chance(run_.losses)) in.symbol = {};
        if (!dice_.chance(run_.flips)) return;
        for (unsigned count = dice_.between(1, 3); count != 0; --count)
            hw::chips::flip_wire(run_.config, dice_.below(hw::chips::symbol_wires(run_.config)), in.symbol);
    }

private:
    /// Nothing is left of some frames: only their numbers tell.
    void vanish(link_symbol& symbol) {
        const symbol_kind kind = symbol.kind;
        const bool begins = kind == symbol_kind::flit && (run_.config.beside || last_ != symbol_kind::flit);
        last_ = kind;
        if (begins) vanishing_ = dice_.chance(run_.vanishes);
        if (vanishing_ && (kind == symbol_kind::flit || kind == symbol_kind::check)) symbol = {};
    }

    /// Sets and messages that nobody sent, with the right checks.
    void forge(link_symbol& symbol) {
        if (forged_.empty() && dice_.chance(run_.forgeries)) {
            const link_config& c = run_.config;
            const std::uint32_t number = dice_.below(dice_.chance(500) ? 1u << c.sequence_bits : 8u);
            const unsigned vc = dice_.below(c.vcs + (c.vcs < 16 ? 1u : 0u));
            if (dice_.chance(600)) {
                forge_set({static_cast<hw::chips::set_type>(dice_.between(1, 5)), vc, number,
                           dice_.below(1u << c.sequence_bits)});
            } else {
                forge_message({dice_.chance(300) ? hw::chips::frame_type::cut : hw::chips::frame_type::cc_update, vc,
                               dice_.below(16)},
                              number);
            }
        }
        if (forged_.empty()) return;
        symbol = std::move(forged_.front());
        forged_.pop_front();
    }
    void forge_set(const hw::chips::ordered_set& set) { forge_word(pack(set), symbol_kind::set); }
    void forge_message(const hw::chips::link_message& message, std::uint32_t sequence) {
        const link_config& c = run_.config;
        hw::chips::frame_check covered;
        for (unsigned index = 0; index < c.message_flits(); ++index) {
            forged_.push_back(message_flit(c, message, index));
            covered.add(c, forged_.back());
        }
        const std::uint64_t word = covered.seal({sequence, c.message_flits(), static_cast<unsigned>(message.type)});
        if (c.beside) {
            forged_.back().beside = word;
        } else {
            forge_word(word, symbol_kind::check);
        }
    }
    void forge_word(std::uint64_t word, symbol_kind kind) {
        for (unsigned index = 0; index < run_.config.set_symbols(); ++index) {
            link_symbol& symbol = forged_.emplace_back();
            symbol.kind = kind;
            if (run_.config.beside) {
                symbol.beside = word;
            } else {
                put_word(run_.config, word, index, symbol);
            }
        }
    }

    const link_end_run& run_;
    dice dice_;
    std::deque<link_symbol> forged_;
    symbol_kind last_ = symbol_kind::idle;
    bool vanishing_ = false;
    std::deque<link_symbol> stages_;
    std::uint64_t dead_ = 0;
    bool with_signal_ = false;
};

}  // namespace polycast::testbench::equivalence
