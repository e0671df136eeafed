# SPDX-License-Identifier: Apache-2.0
# SystemVerilog sources of the switch in the order in which they are read, relative to rtl/; polycast.core lists the same.
set(polycast_rtl_sources
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
