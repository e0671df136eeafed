// SPDX-License-Identifier: Apache-2.0

/// What callers get wrong, and what a model says to it; nothing here has pins.
module errors_tb;
  import polycast_dpi_pkg::*;

  function automatic void show(string chip, string parameters, string tables);
    polycast_model model = new(chip, "sw0", parameters, tables);
    $display("%s", model.error());
    model.close();
  endfunction

  typedef polycast_switch_model #(
    .NumPorts(4), .FlitBytes(4), .ReadPorts(4), .MaxHosts(8)
  ) switch_t;

  initial begin
    switch_t model;
    chandle other;
    chunk_t chunk;
    show("swich", "{}", "");
    show("switch", "{\"NumPort\": 4}", "");
    show("switch", "{\"NumPorts\": 1}", "");
    show("switch", "{\"NumPorts\": -1}", "");
    show("switch", "{\"NumPorts\": 4", "");
    show("switch", "{\"HeaderFree\": 2}", "");
    show("switch", "", "{\"route_dealy\": 1}");
    show("switch", "", "{\"route_delay\": 0}");
    show("switch", "", "{\"credits\": [1, 2, 3, 4, 5, 6, 7, 8, 9]}");
    show("switch", "", "{\"credits\": 5}");
    show("switch", "", "{\"registers\": [[4278190080, 0]]}");
    show("switch", "", "nowhere.json");
    other = polycast_dpi_create("switch", "sw1", "{\"ports\": 4, \"read_ports\": 4}", "");
    if (polycast_dpi_put_inputs(other, 1, 0, chunk) == Error) begin
      $display("%s", polycast_dpi_error(other));
    end
    if (polycast_dpi_get_outputs(other, 1, 0, chunk) == Error) begin
      $display("%s", polycast_dpi_error(other));
    end
    polycast_dpi_destroy(other);
    model = new("sw2", "{\"packet_limit\": 64}");
    if (model.error() != "") $display("%s", model.error());
    if (model.write(32'h0e000000, 0) == Error) $display("%s", model.error());
    if (model.step('0) != Ok) $display("%s", model.error());
    if (model.outputs().idle_o !== 1'b1) $display("it is not idle");
    $display("%0d %s", model.cycle(), model.state());
    model.close();
    $finish;
  end

endmodule
