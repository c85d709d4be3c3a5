# For pitv.wks and its read-only root, so for the distribution pitv-os only.
# Finds the root by the card's signature (pitv.wks), in any card reader.
CMDLINE_ROOT_PARTITION:pitv-os ?= "PARTUUID=50495456-02"
# U-Boot appends the root of the system that it has chosen (pitv_card.bbclass).
CMDLINE_ROOT_FSTYPE:pitv-os ?= "rootfstype=${@bb.utils.contains('DISTRO_FEATURES', 'rauc', 'squashfs', 'ext4', d)}"
# The television shows the TV's text instead of kernel messages, the root is read-only, and the memory cgroup is
# enabled, which the boards' firmware disables. A kernel that panics restarts the board.
CMDLINE_ROOTFS:append:pitv-os = " ro console=tty1 consoleblank=0 quiet loglevel=3 cgroup_enable=memory psi=1 panic=5"
