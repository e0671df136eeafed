# SPDX-License-Identifier: Apache-2.0
# polycast_prebuild_models(TARGET NAME...)
# A target that builds Verilated models of the switch into the cache, so that no test and no run has to wait for them. Models
# that are there already cost nothing. NAME as in tlm/model_library.h, e.g. switch_p8_f1_c80x8_h32_r8_x0_inline.
function(polycast_prebuild_models target)
  add_custom_target(${target} COMMAND polycast-models ${ARGN} VERBATIM USES_TERMINAL COMMENT "Verilated models of the switch")
endfunction()
