# What Raspberry Pi Imager writes for images that say `init_format: cloudinit`: user-data and
# network-config, YAML of which only Imager's own shapes are read. https://github.com/raspberrypi/rpi-imager,
# src/customization_generator.cpp.

function indent_of(l) { match(l, /^ */); return RLENGTH }

# A YAML scalar: plain, 'single', or "double" with its escapes.
function scalar(value,  out, i, c, n) {
  value = trimmed(value)
  if (value ~ /^'.*'$/) {
    value = substr(value, 2, length(value) - 2)
    gsub(/''/, "'", value)
    return value
  }
  if (value !~ /^".*"$/) { sub(/[ \t]#.*$/, "", value); return trimmed(value) }
  n = length(value) - 1
  for (i = 2; i <= n; i++) {
    c = substr(value, i, 1)
    if (c != "\\") { out = out c; continue }
    c = substr(value, ++i, 1)
    if (c == "x") { out = out chr[value_of[tolower(substr(value, i + 1, 2))]]; i += 2 }
    else if (c == "n") out = out "\n"
    else if (c == "r") out = out "\r"
    else if (c == "t") out = out "\t"
    else if (c == "b") out = out "\b"
    else if (c == "f") out = out "\f"
    else if (c != "0") out = out c
  }
  return out
}

function read_lines(  i, l, depth, key, rest, d, path, keys_at, points_at, named) {
  keys_at = points_at = -1
  for (i = 1; i <= lines; i++) {
    l = line[i]
    if (l ~ /^[ ]*(#.*)?$/ || l ~ /^---/) continue
    depth = indent_of(l)
    l = trimmed(l)
    if (keys_at >= 0 && l ~ /^- / && depth >= keys_at) {
      emit("Imager's settings", "ssh-key", scalar(substr(l, 3)))
      continue
    }
    if (depth <= keys_at) keys_at = -1
    if (depth <= points_at) points_at = -1
    if (points_at >= 0 && !named && l ~ /:$/) {
      emit("Imager's settings", "wifi-name-hex", hex_of(scalar(substr(l, 1, length(l) - 1))))
      named = 1
      continue
    }
    if (!match(l, /^(- )?[A-Za-z0-9_-]+:/)) continue
    key = substr(l, 1, RLENGTH - 1)
    sub(/^- /, "", key)
    rest = substr(l, RLENGTH + 1)
    if (depth == 0 && key == "hostname") emit("Imager's settings", "hostname", scalar(rest))
    else if (depth == 0 && key == "timezone") emit("Imager's settings", "timezone", scalar(rest))
    else if (key == "ssh_authorized_keys" || key == "ssh-authorized-keys") keys_at = depth
    else if (key == "ssh_pwauth" && scalar(rest) == "true") emit("Imager's settings", "ssh-password", "yes")
    else if (key == "regulatory-domain") emit("Imager's settings", "wifi-country", scalar(rest))
    else if (key == "access-points") { points_at = depth; named = 0 }
    else if (key == "password" && points_at >= 0) emit("Imager's settings", "wifi-password", scalar(rest))
  }
}
