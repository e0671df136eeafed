// SPDX-License-Identifier: Apache-2.0
/// \file The virtual-channel router as a cycle-exact C++ model. hw/chips/router/router.md is its contract, rtl/router/
/// the RTL.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/chips/chip_upset.h"
#include "hw/chips/found_flips.h"
#include "hw/chips/router/router_choice.h"
#include "hw/chips/router/router_config.h"
#include "hw/chips/router/router_route.h"
#include "hw/chips/router/router_unit.h"
#include "hw/chips/vc_framing.h"
#include "hw/engine/chip.h"
#include "hw/format/memory_code.h"

namespace polycast::hw::chips {

/// Input-buffered virtual-channel router (Dally and Towles, chapters 16 to 19) that copies broadcasts inside.
///
/// Framing, routes, bytes and pins are here; buffers, allocation and credits are router_unit's. A step costs time only
/// for virtual channels on which something happens; a router in which everything is blocked says `never` and is not
/// stepped until a flit or a credit arrives.
class router_core final : public upsettable_chip {
public:
    /// \throws input_error if a parameter or a table is outside its range (see hw/chips/router/router.md).
    router_core(const router_params& params, router_tables tables);

    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override;
    engine::cycle step_upset(engine::cycle now, const engine::pins& in, engine::pins& out,
                             const chip_upset* what) override;
    bool idle() const override;
    void probe(engine::chip_probe& probe) const override;

    const router_params& params() const { return params_; }
    const router_tables& tables() const { return tables_; }

    /// A stored flit can request an output, so it may advance in the next cycle; false if nothing can happen before
    /// something arrives or a route is ready.
    bool awake() const { return unit().awake(); }

    /// Bytes that this object holds, itself included.
    std::size_t memory_bytes() const;

private:
    /// State of the packet that arrives on an input VC.
    struct framing : vc_framing {
        std::uint16_t head_slot = 0;  ///< of its head in the buffer
        std::uint8_t header_flits = 0;
        bool header_done = false;
    };
    /// A packet in the route stage.
    struct routing {
        std::uint8_t input_vc;
        std::uint16_t slot;   ///< of its head
        std::uint16_t flags;  ///< flit_info of its head, apart from the route
        route_decision decision;
    };
    /// A flit in a buffer of which bits have flipped; only with a code.
    struct hit_flit {
        unsigned input_vc;
        unsigned slot;
        bool first;             ///< the oldest of its buffer; this and what follows: before a step
        std::uint32_t readers;  ///< outputs that read it next
        format::flipped_bits bits;
    };
    /// An entry of the route table likewise.
    struct hit_route {
        std::uint32_t node;
        std::uint32_t written;
        format::flipped_bits bits;
    };
    struct crossbar;
    static constexpr unsigned most_delay = 16;  ///< cycles of routing, rounded up to a power of two

    void write(unsigned port, engine::cycle now, const engine::pins& in, engine::pins& out);
    std::uint16_t store(unsigned input_vc, std::uint16_t info, branch_set branches, unsigned port,
                        const engine::pins& in);
    bool take_header(framing& packet, unsigned input_vc, const std::uint8_t* flit);
    bool is_foreign(const std::uint8_t* header, unsigned port) const;
    void finish_routing(engine::cycle now, engine::pins& out);
    void choose(unsigned input_vc, route_decision& decision);
    router_unit unit() const;
    void flip(const chip_upset& what);
    void flip_flit(std::uint32_t index, std::uint32_t bit);
    void change_flit(const hit_flit& hit);
    void flip_route(std::uint32_t node, std::uint32_t bit);
    void flip_credits(std::uint32_t index, std::uint32_t bit);
    void set_outstanding(unsigned output_vc, unsigned outstanding);
    unsigned outstanding(unsigned output_vc) const;
    std::uint64_t dead_credits(const engine::pins& in) const;
    void look_at_flits();
    void find_flits();
    void find_route(const std::uint8_t* header, unsigned port);
    std::uint8_t* flit_at(unsigned input_vc, unsigned slot);

    router_params params_;
    router_tables tables_;
    engine::pin_shape shape_;
    router_rules rules_;
    route_rules route_rules_;
    route_place place_;

    // State.
    mutable std::vector<std::uint64_t> memory_;             ///< of the router_unit, a view that has no const form
    std::uint64_t freed_ = 0;                               ///< input VCs that gave a flit back in this cycle
    std::vector<framing> framing_;                          ///< [input VC]
    std::vector<std::uint8_t> data_;                        ///< [input VC][slot][byte]
    std::vector<std::uint8_t> free_headers_;                ///< [input VC][slot][byte] if the header is free
    std::vector<std::uint8_t> headers_;                     ///< [input VC][byte] where a header has several flits
    std::array<std::vector<routing>, most_delay> routing_;  ///< [cycle in which it is routed % most_delay]
    unsigned routing_slots_ = 0;                            ///< those that are not empty
    std::optional<route_choice> choice_;                    ///< if packets choose
    const engine::pins* leaving_ = nullptr;                 ///< what outputs have read in this cycle; only during one
    std::vector<engine::pins> stages_;                      ///< crossbar pipeline, oldest at stage_
    unsigned stage_ = 0;
    unsigned staged_ = 0;  ///< stages that hold a flit
    bool outputs_quiet_ = true;
    // Of upsets, and without them empty.
    std::vector<std::uint64_t> written_;  ///< [input VC] flits that have come in since reset()
    std::uint64_t upset_credits_ = 0;     ///< output VCs whose count of credits was hit and has no code
    std::vector<hit_flit> flits_;
    std::vector<hit_route> routes_;  ///< kept through a reset, as the table is
    std::uint64_t dead_ = 0;         ///< output VCs whose credit counter cannot be corrected
    found_flips found_;              ///< by codes
};

}  // namespace polycast::hw::chips
