# By the card's signature (pitv.wks), whichever reader it is in.
CMDLINE_ROOT_PARTITION:rpi ?= "PARTUUID=50495456-02"
# The television shows what the TV has to say, not what the kernel has; the root is never written; and the memory
# cgroup, which the boards' firmware switches off, is on.
CMDLINE_ROOTFS:append:rpi = " ro console=tty1 consoleblank=0 quiet loglevel=3 cgroup_enable=memory psi=1"
