// SPDX-License-Identifier: Apache-2.0
#include "tlm/protocol/link_checker.h"

#include <algorithm>
#include <bit>

namespace polycast::tlm::protocol {

namespace {
constexpr std::size_t most_violations = 100;
}

std::string_view name_of(link_rule rule) {
    switch (rule) {
        case link_rule::phase: return "phase";
        case link_rule::extension: return "extension";
        case link_rule::content: return "content";
        case link_rule::memory_manager: return "memory_manager";
        case link_rule::attributes: return "attributes";
        case link_rule::reuse: return "reuse";
        case link_rule::time: return "time";
        case link_rule::rate: return "rate";
        case link_rule::vc: return "vc";
        case link_rule::head: return "head";
        case link_rule::tail: return "tail";
        case link_rule::no_credit: return "no_credit";
        case link_rule::credit_overrun: return "credit_overrun";
        case link_rule::side: return "side";
        case link_rule::side_round: return "side_round";
        case link_rule::side_have: return "side_have";
        case link_rule::side_change: return "side_change";
        case link_rule::answer: return "answer";
        case link_rule::transport: return "transport";
    }
    return "?";
}

link_checker::link_checker(const sc_core::sc_module_name& name, const link_shape& shape,
                           std::function<void(const link_violation&)> report)
    : sc_module(name), in("in"), out("out"), shape_(shape), grid_(shape.period), report_(std::move(report)) {
    if (shape.vcs < 1 || shape.vcs > hw::engine::max_vcs) {
        throw hw::input_error("link: " + std::to_string(shape.vcs) + " virtual channels, not 1.." +
                              std::to_string(hw::engine::max_vcs));
    }
    if (shape.side_vc.value_or(0) >= shape.vcs) {
        throw hw::input_error("link: there is no virtual channel " + std::to_string(*shape.side_vc) +
                              " beside the side wires");
    }
    if (!shape.vc_credits.empty() && shape.vc_credits.size() != shape.vcs) {
        throw hw::input_error("link: credits for " + std::to_string(shape.vc_credits.size()) + " of " +
                              std::to_string(shape.vcs) + " virtual channels");
    }
    for (unsigned vc = 0; vc < shape.vcs; ++vc) {
        channel& made = channels_.emplace_back();
        made.free = shape.side_vc == vc;
        made.credits = made.free ? 0 : shape.vc_credits.empty() ? shape.credits : shape.vc_credits[vc];
        made.available = made.credits;
        made.returning.set_capacity(std::max(made.credits, 1u));
    }
    in.register_nb_transport_fw(this, &link_checker::forward, 0);
    in.register_b_transport(this, &link_checker::blocking, 0);
    in.register_transport_dbg(this, &link_checker::debug, 0);
    in.register_get_direct_mem_ptr(this, &link_checker::direct_memory, 0);
    out.register_nb_transport_bw(this, &link_checker::backward, 0);
    out.register_invalidate_direct_mem_ptr(this, &link_checker::invalidate, 0);
}

::tlm::tlm_sync_enum link_checker::forward(int, payload& trans, ::tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const bool side = phase == side_phase;
    const char* const what = side ? "change of side wires" : "flit";
    if (!side && phase != flit_phase) violate(link_rule::phase, std::string("forward with phase ") + phase.get_name());
    check_payload(trans, side ? link_extension::content::side : link_extension::content::flit, what);
    const cycle when = check_time(side ? sides_ : flits_, delay, what);
    if (side) check_bare(trans, what);
    if (const auto* extension = trans.get_extension<link_extension>(); extension != nullptr && side) {
        check_side(extension->side);
    } else if (extension != nullptr) {
        check_flit_attributes(trans, *extension);
        check_flit(*extension, when);
    }
    const unsigned phase_before = phase;
    const sc_core::sc_time delay_before = delay;
    const ::tlm::tlm_sync_enum answer = out->nb_transport_fw(trans, phase, delay);
    check_answer(answer, phase != phase_before || delay != delay_before, what);
    return answer;
}

::tlm::tlm_sync_enum link_checker::backward(int, payload& trans, ::tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != credit_phase) violate(link_rule::phase, std::string("backward with phase ") + phase.get_name());
    check_payload(trans, link_extension::content::credit, "credit");
    const cycle when = check_time(credits_, delay, "credit");
    check_bare(trans, "credit");
    if (const auto* extension = trans.get_extension<link_extension>()) check_credit(*extension, when);
    const unsigned phase_before = phase;
    const sc_core::sc_time delay_before = delay;
    const ::tlm::tlm_sync_enum answer = in->nb_transport_bw(trans, phase, delay);
    check_answer(answer, phase != phase_before || delay != delay_before, "credit");
    return answer;
}

void link_checker::blocking(int, payload& trans, sc_core::sc_time& delay) {
    violate(link_rule::transport, "b_transport");
    out->b_transport(trans, delay);
}

unsigned link_checker::debug(int, payload& trans) {
    violate(link_rule::transport, "transport_dbg");
    return out->transport_dbg(trans);
}

bool link_checker::direct_memory(int, payload& trans, ::tlm::tlm_dmi& dmi) {
    violate(link_rule::transport, "get_direct_mem_ptr");
    return out->get_direct_mem_ptr(trans, dmi);
}

void link_checker::invalidate(int, sc_dt::uint64 from, sc_dt::uint64 to) {
    violate(link_rule::transport, "invalidate_direct_mem_ptr");
    in->invalidate_direct_mem_ptr(from, to);
}

void link_checker::check_payload(const payload& trans, link_extension::content expected, const char* what) {
    const std::string name = what;
    if (!trans.has_mm() || trans.get_ref_count() < 1) {
        violate(link_rule::memory_manager, name + " whose payload nobody holds");
    }
    const auto* extension = trans.get_extension<link_extension>();
    if (extension == nullptr) {
        violate(link_rule::extension, name + " without link_extension");
        return;
    }
    if (extension->what != expected) violate(link_rule::content, name + " is marked as something else");
    const auto [last, fresh] = serials_.try_emplace(&trans, extension->serial);
    if (!fresh && last->second == extension->serial) {
        violate(link_rule::reuse, name + " in a payload that was sent before and not given back");
    }
    last->second = extension->serial;
}

void link_checker::check_flit_attributes(const payload& trans, const link_extension& extension) {
    if (!trans.is_write()) violate(link_rule::attributes, "flit is no write");
    if (trans.get_data_ptr() == nullptr || trans.get_data_length() != shape_.flit_bytes) {
        violate(link_rule::attributes, "flit with " + std::to_string(trans.get_data_length()) +
                                           " bytes of data on a link of " + std::to_string(shape_.flit_bytes));
    }
    if (trans.get_streaming_width() < trans.get_data_length()) violate(link_rule::attributes, "flit is streamed");
    if (trans.get_byte_enable_ptr() != nullptr) violate(link_rule::attributes, "flit has byte enables");
    if (trans.is_dmi_allowed()) violate(link_rule::attributes, "flit allows direct memory access");
    if (extension.head && extension.header.size() != shape_.header_bytes) {
        violate(link_rule::attributes, "free header of " + std::to_string(extension.header.size()) +
                                           " bytes on a link of " + std::to_string(shape_.header_bytes));
    }
}

/// Checks a payload that carries no data.
void link_checker::check_bare(const payload& trans, const char* what) {
    if (trans.get_command() != ::tlm::TLM_IGNORE_COMMAND)
        violate(link_rule::attributes, std::string(what) + " is a read or write");
    if (trans.get_data_length() != 0) violate(link_rule::attributes, std::string(what) + " with data");
}

link_checker::cycle link_checker::check_time(stream& of, const sc_core::sc_time& delay, const char* what) {
    const sc_core::sc_time now = sc_core::sc_time_stamp() + delay;
    if (of.count != 0) {
        if (now < of.last) {
            violate(link_rule::time,
                    std::string(what) + " at " + now.to_string() + " after one at " + of.last.to_string());
        } else if (grid_.cycle_at(now) == grid_.cycle_at(of.last)) {
            violate(link_rule::rate,
                    std::string("second ") + what + " in cycle " + std::to_string(grid_.cycle_at(now)));
        }
    }
    ++of.count;
    of.last = std::max(of.last, now);
    return grid_.cycle_at(now);
}

/// " of VC 2", if there are several.
std::string link_checker::named(unsigned vc) const {
    return shape_.vcs == 1 ? "" : " of VC " + std::to_string(vc);
}

/// Null, and a violation, if the link has no such virtual channel.
link_checker::channel* link_checker::channel_of(const link_extension& extension, const char* what) {
    if (extension.vc < shape_.vcs) return &channels_[extension.vc];
    violate(link_rule::vc, std::string(what) + " of VC " + std::to_string(extension.vc) + " on a link with " +
                               std::to_string(shape_.vcs));
    return nullptr;
}

void link_checker::check_flit(const link_extension& extension, cycle when) {
    channel* on = channel_of(extension, "flit");
    if (on == nullptr) return;
    if (extension.head && on->in_packet) violate(link_rule::tail, "head flit inside a packet" + named(extension.vc));
    if (!extension.head && !on->in_packet) violate(link_rule::head, "body flit outside a packet" + named(extension.vc));
    if (extension.head) on->offset = 0;
    on->in_packet = !extension.tail;
    if (on->free) return;
    if (on->offset == 0) {
        // A credit that is on the pins in cycle t lets a flit onto the pins in t + 1 at the earliest.
        while (!on->returning.empty() && on->returning.front() < when) {
            on->returning.pop_front();
            ++on->available;
        }
        if (on->available == 0) {
            violate(link_rule::no_credit,
                    "flit in cycle " + std::to_string(when) + " begins a chunk without a credit" + named(extension.vc));
        } else {
            --on->available;
        }
    }
    if (++on->offset == shape_.chunk_flits) on->offset = 0;
}

void link_checker::check_credit(const link_extension& extension, cycle when) {
    channel* on = channel_of(extension, "credit");
    if (on == nullptr) return;
    if (on->available + on->returning.size() == on->credits) {
        violate(link_rule::credit_overrun, "credit" + named(extension.vc) + " in cycle " + std::to_string(when) +
                                               ", all " + std::to_string(on->credits) + " are there");
        return;
    }
    on->returning.push_back(when);
}

void link_checker::check_side(const hw::engine::side_state& now) {
    constexpr unsigned rounds = 4;
    if (!shape_.side_vc) violate(link_rule::side, "side wires change on a link that has none");
    if (now == shown_) violate(link_rule::side_change, "side wires change to what they were");
    if (now.round >= rounds || (now.round != shown_.round && now.round != (shown_.round + 1) % rounds)) {
        violate(link_rule::side_round,
                "round " + std::to_string(now.round) + " after round " + std::to_string(shown_.round));
    } else if (now.round != shown_.round && now.have != 0) {
        violate(link_rule::side_have, "packets are there as round " + std::to_string(now.round) + " begins");
    } else if (now.round == shown_.round && (shown_.have & ~now.have) != 0) {
        violate(link_rule::side_have, "packet " + std::to_string(std::countr_zero(shown_.have & ~now.have)) +
                                          " is taken back in round " + std::to_string(now.round));
    }
    shown_ = now;
}

bool link_checker::at_rest() const {
    return std::ranges::all_of(channels_, [&](const channel& each) {
        return !each.in_packet && each.available + each.returning.size() == each.credits;
    });
}

void link_checker::check_answer(::tlm::tlm_sync_enum answer, bool changed, const char* what) {
    if (answer != ::tlm::TLM_ACCEPTED)
        violate(link_rule::answer, std::string(what) + " was not answered by TLM_ACCEPTED");
    if (changed) violate(link_rule::answer, std::string("phase or delay of a ") + what + " were changed by the callee");
}

void link_checker::violate(link_rule rule, const std::string& message) {
    ++violation_count_;
    const sc_core::sc_time& now = sc_core::sc_time_stamp();
    link_violation violation{rule, now, std::string(name()) + ", " + now.to_string() + ": " + message};
    if (report_) report_(violation);
    if (violations_.size() < most_violations) violations_.push_back(std::move(violation));
}

}  // namespace polycast::tlm::protocol
