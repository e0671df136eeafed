// SPDX-License-Identifier: Apache-2.0

/// The golden models of polycast's chips behind DPI-C: polycast_dpi.h says what each call does. A
/// class for each chip has its pins as packed structs; polycast_*_checker.sv bind a model to a
/// device. Plain IEEE 1800: no vendor's calls, no VPI, only two states.
package polycast_dpi_pkg;

  /// Bits that a call carries; longer vectors take several.
  localparam int unsigned ChunkBits = 4096;
  typedef bit [ChunkBits-1:0] chunk_t;

  /// What calls return.
  localparam int Ok        = 0;
  localparam int Different = 1;
  localparam int Error     = 2;

  import "DPI-C" function chandle polycast_dpi_create(
    input string chip, input string name, input string parameters, input string tables);
  import "DPI-C" function void polycast_dpi_destroy(input chandle model);
  import "DPI-C" function string polycast_dpi_error(input chandle model);
  import "DPI-C" function int polycast_dpi_write(
    input chandle model, input int unsigned address, input int unsigned data);
  import "DPI-C" function int polycast_dpi_reset(input chandle model);
  import "DPI-C" function int polycast_dpi_put_inputs(
    input chandle model, input int unsigned width, input int unsigned first, input chunk_t bits);
  import "DPI-C" function int polycast_dpi_step(input chandle model);
  import "DPI-C" function int polycast_dpi_get_outputs(
    input chandle model, input int unsigned width, input int unsigned first, output chunk_t bits);
  import "DPI-C" function int polycast_dpi_put_device(
    input chandle model, input int unsigned width, input int unsigned first, input chunk_t bits);
  import "DPI-C" function int polycast_dpi_compare(input chandle model, input int probes);
  import "DPI-C" function string polycast_dpi_difference(input chandle model);
  import "DPI-C" function string polycast_dpi_state(input chandle model);
  import "DPI-C" function longint unsigned polycast_dpi_cycle(input chandle model);

  /// A model of any chip.
  class polycast_model;

    protected chandle handle;

    /// \param chip "switch", ..; parameters, tables: JSON. After it, error() is empty.
    function new(string chip, string name, string parameters, string tables);
      handle = polycast_dpi_create(chip, name, parameters, tables);
    endfunction

    /// Frees the model; nothing but error() may be called after it.
    function void close();
      polycast_dpi_destroy(handle);
      handle = null;
    endfunction

    /// Text of the last call that returned Error; empty if there was none.
    function string error();
      return polycast_dpi_error(handle);
    endfunction

    /// A write over the configuration bus without pins.
    function int write(bit [31:0] address, bit [31:0] data);
      return polycast_dpi_write(handle, address, data);
    endfunction

    /// Drops the traffic, keeps the configuration.
    function int reset();
      return polycast_dpi_reset(handle);
    endfunction

    /// The first difference that compare() found, in words; empty if there is none.
    function string difference();
      return polycast_dpi_difference(handle);
    endfunction

    /// What is in the chip, in words.
    function string state();
      return polycast_dpi_state(handle);
    endfunction

    /// Edges since it was made.
    function longint unsigned cycle();
      return polycast_dpi_cycle(handle);
    endfunction

  endclass

  /// Says once what a checker found.
  class polycast_watch;

    /// Cycles behind the first difference: a header takes several flits.
    localparam int unsigned Aftermath = 8;

    protected polycast_model model;
    protected int unsigned different = 0;
    protected bit over = 1'b0;

    function new(polycast_model of_device);
      model = of_device;
      if (model.error() != "") check(Error);
    endfunction

    /// There is something to check.
    function bit on();
      return !over;
    endfunction

    /// What a call returned: an error ends the checks.
    function void check(int status);
      if (status == Ok || over) return;
      over = 1'b1;
      $error("%s", model.error());
    endfunction

    /// What compare() returned.
    function void see(int status);
      if (status == Error) check(status);
      if (status == Different) different++;
      if (different > Aftermath) finish();
    endfunction

    /// Says what was different, if something was.
    function void finish();
      if (different == 0 || over) return;
      over = 1'b1;
      $error("%s", model.difference());
    endfunction

  endclass

  `include "polycast_switch_model.svh"
  `include "polycast_router_model.svh"
  `include "polycast_vl_switch_model.svh"
  `include "polycast_coding_model.svh"
  `include "polycast_broadcast_model.svh"
  `include "polycast_link_end_model.svh"

endpackage
