# Reads firstrun.sh, which Raspberry Pi Imager writes for `init_format: systemd`; Imager 1 also writes it for
# an image file that is opened without a manifest. The script is never run, because its commands are for
# Raspberry Pi OS. The settings are the arguments of its calls of `imager_custom`.

# Returns the first word of a shell command, without its quotes. The rest of the command is in rest_of.
function word(l,  out, c) {
  sub(/^[ \t]+/, "", l)
  while (l != "" && l !~ /^[ \t]/) {
    c = substr(l, 1, 1)
    if (c == "'" || c == "\"") {
      l = substr(l, 2)
      at = index(l, c)
      if (!at) at = length(l) + 1
      out = out substr(l, 1, at - 1)
      l = substr(l, at + 1)
    } else {
      out = out c
      l = substr(l, 2)
    }
  }
  rest_of = l
  return out
}

# Reads a line of a wpa_supplicant.conf, which Imager writes instead of a call if the network's name is not UTF-8.
function conf_line(l) {
  if (l ~ /^ssid=hex:/) conf["name"] = tolower(substr(l, 10))
  else if (l ~ /^psk=/) conf["password"] = substr(l, 5)
  else if (l ~ /^country=/) conf["country"] = substr(l, 9)
}

function read_lines(  i, l, command, w, psk, in_conf, called) {
  for (i = 1; i <= lines; i++) {
    l = trimmed(line[i])
    if (in_conf) {
      if (l == "WPAEOF") in_conf = 0
      else conf_line(l)
      continue
    }
    if (l ~ /<<'WPAEOF'$/) { in_conf = 1; continue }
    if (!match(l, /^\/usr\/lib\/raspberrypi-sys-mods\/imager_custom[ \t]/)) continue
    l = substr(l, RLENGTH + 1)
    command = word(l)
    l = rest_of
    if (command == "set_hostname") emit("Imager's settings", "hostname", word(l))
    else if (command == "set_timezone") emit("Imager's settings", "timezone", word(l))
    else if (command == "enable_ssh") {
      if (l !~ /-k/) { emit("Imager's settings", "ssh-password", "yes"); continue }
      for (word(l); rest_of ~ /[^ \t]/; ) emit("Imager's settings", "ssh-key", word(rest_of))
    } else if (command == "set_wlan") {
      called = 1
      w = word(l)
      if (w == "-h") w = word(rest_of)
      emit("Imager's settings", "wifi-name-hex", hex_of(w))
      psk = word(rest_of)
      if (psk != "") emit("Imager's settings", "wifi-password", psk)
      w = word(rest_of)
      if (w != "") emit("Imager's settings", "wifi-country", w)
    }
  }
  if (called || !("name" in conf)) return
  emit("Imager's settings", "wifi-name-hex", conf["name"])
  if ("password" in conf) emit("Imager's settings", "wifi-password", conf["password"])
  if ("country" in conf) emit("Imager's settings", "wifi-country", conf["country"])
}
