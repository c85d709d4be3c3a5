SUMMARY = "The TV: read-only root, a data partition, settings on the boot partition"
DESCRIPTION = "Boots into pitv and nothing else. SSH only with a key that pitv.txt on the boot partition names."

require pitv-image.inc
