# Checks settings. Reads lines of `where<TAB>name<TAB>value`, and prints `name<TAB>value<TAB>where` for each valid setting
# and `problem<TAB>sentence` for each problem. Later lines override earlier ones. Invalid values are left out, so the
# output can be used without further checks. Problems do not contain secrets. `countries` is a file with the codes of
# countries (iso3166.tab).

BEGIN {
  FS = "\t"
  names = "wifi-name wifi-password wifi-country hostname language timezone ssh-key engine ksm udp pinned-game attract-minutes opening-hours join-code public-url update-url admin-password fleet fleet-key"
  count = split(names, known, " ")
  for (i = 1; i <= count; i++) is_known[known[i]] = 1
  two_settings = names
  gsub(/ /, "|", two_settings)
  gsub(/-/, "[-_ ]", two_settings)
  two_settings = "[ ,;](" two_settings ") *="
  engines = "auto, zygote, process or thread"
  MAX_UNKNOWN = 3
  MAX_PROBLEMS = 7 # more would leave no room for the address on the television
  levels = "auto, off, mark, seeds or identical"
  # Names in a wpa_supplicant.conf and elsewhere.
  alias["ssid"] = alias["wifi-ssid"] = alias["network"] = "wifi-name"
  alias["psk"] = alias["passphrase"] = alias["wifi-psk"] = alias["wifi-key"] = alias["wifi-passphrase"] = "wifi-password"
  alias["tz"] = alias["zeitzone"] = "timezone"
  alias["locale"] = "language"
  alias["ssh-public-key"] = "ssh-key"
  BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
}

function problem(where, sentence) {
  if (reported[where sentence]++ || ++problems > MAX_PROBLEMS) return
  printf "problem\t%s%s %s\n", where, sentence ~ /^(is|are) / ? "" : ":", sentence
}

function short(value) {
  gsub(/[\001-\037\177]/, "?", value)
  if (length(value) <= 40) return value
  value = substr(value, 1, 40)
  sub(/[\300-\377][\200-\277]*$/, "", value) # the last character may not be whole
  return value "..."
}

# Returns the number of characters of a UTF-8 text. awk counts bytes here; all bytes of a character except the first
# are 10xxxxxx.
function characters(value) {
  gsub(/[\200-\277]/, "", value)
  return length(value)
}

function refuse(where, name, wanted, value) {
  problem(where, name " must be " wanted (value == "" ? "" : ", not \"" short(value) "\"") ".")
}

# Returns the number of characters to change, insert or delete (Levenshtein distance).
function distance(a, b,  i, j, cost, best, row) {
  for (j = 0; j <= length(b); j++) row[0, j] = j
  for (i = 1; i <= length(a); i++) {
    row[i, 0] = i
    for (j = 1; j <= length(b); j++) {
      cost = substr(a, i, 1) != substr(b, j, 1)
      best = row[i - 1, j - 1] + cost
      if (row[i - 1, j] + 1 < best) best = row[i - 1, j] + 1
      if (row[i, j - 1] + 1 < best) best = row[i, j - 1] + 1
      row[i, j] = best
    }
  }
  return row[length(a), length(b)]
}

# Reports a line that is not a known setting. Their number is limited, because a file that is not a pitv.txt has many of
# them, and they must not hide other problems.
function report_unknown(where, sentence) {
  has_wrong_line = 1
  if (++unknowns <= MAX_UNKNOWN) problem(where, sentence)
}

# Returns the settings that an unknown one may stand for: those that contain its name, the one that is most similar, also
# by its last word, or one that its name contains.
function similar(name,  i, d, best, guess, part) {
  gsub(/wlan|wi-fi/, "wifi", name)
  if (name in alias) return alias[name]
  for (i = 1; i <= count && length(name) > 2; i++) if (index(known[i], name)) guess = guess (guess ? " or " : "") known[i]
  best = length(name) < 8 ? int((length(name) + 1) / 2) : 4
  if (!guess && length(name) < 25) for (i = 1; i <= count; i++) {
    d = distance(name, known[i])
    part = known[i]
    sub(/.*-/, "", part)
    if (distance(name, part) < d) d = distance(name, part)
    if (d < best) { best = d; guess = known[i] }
  }
  for (i = 1; i <= count && !guess; i++) if (index(name, known[i])) guess = known[i]
  return guess
}

function unknown(where, name,  guess) {
  guess = similar(name)
  report_unknown(where, "there is no setting \"" short(name) "\"" (guess ? "; did you mean " guess "?" : "."))
}

function set(name, value) {
  if (given_at[name] ~ /^pitv/) problem($1, name " is set twice; this line is used.")
  if (given_at[name] == "") order[++given] = name
  result[name] = value
  given_at[name] = $1
}

# Tells whether the base64 part of an SSH key is whole: the type and the numbers of the key, each behind its length in four
# bytes (RFC 4253, section 6.6).
function is_whole(type, text,  i, n, digit, value, limit, byte, p, size, first) {
  limit = 1 # of value
  for (i = 1; i <= length(text) && (digit = index(BASE64, substr(text, i, 1)) - 1) >= 0; i++) {
    value = value * 64 + digit
    limit *= 64
    if (limit < 256) continue
    limit /= 256
    byte[n++] = int(value / limit)
    value %= limit
  }
  for (p = 0; p + 4 <= n; p += size) {
    size = 4 + byte[p + 3] + 256 * (byte[p + 2] + 256 * (byte[p + 1] + 256 * byte[p]))
    if (p == 0) for (i = 4; i < size && i < n; i++) first = first sprintf("%c", byte[i])
  }
  return p == n && first == type && length(text) % 4 == 0
}

# Tells whether a code is in the list of countries, or there is no list.
function is_country(code,  line, lines, found) {
  while ((getline line <countries) > 0) {
    lines++
    if (substr(line, 1, 3) == code "\t") found = 1
  }
  close(countries)
  return found || !lines
}

# Tells whether an address starts with http:// or https://, a name or an IPv4 address, and perhaps a port. The TV does not
# start with others.
function is_address(value,  host, part, n, i) {
  if (!match(value, /^https?:\/\/[^\/]+/)) return 0
  host = substr(value, 1, RLENGTH)
  sub(/^https?:\/\//, "", host)
  if (match(host, /:[0-9]+$/)) {
    if (RLENGTH > 6 || substr(host, RSTART + 1) + 0 > 65535) return 0
    host = substr(host, 1, RSTART - 1)
  }
  n = split(host, part, ".")
  if (n == 0) return 0
  for (i = 1; i <= n; i++) if (part[i] !~ /^[0-9a-z]([0-9a-z-]*[0-9a-z])?$/ || part[i] ~ /^xn--/) return 0
  if (part[n] !~ /^([0-9]+|0x[0-9a-f]*)$/) return 1
  for (i = 1; i <= n; i++) if (part[i] !~ /^(0|[1-9][0-9]*)$/ || part[i] + 0 > 255) return 0
  return n == 4
}

function hex_of(value,  i, out) {
  if (!("a" in code)) for (i = 1; i < 256; i++) code[sprintf("%c", i)] = sprintf("%02x", i)
  for (i = 1; i <= length(value); i++) out = out code[substr(value, i, 1)]
  return out
}

{
  where = $1
  name = $2
  value = $3
  if (name == "PROBLEM") {
    if (value ~ /^is not understood/) report_unknown(where, value)
    else problem(where, value)
    if (value ~ /^is larger/) has_wrong_line = 1
    next
  }
  if (name == "COMMENTED-PASSWORD") { commented_at = where; next }
  if (name == "ssh-password") { problem(where, "SSH login needs a key, passwords are not supported; see ssh-key in pitv.txt."); next }
  if (name == "wifi-name-hex") {
    if (value ~ /^([0-9a-f][0-9a-f])+$/ && length(value) <= 64) set("wifi-name", value)
    else refuse(where, "the Wi-Fi's name", "1 to 32 bytes", "")
    next
  }
  if (!(name in is_known)) { unknown(where, name); next }
  if (value == "") next
  if (name == "wifi-password") password_at = where
  wrong = ""
  if (value ~ /[\001-\037\177]/) wrong = name " contains a control character; it is not used."
  else if (tolower(value) ~ two_settings) wrong = "each setting needs a line of its own; this one is not used."
  if (wrong) {
    problem(where, wrong)
    if (name == "wifi-password") refused = 1
    has_wrong_line = 1
    next
  }

  if (name ~ /^(wifi-name|wifi-password|admin-password)$/ && value ~ / # /) {
    problem(where, "a comment needs a line of its own: the # is a part of " name ".")
  }

  if (name == "wifi-name") {
    if (length(value) > 32) refuse(where, name, "at most 32 bytes", value)
    else {
      value = hex_of(value)
      # Imager's password is for Imager's Wi-Fi.
      if (value != result[name] && password_at !~ /^pitv/) { delete result["wifi-password"]; refused = 0 }
      set(name, value)
    }
  } else if (name == "wifi-password") {
    delete result[name] # of an earlier line, for another Wi-Fi
    refused = 0
    if (length(value) == 64 && value ~ /^[0-9A-Fa-f]+$/ || length(value) >= 8 && length(value) <= 63 && value !~ /[^ -~]/) set(name, value)
    else {
      refused = 1
      if (value ~ /[^ -~]/) problem(where, "wifi-password can contain only letters without accents, digits and signs (WPA). The Wi-Fi is not joined.")
      else problem(where, "wifi-password must have 8 to 63 characters, not " length(value) ". The Wi-Fi is not joined.")
    }
  } else if (name == "wifi-country") {
    if (toupper(value) == "UK") value = "GB"
    if (value ~ /^[A-Za-z][A-Za-z]$/ && is_country(toupper(value))) set(name, toupper(value))
    else refuse(where, name, "two letters such as DE or GB", value)
  } else if (name == "hostname") {
    value = tolower(value)
    sub(/\.local\.?$/, "", value)
    if (length(value) <= 63 && value ~ /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/ && value !~ /^[0-9]+$/ && value != "localhost") set(name, value)
    else if (value ~ /^([0-9]+|localhost)$/) refuse(where, name, "another name", value)
    else refuse(where, name, "at most 63 letters a to z, digits and hyphens", value)
  } else if (name == "language") {
    value = tolower(value)
    gsub(/_/, "-", value)
    sub(/\..*$/, "", value)
    if (value ~ /^[a-z][a-z][a-z]?(-[a-z][a-z])?$/) {
      set(name, value)
      if (value !~ /^(en|ko)(-|$)/) problem(where, "the screens are in English, because they have no texts in " value ".")
    } else refuse(where, name, "a code such as en or de-AT", value)
  } else if (name == "timezone") {
    zone = value
    gsub(/ +/, "_", zone)
    if (zone ~ /^[A-Za-z0-9_+-]+(\/[A-Za-z0-9_+-]+)*$/ && length(zone) < 60) set(name, zone)
    else refuse(where, name, "a place such as Europe/Berlin", value)
  } else if (name == "ssh-key") {
    if (value ~ /^(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)|sk-ssh-ed25519@openssh\.com|sk-ecdsa-sha2-nistp256@openssh\.com) AAAA[0-9A-Za-z+\/]+=*( .*)?$/ && length(value) < 4000) {
      split(value, part, " ")
      size = length(part[2])
      if (!is_whole(part[1], part[2])) problem(where, "ssh-key is not whole: its second part has " size " characters.")
      else if (!key_there[value]++) printf "ssh-key\t%s\n", value
    } else if (value ~ /PRIVATE KEY/) problem(where, "ssh-key is a private key. Use the public key, from a file that ends in .pub. Replace this key, because it is no longer secret.")
    else problem(where, "ssh-key must be one line of a .pub file, such as: ssh-ed25519 AAAA... name.")
  } else if (name == "engine") {
    value = tolower(value)
    if (value ~ /^(auto|zygote|process|thread)$/) set(name, value)
    else refuse(where, name, engines, value)
  } else if (name == "ksm") {
    value = tolower(value)
    if (value ~ /^(auto|off|mark|seeds|identical)$/) set(name, value)
    else refuse(where, name, levels, value)
  } else if (name == "udp") {
    value = tolower(value)
    if (value ~ /^(no|off|false)$/) set(name, "off")
    else if (value ~ /^(yes|on|true)$/) set(name, 9910)
    else if (value ~ /^[0-9]+$/ && length(value) <= 5 && value + 0 >= 1024 && value + 0 <= 65535) set(name, value + 0)
    else refuse(where, name, "no, yes, or a port from 1024 to 65535", value)
  } else if (name == "pinned-game") {
    if (value ~ /^[0-9A-Za-z_-]+$/ && length(value) <= 64) set(name, value)
    else refuse(where, name, "the id of a game, such as bumper", value)
  } else if (name == "attract-minutes") {
    if (value ~ /^[0-9]+$/ && length(value) <= 4 && value + 0 <= 1440) set(name, value + 0)
    else refuse(where, name, "a number of minutes from 0 to 1440", value)
  } else if (name == "opening-hours") {
    sub(/ *(-|\342\200[\223\224]) */, "-", value) # word processors make dashes of hyphens
    while (match("-" value, /-[0-9]:/)) value = substr(value, 1, RSTART - 1) "0" substr(value, RSTART)
    split(value, time, "-")
    if (value ~ /^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$/ && time[1] != time[2]) set(name, value)
    else refuse(where, name, "two times of the day, such as 17:00-02:00", value)
  } else if (name == "join-code") {
    value = toupper(value)
    if (value ~ /^[BCDFGHJKMNPQRSTWXYZ2-9]+$/ && length(value) == 5) set(name, value)
    else refuse(where, name, "five letters and digits such as K7PQX, without A, E, I, L, O, U, V, 0 and 1", value)
  } else if (name == "public-url") {
    value = tolower(value)
    sub(/\/$/, "", value)
    if (is_address(value) && value !~ /[a-z0-9]\// && length(value) < 300) set(name, value)
    else refuse(where, name, "an address such as http://pi.box, without a path", value)
  } else if (name == "update-url") {
    if (is_address(tolower(value)) && value ~ /^http[s:]+\/\/[0-9A-Za-z.:-]+(\/[0-9A-Za-z._~%\/-]*)?$/ && length(value) < 1000) set(name, value)
    else refuse(where, name, "an address such as https://example.org/pitv/", value)
  } else if (name == "fleet") {
    gsub(/[ ,;]+/, " ", value)
    hosts = split(value, host, " ")
    for (i = 1; i <= hosts; i++) if (host[i] !~ /^[0-9A-Za-z][0-9A-Za-z.-]*$/ || length(host[i]) > 253 || there[NR, host[i]]++) hosts = 0
    if (hosts < 2 || hosts > 100) refuse(where, name, "the addresses of all TVs, such as 192.168.1.11 192.168.1.12 192.168.1.13", value)
    else set(name, value)
  } else if (name == "fleet-key") {
    # Never quoted, because it is a secret.
    if (value ~ /^SU[A-Z2-7]+$/ && length(value) == 58) set(name, value)
    else problem(where, "fleet-key must be the line that `pitv fleet init` has written.")
  } else if (name == "admin-password") {
    if (characters(value) < 8 || characters(value) > 200) problem(where, "admin-password must have 8 to 200 characters.")
    else set(name, value)
  }
}

END {
  unreported = problems - MAX_PROBLEMS
  problems = 0
  if (unknowns > MAX_UNKNOWN) problem("pitv.txt", unknowns - MAX_UNKNOWN " more lines like these are ignored.")
  if (("wifi-password" in result) && !("wifi-name" in result)) problem(given_at["wifi-password"], "wifi-password is set, but wifi-name is not.")
  # Without its password, any open network of that name would be joined.
  if (("wifi-name" in result) && !("wifi-password" in result) && !refused) {
    refused = 1
    if (has_wrong_line) problem(given_at["wifi-name"], "wifi-name has no password, but a wrong line may be the password. The Wi-Fi is not joined.")
    else if (given_at["wifi-name"] ~ /^pitv/ && commented_at) problem(commented_at, "wifi-password has a # before it. The Wi-Fi is not joined: delete the #, or the line.")
    else refused = 0
  }
  if (refused) delete result["wifi-name"]
  if (!("wifi-name" in result)) delete result["wifi-password"]
  if (result["engine"] == "thread" && result["ksm"] ~ /^(mark|seeds|identical)$/) {
    problem(given_at["ksm"], "ksm = " result["ksm"] " needs engine = process or zygote; memory is not merged.")
    result["ksm"] = "off"
  }
  if (("fleet" in result) != ("fleet-key" in result)) {
    if ("fleet" in result) problem(given_at["fleet"], "fleet needs fleet-key, too; `pitv fleet init` writes both. This TV is alone.")
    else problem(given_at["fleet-key"], "fleet-key is set, but fleet is not.")
    delete result["fleet"]
    delete result["fleet-key"]
  } else if (("fleet" in result) && split(result["fleet"], host, " ") == 2) {
    problem(given_at["fleet"], "fleet names two TVs. While one of them is off, the other has no majority: it does not go on with its matches, and does not start. Three TVs do.")
  }
  if (unreported > 0) printf "problem\tpitv.txt: %d more lines are wrong.\n", unreported
  for (i = 1; i <= given; i++) if (order[i] in result) printf "%s\t%s\t%s\n", order[i], result[order[i]], given_at[order[i]]
}
