# rpi-preseed.toml (Imager 2, `init_format: rpi-preseed`) and custom.toml (its forerunner): the tables
# that both have.

function string(value,  i, c, out, quote) {
  quote = substr(value, 1, 1)
  if (quote != "\"" && quote != "'") { sub(/[ \t]*#.*$/, "", value); return trimmed(value) }
  for (i = 2; i <= length(value); i++) {
    c = substr(value, i, 1)
    if (c == quote) break
    if (c == "\\" && quote == "\"") c = substr(value, ++i, 1)
    out = out c
  }
  rest_of = substr(value, i + 1)
  return out
}

function keys_in(value) { # the strings of an array, as far as this line holds them
  while (match(value, /["']/)) {
    emit("Imager's settings", "ssh-key", string(substr(value, RSTART)))
    value = rest_of
  }
  return value
}

function read_lines(  i, l, at, table, key, value, in_array) {
  for (i = 1; i <= lines; i++) {
    l = trimmed(line[i])
    if (l == "" || l ~ /^#/) continue
    if (in_array) {
      if (keys_in(l) ~ /\]/) in_array = 0
      continue
    }
    if (l ~ /^\[.*\]/) { table = substr(l, 2, index(l, "]") - 2); continue }
    at = index(l, "=")
    if (!at) continue
    key = table "." trimmed(substr(l, 1, at - 1))
    value = trimmed(substr(l, at + 1))
    if (key == "system.hostname") emit("Imager's settings", "hostname", string(value))
    else if (key == "locale.timezone") emit("Imager's settings", "timezone", string(value))
    else if (key == "wlan.ssid") emit("Imager's settings", "wifi-name-hex", hex_of(string(value)))
    else if (key == "wlan.ssid_hex") emit("Imager's settings", "wifi-name-hex", tolower(string(value)))
    else if (key == "wlan.password") emit("Imager's settings", "wifi-password", string(value))
    else if (key == "wlan.country") emit("Imager's settings", "wifi-country", string(value))
    else if (key == "ssh.password_authentication" && value ~ /^true/) emit("Imager's settings", "ssh-password", "yes")
    else if (key == "ssh.authorized_keys") in_array = keys_in(value) !~ /\]/
  }
}
