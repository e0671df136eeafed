# SPDX-License-Identifier: Apache-2.0
# SystemVerilog sources of switch, router, coding unit, broadcast router and link end in the order in which they are read, relative to rtl/; polycast.core lists
# the same.
set(polycast_switch_sources
  lint.vlt
  common/polycast_pkg.sv
  common/polycast_rr_pick.sv
  common/polycast_rr_arbiter.sv
  common/polycast_multi_arbiter.sv
  common/polycast_fifo.sv
  common/polycast_pipe.sv
  common/polycast_credit_counter.sv
  common/polycast_crossbar.sv
  common/polycast_packet_framer.sv
  common/polycast_port_table.sv
  switch/polycast_chunk_counts.sv
  switch/polycast_stop_list.sv
  switch/polycast_stop_view.sv
  switch/polycast_header_capture.sv
  switch/polycast_header_rewrite.sv
  switch/polycast_port_select.sv
  switch/polycast_replication_buffer.sv
  switch/polycast_route_decode.sv
  switch/polycast_route_stage.sv
  switch/polycast_input_unit.sv
  switch/polycast_output_unit.sv
  switch/polycast_switch_config.sv
  switch/polycast_switch.sv)
set(polycast_router_sources
  lint.vlt
  common/polycast_pkg.sv
  common/polycast_rr_pick.sv
  common/polycast_fifo.sv
  common/polycast_pipe.sv
  common/polycast_credit_counter.sv
  common/polycast_crossbar.sv
  common/polycast_packet_framer.sv
  common/polycast_port_table.sv
  router/polycast_broadcast_tree.sv
  router/polycast_coordinates.sv
  router/polycast_dimension_order.sv
  router/polycast_islip_iteration.sv
  router/polycast_islip_allocator.sv
  router/polycast_separable_iteration.sv
  router/polycast_separable_allocator.sv
  router/polycast_router_allocator.sv
  router/polycast_output_vcs.sv
  router/polycast_route_delay.sv
  router/polycast_route_choice.sv
  router/polycast_output_load.sv
  router/polycast_router_config.sv
  router/polycast_router_decode.sv
  router/polycast_router_header.sv
  router/polycast_vc_branches.sv
  router/polycast_vc_buffer.sv
  router/polycast_input_vc.sv
  router/polycast_router_input.sv
  router/polycast_router_output.sv
  router/polycast_router.sv)
set(polycast_coding_sources
  lint.vlt
  common/polycast_pkg.sv
  common/polycast_rr_pick.sv
  common/polycast_fifo.sv
  common/polycast_credit_counter.sv
  common/polycast_packet_framer.sv
  common/polycast_crc_bytes.sv
  common/polycast_crc_zeros.sv
  coding/polycast_coding_config.sv
  coding/polycast_coding_input.sv
  coding/polycast_coding_capture.sv
  coding/polycast_coding_store.sv
  coding/polycast_coding_slots.sv
  coding/polycast_coding_accept.sv
  coding/polycast_coding_context.sv
  coding/polycast_coding_contexts.sv
  coding/polycast_coding_work.sv
  coding/polycast_coding_engine.sv
  coding/polycast_coding_builder.sv
  coding/polycast_coding_pipe.sv
  coding/polycast_coding_output.sv
  coding/polycast_coding.sv)
# A broadcast router is a router, too.
set(polycast_broadcast_router_sources
  ${polycast_router_sources}
  broadcast/polycast_broadcast_config.sv
  broadcast/polycast_broadcast_rule.sv
  broadcast/polycast_broadcast_header.sv
  broadcast/polycast_broadcast_accept.sv
  broadcast/polycast_broadcast_input.sv
  broadcast/polycast_broadcast_order.sv
  broadcast/polycast_broadcast_store.sv
  broadcast/polycast_broadcast_output.sv
  broadcast/polycast_broadcast_unit.sv
  broadcast/polycast_broadcast_router.sv)

# Cover points, read with POLYCAST_COVERAGE: those at the pins of a top first, then those inside.
set(polycast_switch_pin_covers cover/polycast_switch_cover.sv)
set(polycast_router_pin_covers cover/polycast_router_cover.sv)
set(polycast_broadcast_router_pin_covers ${polycast_router_pin_covers})
set(common_covers
  cover/polycast_credit_counter_cover.sv
  cover/polycast_fifo_cover.sv
  cover/polycast_packet_framer_cover.sv)
set(polycast_switch_covers
  ${common_covers}
  cover/polycast_replication_buffer_cover.sv
  cover/polycast_rr_arbiter_cover.sv)
set(polycast_router_covers ${common_covers} cover/polycast_vc_buffer_cover.sv)
set(polycast_coding_covers ${common_covers})
set(polycast_broadcast_router_covers ${polycast_router_covers})
set(polycast_link_end_sources
  lint.vlt
  common/polycast_pkg.sv
  common/polycast_rr_pick.sv
  common/polycast_crc_bytes.sv
  link/polycast_link_pkg.sv
  link/polycast_link_frame_crc.sv
  link/polycast_link_set_crc.sv
  link/polycast_link_parser.sv
  link/polycast_link_store.sv
  link/polycast_link_sink.sv
  link/polycast_link_receiver.sv
  link/polycast_link_ring.sv
  link/polycast_link_list.sv
  link/polycast_link_source.sv
  link/polycast_link_sources.sv
  link/polycast_link_sender.sv
  link/polycast_link_transmitter.sv
  link/polycast_link_counters.sv
  link/polycast_link_config.sv
  link/polycast_link_end.sv)
# Two link ends and their wires, for simulation.
set(polycast_cable_sources ${polycast_link_end_sources} common/polycast_pipe.sv link/polycast_cable.sv)
