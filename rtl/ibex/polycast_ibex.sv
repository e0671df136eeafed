// SPDX-License-Identifier: Apache-2.0

/// The Ibex core in the configuration of the network interface's processor, with its two memory
/// buses, one interrupt line, and what a simulator wants to see of it. README.md says what the
/// configuration is.
module polycast_ibex (
  input  logic        clk_i,
  input  logic        rst_ni,

  /// Instruction bus. Every request is granted in its cycle and answered in the next.
  output logic        instr_req_o,
  output logic [31:0] instr_addr_o,
  input  logic        instr_rvalid_i,
  input  logic [31:0] instr_rdata_i,
  input  logic        instr_err_i,

  /// Data bus, alike. Addresses are those of words; `data_be_o` names the bytes, of loads too.
  output logic        data_req_o,
  output logic        data_we_o,
  output logic [3:0]  data_be_o,
  output logic [31:0] data_addr_o,
  output logic [31:0] data_wdata_o,
  input  logic        data_rvalid_i,
  input  logic [31:0] data_rdata_i,
  input  logic        data_err_i,

  input  logic        irq_external_i,

  /// The clock is off, and nothing but the interrupt line can turn it on.
  output logic        sleep_o,
  /// The level of the interrupt line in this cycle can make a difference. Does not depend on the
  /// line itself.
  output logic        irq_sensitive_o,
  /// The handler of exceptions.
  output logic [31:0] handler_o,
  /// Program counter of the instruction in the second stage, and whether there is one.
  output logic [31:0] pc_o,
  output logic        pc_valid_o,
  /// This is its first cycle there.
  output logic        pc_new_o,

  /// The instruction that left the second stage at the last clock edge.
  output logic        retire_valid_o,
  output logic        retire_trap_o,
  output logic        retire_intr_o,
  output logic [1:0]  retire_mode_o,
  output logic [31:0] retire_pc_o,
  output logic [31:0] retire_insn_o,
  output logic [4:0]  retire_rd_o,
  output logic [31:0] retire_rd_data_o
);

  logic sleep;

  ibex_top #(
    .PMPEnable      (1'b0),
    .MHPMCounterNum (0),
    .RV32E          (1'b0),
    .RV32M          (ibex_pkg::RV32MFast),
    .RV32B          (ibex_pkg::RV32BNone),
    .RegFile        (ibex_pkg::RegFileFF),
    .BranchTargetALU(1'b0),
    .WritebackStage (1'b0),
    .ICache         (1'b0),
    .BranchPredictor(1'b0),
    .DbgTriggerEn   (1'b0),
    .SecureIbex     (1'b0)
  ) u_ibex (
    .clk_i,
    .rst_ni,
    .test_en_i                (1'b0),
    .ram_cfg_i                ('0),
    .hart_id_i                (32'd0),
    .boot_addr_i              (32'd0),
    .instr_req_o,
    .instr_gnt_i              (1'b1),
    .instr_rvalid_i,
    .instr_addr_o,
    .instr_rdata_i,
    .instr_rdata_intg_i       ('0),
    .instr_err_i,
    .data_req_o,
    .data_gnt_i               (1'b1),
    .data_rvalid_i,
    .data_we_o,
    .data_be_o,
    .data_addr_o,
    .data_wdata_o,
    .data_wdata_intg_o        (),
    .data_rdata_i,
    .data_rdata_intg_i        ('0),
    .data_err_i,
    .irq_software_i           (1'b0),
    .irq_timer_i              (1'b0),
    .irq_external_i,
    .irq_fast_i               ('0),
    .irq_nm_i                 (1'b0),
    .scramble_key_valid_i     (1'b0),
    .scramble_key_i           ('0),
    .scramble_nonce_i         ('0),
    .scramble_req_o           (),
    .debug_req_i              (1'b0),
    .crash_dump_o             (),
    .double_fault_seen_o      (),
    .rvfi_valid               (retire_valid_o),
    .rvfi_order               (),
    .rvfi_insn                (retire_insn_o),
    .rvfi_trap                (retire_trap_o),
    .rvfi_halt                (),
    .rvfi_intr                (retire_intr_o),
    .rvfi_mode                (retire_mode_o),
    .rvfi_ixl                 (),
    .rvfi_rs1_addr            (),
    .rvfi_rs2_addr            (),
    .rvfi_rs3_addr            (),
    .rvfi_rs1_rdata           (),
    .rvfi_rs2_rdata           (),
    .rvfi_rs3_rdata           (),
    .rvfi_rd_addr             (retire_rd_o),
    .rvfi_rd_wdata            (retire_rd_data_o),
    .rvfi_pc_rdata            (retire_pc_o),
    .rvfi_pc_wdata            (),
    .rvfi_mem_addr            (),
    .rvfi_mem_rmask           (),
    .rvfi_mem_wmask           (),
    .rvfi_mem_rdata           (),
    .rvfi_mem_wdata           (),
    .rvfi_ext_pre_mip         (),
    .rvfi_ext_post_mip        (),
    .rvfi_ext_nmi             (),
    .rvfi_ext_nmi_int         (),
    .rvfi_ext_debug_req       (),
    .rvfi_ext_debug_mode      (),
    .rvfi_ext_rf_wr_suppress  (),
    .rvfi_ext_mcycle          (),
    .rvfi_ext_mhpmcounters    (),
    .rvfi_ext_mhpmcountersh   (),
    .rvfi_ext_ic_scr_key_valid(),
    .rvfi_ext_irq_valid       (),
    .fetch_enable_i           (ibex_pkg::IbexMuBiOn),
    .alert_minor_o            (),
    .alert_major_internal_o   (),
    .alert_major_bus_o        (),
    .core_sleep_o             (sleep),
    .scan_rst_ni              (1'b1)
  );

  // After reset the clock is off for one cycle, without anybody having to wake the core.
  assign sleep_o = sleep & ~u_ibex.core_busy_d[0];

  // Where the line is looked at: interrupts are on; a wait for one; a read of `mip`.
  ibex_pkg::ctrl_fsm_e state;
  assign state = u_ibex.u_ibex_core.id_stage_i.controller_i.ctrl_fsm_cs;
  assign irq_sensitive_o =
      (u_ibex.u_ibex_core.cs_registers_i.mie_q.irq_external &
       (u_ibex.u_ibex_core.csr_mstatus_mie |
       (u_ibex.u_ibex_core.priv_mode_id != ibex_pkg::PRIV_LVL_M))) |
      (state == ibex_pkg::WAIT_SLEEP) | (state == ibex_pkg::SLEEP) |
      (u_ibex.u_ibex_core.csr_access & (u_ibex.u_ibex_core.csr_addr == ibex_pkg::CSR_MIP));

  assign handler_o  = {u_ibex.u_ibex_core.csr_mtvec[31:8], 8'd0};
  assign pc_o       = u_ibex.u_ibex_core.pc_id;
  assign pc_valid_o = u_ibex.u_ibex_core.instr_valid_id;
  assign pc_new_o   = u_ibex.u_ibex_core.instr_new_id;

endmodule
