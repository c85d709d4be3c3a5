# Reads wlr-randr's list of outputs and prints those that show more than 1080p, with the mode to use instead.
function finish() {
  if (large && mode != "") print output, mode
  large = 0
  mode = ""
}
/^[^ ]/ { finish(); output = $1 }
/^ +[0-9]+x[0-9]+ px/ {
  split($1, size, "x")
  if ($0 ~ /current/ && (size[1] + 0 > 1920 || size[2] + 0 > 1080)) large = 1
  # The largest mode that fits; of several rates the first one, which has the highest.
  if (size[1] + 0 <= 1920 && size[2] + 0 <= 1080 && size[1] * size[2] > area[output]) {
    area[output] = size[1] * size[2]
    mode = $1
  }
}
END { finish() }
