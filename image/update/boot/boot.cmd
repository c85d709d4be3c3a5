# U-Boot's script (boot.scr): starts the first system of BOOT_ORDER that has tries left, and counts the try. RAUC writes
# BOOT_ORDER and BOOT_x_LEFT. They are in a sector of their own, twice: U-Boot writes both copies, one after the other,
# and Linux only the first. So one of them is whole whenever the power is cut.
setenv block 0x02500000
setenv first 0x800
setenv second 0x1000
setenv BOOT_ORDER
setenv BOOT_A_LEFT
setenv BOOT_B_LEFT
mmc dev ${devnum}
mmc read ${block} ${first} 1
if env import -c ${block} 0x200 BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT; then
  true
else
  mmc read ${block} ${second} 1
  env import -c ${block} 0x200 BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT
fi
test -n "${BOOT_ORDER}" || setenv BOOT_ORDER A B
test -n "${BOOT_A_LEFT}" || setenv BOOT_A_LEFT 3
test -n "${BOOT_B_LEFT}" || setenv BOOT_B_LEFT 3

setenv slot
for each in ${BOOT_ORDER}; do
  if test -n "${slot}"; then
    true
  elif test ${each} = A; then
    if test ${BOOT_A_LEFT} -gt 0; then
      setenv slot A
      setenv boot_part 5
      setenv root_part 06
      setexpr BOOT_A_LEFT ${BOOT_A_LEFT} - 1
    fi
  elif test ${each} = B; then
    if test ${BOOT_B_LEFT} -gt 0; then
      setenv slot B
      setenv boot_part 7
      setenv root_part 08
      setexpr BOOT_B_LEFT ${BOOT_B_LEFT} - 1
    fi
  fi
done
if test -z "${slot}"; then
  echo "pitv: no system has tries left; all get some again"
  setenv BOOT_A_LEFT 3
  setenv BOOT_B_LEFT 3
fi
env export -c -s 0x200 ${block} BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT
mmc write ${block} ${first} 1
mmc write ${block} ${second} 1
test -n "${slot}" || reset
echo "pitv: system ${slot} of ${BOOT_ORDER}; left: A ${BOOT_A_LEFT}, B ${BOOT_B_LEFT}"

# The firmware has put cmdline.txt into its device tree. U-Boot copies what the firmware found out about the board into
# the system's own tree.
fdt addr ${fdt_addr}
fdt get value bootargs /chosen bootargs
setenv bootargs "${bootargs} root=PARTUUID=50495456-${root_part} rauc.slot=${slot}"
# Not above the memory that a 32-bit kernel can map.
setenv bootm_size 0x20000000
setenv kernel_comp_addr_r 0x0a000000
setenv tree 0x05000000
setenv initrd 0x05200000
if load mmc ${devnum}:${boot_part} ${kernel} vmlinuz; then
  setenv kernel_comp_size ${filesize}
  # A kernel with all drivers for its root needs no initrd.
  if load mmc ${devnum}:${boot_part} ${initrd} initrd.img; then
    setenv initrd ${initrd}:${filesize}
  else
    setenv initrd -
  fi
  load mmc ${devnum}:${boot_part} ${tree} ${fdtfile} || setenv tree ${fdt_addr}
  ${start} ${kernel} ${initrd} ${tree}
fi
reset
