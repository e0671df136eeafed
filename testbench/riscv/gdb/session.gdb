# SPDX-License-Identifier: Apache-2.0
# What gdb_check lets gdb do; the lines that gdb must print are in gdb_check.cpp.
set pagination off
set confirm off
set width 0
printf "start %x\n", $pc
break add_up
continue
backtrace
stepi
nexti
step
step
step
finish
print table
print table[2]
set var table[2] = 100
x/2wx table
x/2i &add_up
info registers sp
print/x $misa
print $mcycle > 0
set var $mscratch = 0x1234
print/x $mscratch
delete
watch total
continue
continue
print total
delete
rwatch rounds
continue
delete
awatch table[1]
continue
delete
hbreak main
tbreak add_up
continue
print $mepc
# gdb_check interrupts this.
delete
continue
printf "interrupted, rounds above 1000: %d\n", rounds > 1000
maintenance packet vMustReplyEmpty
python
def refused(command):
    try:
        gdb.execute(command)
        print("not refused: " + command)
    except gdb.error as error:
        print("refused: " + str(error))

refused("print *(int*)0x0ffffff0")
refused("print *(int*)0x40000000")
refused("set var *(char*)0x80 = 1")
end
detach
