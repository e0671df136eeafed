// SPDX-License-Identifier: Apache-2.0
// Written by `scripts/polycast generate` from hw/format/chips.yaml; do not edit.
// Macros that bind a checker to every instance of a module with the parameters and pins of a
// chip: the module, and the tables, as the checker's parameter has them.

`define POLYCAST_BIND_SWITCH(Device, TablesOfIt) \
  bind Device polycast_switch_checker #( \
      .NumPorts(NumPorts), .FlitBytes(FlitBytes), .ChunkFlits(ChunkFlits), \
      .NumChunks(NumChunks), .MaxHosts(MaxHosts), .HeaderFree(HeaderFree), \
      .ReadPorts(ReadPorts), .XbarStages(XbarStages), .MaxSwitches(MaxSwitches), \
      .HeaderPorts(HeaderPorts), .HeaderStops(HeaderStops), .ProtectBuffers(ProtectBuffers), \
      .ProtectRoutes(ProtectRoutes), .ProtectCredits(ProtectCredits), .MaxSources(MaxSources), \
      .Tables(TablesOfIt) \
  ) i_polycast_checker (.*);

`define POLYCAST_BIND_ROUTER(Device, TablesOfIt) \
  bind Device polycast_router_checker #( \
      .NumPorts(NumPorts), .NumVcs(NumVcs), .VcFlits(VcFlits), .FlitBytes(FlitBytes), \
      .HeaderFree(HeaderFree), .Dimensions(Dimensions), .Radix(Radix), .MaxNodes(MaxNodes), \
      .XbarStages(XbarStages), .Copies(Copies), .Adaptive(Adaptive), \
      .ProtectBuffers(ProtectBuffers), .ProtectRoutes(ProtectRoutes), \
      .ProtectCredits(ProtectCredits), .MaxSources(MaxSources), \
      .Tables(TablesOfIt) \
  ) i_polycast_checker (.*);

`define POLYCAST_BIND_VL_SWITCH(Device, TablesOfIt) \
  bind Device polycast_vl_switch_checker #( \
      .NumPorts(NumPorts), .NumVls(NumVls), .FlitBytes(FlitBytes), .ChunkFlits(ChunkFlits), \
      .NumChunks(NumChunks), .MaxLids(MaxLids), .MaxGroups(MaxGroups), .HeaderFree(HeaderFree), \
      .ReadPorts(ReadPorts), .XbarStages(XbarStages), .Weighted(Weighted), \
      .MaxSources(MaxSources), \
      .Tables(TablesOfIt) \
  ) i_polycast_checker (.*);

`define POLYCAST_BIND_CODING(Device, TablesOfIt) \
  bind Device polycast_coding_checker #( \
      .NumVcs(NumVcs), .VcFlits(VcFlits), .FlitBytes(FlitBytes), .HeaderFree(HeaderFree), \
      .NumContexts(NumContexts), .NumSlots(NumSlots), .SlotFlits(SlotFlits), \
      .NumIndices(NumIndices), .NumDestinations(NumDestinations), .MaxLatency(MaxLatency), \
      .CheckRoute(CheckRoute), \
      .Tables(TablesOfIt) \
  ) i_polycast_checker (.*);

`define POLYCAST_BIND_BROADCAST(Device, TablesOfIt) \
  bind Device polycast_broadcast_checker #( \
      .NumPorts(NumPorts), .NumVcs(NumVcs), .VcFlits(VcFlits), .FlitBytes(FlitBytes), \
      .HeaderFree(HeaderFree), .Dimensions(Dimensions), .Radix(Radix), .MaxNodes(MaxNodes), \
      .XbarStages(XbarStages), .Copies(Copies), .NumSlots(NumSlots), .SlotFlits(SlotFlits), \
      .InjectFlits(InjectFlits), \
      .Tables(TablesOfIt) \
  ) i_polycast_checker (.*);

`define POLYCAST_BIND_LINK_END(Device, TablesOfIt) \
  bind Device polycast_link_end_checker #( \
      .NumVcs(NumVcs), .FlitBytes(FlitBytes), .HeaderBytes(HeaderBytes), .Beside(Beside), \
      .FrameFlits(FrameFlits), .RingFlits(RingFlits), .WindowFrames(WindowFrames), \
      .SeqBits(SeqBits), .ProtectRings(ProtectRings), .ProtectCounters(ProtectCounters), \
      .Tables(TablesOfIt) \
  ) i_polycast_checker (.*);
