// SPDX-License-Identifier: Apache-2.0
/// \file A link checker with hands at both ends.
#pragma once

#include <functional>
#include <systemc>
#include <vector>

#include "tlm/protocol/link_checker.h"
#include "tlm/protocol/payload_pool.h"

namespace polycast::tlm::protocol {

constexpr unsigned rig_header_bytes = 5;

/// A sender, a checker and a receiver, driven call by call.
class link_rig final : public sc_core::sc_module {
public:
    using payload = ::tlm::tlm_generic_payload;
    using spoiler = std::function<void(payload&)>;

    out_socket<link_rig> sender;
    in_socket<link_rig> receiver;
    link_checker checker;

    link_rig(const sc_core::sc_module_name& name, const link_shape& shape)
        : sc_module(name), sender("sender"), receiver("receiver"), checker("checker", shape) {
        sender.register_nb_transport_bw(this, &link_rig::take, 0);
        receiver.register_nb_transport_fw(this, &link_rig::take, 0);
        receiver.register_b_transport(this, &link_rig::take_blocking, 0);
        sender.bind(checker.in);
        checker.out.bind(receiver);
    }

    /// Makes a spoilt payload good again: it goes back to the pool.
    class restorer {
    public:
        explicit restorer(payload& trans)
            : trans_(trans),
              what_(trans.get_extension<link_extension>()->what),
              command_(trans.get_command()),
              data_(trans.get_data_ptr()),
              length_(trans.get_data_length()) {
            trans.acquire();
        }
        ~restorer() {
            trans_.get_extension<link_extension>()->what = what_;
            trans_.set_command(command_);
            trans_.set_data_ptr(data_);
            trans_.set_data_length(length_);
            trans_.release();
        }
        restorer(const restorer&) = delete;
        restorer& operator=(const restorer&) = delete;

    private:
        payload& trans_;
        link_extension::content what_;
        ::tlm::tlm_command command_;
        unsigned char* data_;
        unsigned length_;
    };

    /// Sends a flit onto the pins of cycle `when`.
    void flit(hw::engine::cycle when, bool head, bool tail, const spoiler& spoil = {},
              ::tlm::tlm_phase phase = flit_phase) {
        payload& trans = pool_.take_flit();
        const restorer back(trans);
        auto* extension = trans.get_extension<link_extension>();
        extension->head = head;
        extension->tail = tail;
        if (spoil) spoil(trans);
        sc_core::sc_time delay = sc_core::sc_time(static_cast<double>(when), sc_core::SC_NS) - sc_core::sc_time_stamp();
        sender->nb_transport_fw(trans, phase, delay);
        trans.release();
    }

    /// A whole packet of one flit, or a part of a longer one.
    void flit_of(unsigned vc, hw::engine::cycle when, bool head = true, bool tail = true) {
        flit(when, head, tail, [vc](payload& trans) { mark(trans, vc); });
    }
    void credit_of(unsigned vc, hw::engine::cycle when) {
        credit(when, [vc](payload& trans) { mark(trans, vc); });
    }

    void credit(hw::engine::cycle when, const spoiler& spoil = {}, ::tlm::tlm_phase phase = credit_phase) {
        payload& trans = pool_.take_credit();
        const restorer back(trans);
        if (spoil) spoil(trans);
        sc_core::sc_time delay = sc_core::sc_time(static_cast<double>(when), sc_core::SC_NS) - sc_core::sc_time_stamp();
        receiver->nb_transport_bw(trans, phase, delay);
        trans.release();
    }

    /// The side wires change on the pins of cycle `when`.
    void side(hw::engine::cycle when, std::uint64_t have, unsigned round, const spoiler& spoil = {},
              ::tlm::tlm_phase phase = side_phase) {
        payload& trans = pool_.take_side();
        const restorer back(trans);
        trans.get_extension<link_extension>()->side = {have, static_cast<std::uint8_t>(round)};
        if (spoil) spoil(trans);
        sc_core::sc_time delay = sc_core::sc_time(static_cast<double>(when), sc_core::SC_NS) - sc_core::sc_time_stamp();
        sender->nb_transport_fw(trans, phase, delay);
        trans.release();
    }

    /// What the checker found.
    std::vector<link_rule> found() const {
        std::vector<link_rule> rules;
        for (const link_violation& violation : checker.violations()) rules.push_back(violation.rule);
        return rules;
    }

    std::uint64_t received = 0;
    ::tlm::tlm_sync_enum answer = ::tlm::TLM_ACCEPTED;
    sc_core::sc_time added_delay;

private:
    static void mark(payload& trans, unsigned vc) {
        trans.get_extension<link_extension>()->vc = static_cast<std::uint8_t>(vc);
    }
    ::tlm::tlm_sync_enum take(int, payload&, ::tlm::tlm_phase&, sc_core::sc_time& delay) {
        ++received;
        delay += added_delay;
        return answer;
    }
    void take_blocking(int, payload&, sc_core::sc_time&) { ++received; }

    payload_pool pool_{4, rig_header_bytes};
};

}  // namespace polycast::tlm::protocol
