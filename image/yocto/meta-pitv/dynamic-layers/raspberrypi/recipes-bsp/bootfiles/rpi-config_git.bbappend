# As on the Debian card. The picture is a text console; the rest of the memory is for games.
GPU_MEM:rpi ?= "32"
DISABLE_OVERSCAN:rpi ?= "1"
# For a television that is switched on after the board.
HDMI_FORCE_HOTPLUG:rpi ?= "1"
