# For pitv.wks and its read-only root, so for the distribution pitv-os only.
# Finds the root by the card's signature (pitv.wks), in any card reader.
CMDLINE_ROOT_PARTITION:pitv-os ?= "PARTUUID=50495456-02"
# The television shows the TV's text instead of kernel messages, the root is read-only, and the memory cgroup is
# enabled, which the boards' firmware disables.
CMDLINE_ROOTFS:append:pitv-os = " ro console=tty1 consoleblank=0 quiet loglevel=3 cgroup_enable=memory psi=1"
