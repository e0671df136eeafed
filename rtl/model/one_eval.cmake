# SPDX-License-Identifier: Apache-2.0
# Lets one call of eval() do a whole clock cycle, with new inputs, where FOLDER has the C++ of a chip that uses only the
# rising edge of its clock:
# - eval() takes the values for assertions before the new inputs have reached the logic behind them. That line goes
#   behind the loop that brings them there.
# - eval() always begins with that loop. Now the caller says whether inputs have changed, in __VicoFirstIteration.
# FOLDER/one_eval.h says whether it was possible. Where it was not, or is not WANTED, nothing is changed, and a cycle
# takes an eval() for each edge.
set(one_eval ${WANTED})
file(GLOB files ${FOLDER}/Vchip___024root*.cpp)
set(eval "")
foreach(file IN LISTS files)
  file(READ ${file} text)
  if(text MATCHES "~ \\(IData\\)\\(vlSelfRef\\.clk_i\\)")
    set(one_eval 0)
  endif()
  if(text MATCHES "\nvoid Vchip___024root___eval\\(Vchip___024root\\* vlSelf\\) {")
    set(eval ${file})
    set(before "${text}")
  endif()
endforeach()
file(READ ${FOLDER}/Vchip___024root.h members)
set(sample "    Vchip___024root___sample(vlSelf);\n")
set(inputs "    __VicoIterCount = 0U;\n    vlSelfRef.__VicoFirstIteration = 1U;\n")
set(edges "    __VnbaIterCount = 0U;\n    do {\n")
string(FIND "${before}" "${inputs}" at_inputs)
string(FIND "${before}" "${edges}" at_edges)
if(NOT eval OR NOT members MATCHES "__Vtrigprevexpr___TOP__clk_i__0;" OR NOT members MATCHES "__VicoFirstIteration;"
   OR at_inputs LESS 0 OR at_edges LESS at_inputs)
  set(one_eval 0)
endif()
if(one_eval)
  string(REPLACE "${inputs}" "    __VicoIterCount = 0U;\n" text "${before}")
  string(FIND "${text}" "${sample}" at_sample)
  if(at_sample GREATER_EQUAL 0)
    string(REPLACE "${sample}" "" text "${text}")
    string(REPLACE "${edges}" "${sample}${edges}" text "${text}")
  endif()
  file(WRITE ${eval} "${text}")
endif()
file(WRITE ${FOLDER}/one_eval.h "// Made by one_eval.cmake.\n#define POLYCAST_ONE_EVAL ${one_eval}\n")
