// SPDX-License-Identifier: Apache-2.0
/// \file Passive checks of TLM-2.0's base protocol (IEEE 1666-2011, 15.2), between an initiator and a target.
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace polycast::testbench {

/// Bind it in between: everything goes through unchanged. Each broken rule is a line in `violations`.
class base_protocol_checker final : public sc_core::sc_module {
public:
    tlm_utils::passthrough_target_socket<base_protocol_checker> in{"in"};
    tlm_utils::simple_initiator_socket<base_protocol_checker> out{"out"};

    std::vector<std::string> violations;
    /// How often: b_transport, transactions completed early, END_REQ, BEGIN_RESP, END_RESP.
    struct seen_counts {
        unsigned blocking = 0, early = 0, end_req = 0, begin_resp = 0, end_resp = 0, invalidations = 0;
    } seen;

    explicit base_protocol_checker(const sc_core::sc_module_name& name) : sc_module(name) {
        in.register_b_transport(this, &base_protocol_checker::blocking);
        in.register_nb_transport_fw(this, &base_protocol_checker::forward);
        in.register_transport_dbg(this, &base_protocol_checker::debug);
        in.register_get_direct_mem_ptr(this, &base_protocol_checker::direct);
        out.register_nb_transport_bw(this, &base_protocol_checker::backward);
        out.register_invalidate_direct_mem_ptr(this, &base_protocol_checker::invalidate);
    }

private:
    using payload = ::tlm::tlm_generic_payload;

    /// What must stay as it is from beginning to end.
    struct fixed {
        ::tlm::tlm_command command;
        std::uint64_t address;
        unsigned char* data;
        unsigned length, width, enable_length;
        unsigned char* enables;
        bool operator==(const fixed&) const = default;
    };
    struct open_transaction {
        fixed attributes;
        bool requested = true;   ///< END_REQ, or what implies it, has not come
        bool responded = false;  ///< BEGIN_RESP has come
    };

    void rule(bool kept, const std::string& what) {
        if (!kept)
            violations.push_back(std::string(name()) + " at " + sc_core::sc_time_stamp().to_string() + ": " + what);
    }
    static fixed attributes_of(const payload& trans) {
        return {trans.get_command(),        trans.get_address(),         trans.get_data_ptr(),
                trans.get_data_length(),    trans.get_streaming_width(), trans.get_byte_enable_length(),
                trans.get_byte_enable_ptr()};
    }
    void begins(const payload& trans) {
        rule(trans.get_response_status() == ::tlm::TLM_INCOMPLETE_RESPONSE,
             "response status is not incomplete at the start");
        rule(!trans.is_dmi_allowed(), "the DMI hint is set at the start");
    }
    void ends(const payload& trans, const fixed& before) {
        rule(trans.get_response_status() != ::tlm::TLM_INCOMPLETE_RESPONSE, "no response status at the end");
        rule(attributes_of(trans) == before, "attributes have changed");
    }

    void blocking(payload& trans, sc_core::sc_time& delay) {
        ++seen.blocking;
        begins(trans);
        const fixed before = attributes_of(trans);
        out->b_transport(trans, delay);
        ends(trans, before);
    }
    unsigned debug(payload& trans) { return out->transport_dbg(trans); }
    bool direct(payload& trans, ::tlm::tlm_dmi& region) { return out->get_direct_mem_ptr(trans, region); }
    void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
        ++seen.invalidations;
        in->invalidate_direct_mem_ptr(first, last);
    }

    bool requesting() const {
        return std::any_of(open_.begin(), open_.end(), [](const auto& entry) { return entry.second.requested; });
    }

    ::tlm::tlm_sync_enum forward(payload& trans, ::tlm::tlm_phase& phase, sc_core::sc_time& delay) {
        if (phase == ::tlm::BEGIN_REQ) {
            begins(trans);
            rule(trans.has_mm(), "no memory manager");
            rule(!requesting(), "BEGIN_REQ before the end of the request before it");
            rule(!open_.contains(&trans), "BEGIN_REQ twice");
            open_[&trans] = {attributes_of(trans)};
        } else if (phase == ::tlm::END_RESP) {
            ++seen.end_resp;
            rule(open_.contains(&trans) && open_[&trans].responded, "END_RESP without BEGIN_RESP");
            rule(responding_ == &trans, "END_RESP out of turn");
            close(trans);
            return out->nb_transport_fw(trans, phase, delay);
        } else {
            rule(false, "a phase that is not the initiator's");
        }
        const ::tlm::tlm_sync_enum said = out->nb_transport_fw(trans, phase, delay);
        if (said == ::tlm::TLM_COMPLETED) {
            ++seen.early;
            if (open_.contains(&trans)) {
                ends(trans, open_[&trans].attributes);
                close(trans);
            }
        } else if (said == ::tlm::TLM_UPDATED) {
            target_moves(trans, phase);
        }
        return said;
    }

    void target_moves(payload& trans, const ::tlm::tlm_phase& phase) {
        rule(open_.contains(&trans), "a phase of a transaction that is not open");
        open_transaction& own = open_[&trans];
        if (phase == ::tlm::END_REQ) {
            ++seen.end_req;
            rule(own.requested, "END_REQ twice, or after BEGIN_RESP");
            own.requested = false;
        } else if (phase == ::tlm::BEGIN_RESP) {
            ++seen.begin_resp;
            rule(!own.responded, "BEGIN_RESP twice");
            rule(responding_ == nullptr, "BEGIN_RESP before the end of the response before it");
            ends(trans, own.attributes);
            own.requested = false;
            own.responded = true;
            responding_ = &trans;
        } else {
            rule(false, "a phase that is not the target's");
        }
    }

    ::tlm::tlm_sync_enum backward(payload& trans, ::tlm::tlm_phase& phase, sc_core::sc_time& delay) {
        target_moves(trans, phase);
        const ::tlm::tlm_sync_enum said = in->nb_transport_bw(trans, phase, delay);
        const bool over = said == ::tlm::TLM_COMPLETED || (said == ::tlm::TLM_UPDATED && phase == ::tlm::END_RESP);
        if (over && open_.contains(&trans)) close(trans);
        return said;
    }

    void close(payload& trans) {
        open_.erase(&trans);
        if (responding_ == &trans) responding_ = nullptr;
    }

    std::map<payload*, open_transaction> open_;
    payload* responding_ = nullptr;  ///< whose END_RESP has not come
};

}  // namespace polycast::testbench
