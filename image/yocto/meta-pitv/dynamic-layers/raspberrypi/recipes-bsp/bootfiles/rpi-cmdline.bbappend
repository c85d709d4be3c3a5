# A root that is never written, and the memory cgroup that the boards' firmware switches off.
CMDLINE_ROOTFS:append:rpi = " ro cgroup_enable=memory psi=1"
