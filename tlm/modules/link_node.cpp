// SPDX-License-Identifier: Apache-2.0
#include "tlm/modules/link_node.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "hw/input_error.h"

namespace polycast::tlm::modules {

link_node::link_node(const sc_core::sc_module_name& name, const hw::engine::pin_shape& shape,
                     const sc_core::sc_time& period, run_state& state, std::vector<bool> sides, process_kind kind)
    : sc_module(name),
      out("out", shape.ports),
      in("in", shape.ports),
      state_(state),
      shape_(shape),
      grid_(period),
      pool_(shape.flit_bytes, shape.header_bytes),
      bound_out_(shape.ports),
      bound_in_(shape.ports),
      sides_(std::move(sides)),
      wake_("wake"),
      member_(state.enroll(wake_)) {
    if (shape.packet_ports != 0) {
        throw hw::input_error(
            std::string(this->name()) + ": its chip takes whole packets, and links in SystemC carry flits",
            "take 'core' or 'rtl' chips");
    }
    for (auto port = static_cast<unsigned>(sides_.size()); port < shape.ports; ++port)
        sides_.push_back((shape.side_ports >> port & 1) != 0);
    for (unsigned port = 0; port < shape.ports; ++port) {
        out[port].register_nb_transport_bw(this, &link_node::receive_credit, static_cast<int>(port));
        in[port].register_nb_transport_fw(this, &link_node::receive, static_cast<int>(port));
    }
    if (kind == process_kind::thread) {
        SC_THREAD(activate_again);
        sensitive << wake_;
        dont_initialize();
    } else {
        SC_METHOD(activate);
        sensitive << wake_;
        dont_initialize();
    }
}

void link_node::end_of_elaboration() {
    for (unsigned port = 0; port < shape_.ports; ++port) {
        bound_out_[port] = out[port].get_base_port().size() > 0;
        bound_in_[port] = in[port].get_base_port().size() > 0;
    }
}

void link_node::wake_at(cycle when) {
    if (when >= planned_) return;
    if (when >= grid_.limit()) throw std::runtime_error("cycle " + std::to_string(when) + " is beyond SystemC's time");
    planned_ = when;
    state_.plan(member_, when);
    state_.wake(member_, grid_.sampling_of(when));
}

void link_node::activate() {
    if (state_.over()) return;
    const cycle now = planned_;
    planned_ = hw::engine::never;
    try {
        if (!checked_) check_sides();
        step(now);
    } catch (const sc_core::sc_unwind_exception&) {
        throw;  // SystemC ends the thread
    } catch (const std::logic_error&) {
        // A failed assertion of a model names its chip; the code that runs the network recognises it by its type.
        state_.fail(std::current_exception());
    } catch (const std::exception& error) {
        state_.fail(std::string(name()) + ": " + error.what());
    }
    if (planned_ == hw::engine::never) state_.plan(member_, planned_);
}

void link_node::activate_again() {
    while (true) {
        activate();
        wait();
    }
}

/// A chip with side wires waits for its neighbours' maps; if the wires are missing it waits forever.
void link_node::check_sides() {
    checked_ = true;
    for (unsigned port = 0; port < shape_.ports; ++port) {
        if (!sides_[port] || (bound_out_[port] && bound_in_[port])) continue;
        const std::string at = "[" + std::to_string(port) + "]";
        throw hw::input_error(
            "port " + std::to_string(port) + " has side wires, and in" + at + " or out" + at + " is not bound",
            "join it to a neighbour, or take it out of the register 'open'");
    }
}

void link_node::send_flit(unsigned port, cycle when, const hw::engine::flit& flit) {
    if (!bound_out_[port]) return;
    ::tlm::tlm_generic_payload& trans = pool_.take_flit();
    auto* extension = trans.get_extension<protocol::link_extension>();
    extension->head = flit.head;
    extension->tail = flit.tail;
    extension->vc = flit.vc;
    std::copy_n(flit.data, shape_.flit_bytes, trans.get_data_ptr());
    if (flit.head && shape_.header_bytes != 0) std::copy_n(flit.header, shape_.header_bytes, extension->header.begin());
    ::tlm::tlm_phase phase = protocol::flit_phase;
    sc_core::sc_time delay = grid_.start_of(when) - sc_core::sc_time_stamp();
    out[port]->nb_transport_fw(trans, phase, delay);
    trans.release();
}

void link_node::send_credit(unsigned port, cycle when, std::uint8_t vc) {
    if (!bound_in_[port]) return;
    ::tlm::tlm_generic_payload& trans = pool_.take_credit();
    trans.get_extension<protocol::link_extension>()->vc = vc;
    ::tlm::tlm_phase phase = protocol::credit_phase;
    sc_core::sc_time delay = grid_.start_of(when) - sc_core::sc_time_stamp();
    in[port]->nb_transport_bw(trans, phase, delay);
    trans.release();
}

void link_node::send_side(unsigned port, cycle when, const hw::engine::side_state& side) {
    ::tlm::tlm_generic_payload& trans = pool_.take_side();
    trans.get_extension<protocol::link_extension>()->side = side;
    ::tlm::tlm_phase phase = protocol::side_phase;
    sc_core::sc_time delay = grid_.start_of(when) - sc_core::sc_time_stamp();
    out[port]->nb_transport_fw(trans, phase, delay);
    trans.release();
}

std::runtime_error link_node::two_flits(unsigned port, cycle when) {
    return std::runtime_error("two flits in cycle " + std::to_string(when) + " at in[" + std::to_string(port) + "]");
}

std::runtime_error link_node::two_credits(unsigned port, cycle when) {
    return std::runtime_error("two credits in cycle " + std::to_string(when) + " at out[" + std::to_string(port) + "]");
}

std::runtime_error link_node::two_sides(unsigned port, cycle when) {
    return std::runtime_error("two changes of side wires in cycle " + std::to_string(when) + " at in[" +
                              std::to_string(port) + "]");
}

::tlm::tlm_sync_enum link_node::receive(int port, ::tlm::tlm_generic_payload& trans, ::tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
    if (state_.over()) return ::tlm::TLM_ACCEPTED;
    try {
        const cycle when = grid_.cycle_at(sc_core::sc_time_stamp() + delay);
        if (phase == protocol::side_phase) {
            receive_side(static_cast<unsigned>(port), trans, when);
        } else {
            receive_flit(static_cast<unsigned>(port), trans, phase, when);
        }
    } catch (const std::exception& error) {
        state_.fail(std::string(name()) + ": " + error.what());
    }
    return ::tlm::TLM_ACCEPTED;
}

void link_node::receive_flit(unsigned port, const ::tlm::tlm_generic_payload& trans, const ::tlm::tlm_phase& phase,
                             cycle when) {
    const auto* extension = trans.get_extension<protocol::link_extension>();
    if (extension == nullptr || extension->what != protocol::link_extension::content::flit ||
        phase != protocol::flit_phase || trans.get_data_length() != shape_.flit_bytes || !has_pins_for(extension->vc) ||
        (extension->head && extension->header.size() != shape_.header_bytes)) {
        throw std::runtime_error("what arrived at in[" + std::to_string(port) + "] is no flit of this link");
    }
    const bool free_header = extension->head && shape_.header_bytes != 0;
    flit_arrived(port, when,
                 {extension->head, extension->tail, extension->vc, trans.get_data_ptr(),
                  free_header ? extension->header.data() : nullptr});
}

void link_node::receive_side(unsigned port, const ::tlm::tlm_generic_payload& trans, cycle when) {
    if (!sides_[port]) {
        throw hw::input_error("side wires arrive at in[" + std::to_string(port) + "], which has none",
                              "join ports with side wires to each other");
    }
    const auto* extension = trans.get_extension<protocol::link_extension>();
    if (extension == nullptr || extension->what != protocol::link_extension::content::side)
        throw std::runtime_error("what arrived at in[" + std::to_string(port) + "] is no change of side wires");
    side_arrived(port, when, extension->side);
}

::tlm::tlm_sync_enum link_node::receive_credit(int port, ::tlm::tlm_generic_payload& trans, ::tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
    if (state_.over()) return ::tlm::TLM_ACCEPTED;
    try {
        const auto* extension = trans.get_extension<protocol::link_extension>();
        if (extension == nullptr || extension->what != protocol::link_extension::content::credit ||
            phase != protocol::credit_phase || !has_pins_for(extension->vc)) {
            throw std::runtime_error("what came back to out[" + std::to_string(port) + "] is no credit of this link");
        }
        credit_arrived(static_cast<unsigned>(port), grid_.cycle_at(sc_core::sc_time_stamp() + delay), extension->vc);
    } catch (const std::exception& error) {
        state_.fail(std::string(name()) + ": " + error.what());
    }
    return ::tlm::TLM_ACCEPTED;
}

}  // namespace polycast::tlm::modules
