# The picture is a text console; the rest of the memory is for games.
GPU_MEM:pitv-os ?= "32"
# The kernel sets the picture on every board, also on those whose machine leaves it to the firmware. It detects a television
# that is switched on after the board.
VC4DTBO:pitv-os = "vc4-kms-v3d"
