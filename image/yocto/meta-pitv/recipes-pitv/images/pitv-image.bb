SUMMARY = "The TV: read-only root, a data partition, settings on the boot partition"
DESCRIPTION = "Runs only pitv. SSH login needs a key, which is set in pitv.txt on the boot partition."

require pitv-image.inc
