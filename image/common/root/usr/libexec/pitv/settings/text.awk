# Decodes a text file of any editor. The input is the file's bytes in hexadecimal, from `od -An -v -tx1`. It stores the
# lines in UTF-8 in line[1..lines]. The file may be UTF-8, UTF-16 (detected by its byte order mark or by zeros), EUC-KR,
# whose lines stay as they are, or else Windows-1252. Run it under LC_ALL=C, so that a character is a byte. The next awk
# file on the command line must define read_lines(), which is called at the end.

function unit(i) { return byte[i + big] + 256 * byte[i + 1 - big] } # a code unit of UTF-16

function utf8(c) {
  if (c < 128) return chr[c]
  if (c < 2048) return chr[192 + int(c / 64)] chr[128 + c % 64]
  if (c < 65536) return chr[224 + int(c / 4096)] chr[128 + int(c / 64) % 64] chr[128 + c % 64]
  return chr[240 + int(c / 262144)] chr[128 + int(c / 4096) % 64] chr[128 + int(c / 64) % 64] chr[128 + c % 64]
}

function add_char(c, before) { # c: code point; before: the previous code point
  if (c == 10 && before == 13) { crlf = 1; return }
  if (c == 10 || c == 13) { line[++lines] = text; text = "" }
  else if (c > 0) text = text utf8(c) # ignores zeros
}

function is_utf8(from,  i, b, more) {
  for (i = from; i < bytes; i++) {
    b = byte[i]
    if (b < 128) continue
    more = b >= 194 && b < 224 ? 1 : b >= 224 && b < 240 ? 2 : b >= 240 && b < 245 ? 3 : 0
    if (more == 0) return 0
    for (; more > 0; more--) if (byte[++i] < 128 || byte[i] > 191) return 0
  }
  return 1
}

# Tells whether all bytes above 127 are pairs, as Korean syllables have them (KS X 1001). Windows-1252 has vowels there.
function is_korean(from,  i, pairs) {
  for (i = from; i < bytes; i++) {
    if (byte[i] < 128) continue
    if (byte[i] < 176 || byte[i] > 200 || byte[i + 1] < 161 || byte[i + 1] == 255) return 0
    i++
    pairs++
  }
  return pairs > 1
}

BEGIN {
  for (i = 1; i < 256; i++) {
    chr[i] = sprintf("%c", i)
    value_of[sprintf("%02x", i)] = i
  }
  value_of["00"] = 0
  bytes = 0
  lines = 0
}

{ for (i = 1; i <= NF; i++) byte[bytes++] = value_of[$i] }

END {
  encoding = "UTF-8"
  from = 0
  if (bytes >= 2 && byte[0] == 255 && byte[1] == 254) { encoding = "UTF-16"; big = 0; from = 2 }
  else if (bytes >= 2 && byte[0] == 254 && byte[1] == 255) { encoding = "UTF-16"; big = 1; from = 2 }
  else if (bytes >= 4 && byte[0] > 0 && byte[1] == 0 && byte[2] > 0 && byte[3] == 0) { encoding = "UTF-16"; big = 0 }
  else if (bytes >= 4 && byte[0] == 0 && byte[1] > 0 && byte[2] == 0 && byte[3] > 0) { encoding = "UTF-16"; big = 1 }
  else {
    if (bytes >= 3 && byte[0] == 239 && byte[1] == 187 && byte[2] == 191) from = 3
    if (!is_utf8(from)) encoding = is_korean(from) ? "EUC-KR" : "Windows-1252"
  }
  before = crlf = 0
  if (encoding == "UTF-16") {
    for (i = from; i + 1 < bytes; i += 2) {
      c = unit(i)
      if (c >= 55296 && c < 56320 && i + 3 < bytes) { c = 65536 + (c - 55296) * 1024 + unit(i + 2) - 56320; i += 2 }
      add_char(c, before)
      before = c
    }
  } else if (encoding != "Windows-1252") {
    for (i = from; i < bytes; i++) { # the bytes stay as they are
      c = byte[i]
      if (c == 10 || c == 13) add_char(c, before)
      else if (c > 0) text = text chr[c]
      before = c
    }
  } else {
    split("8364 0 8218 402 8222 8230 8224 8225 710 8240 352 8249 338 0 381 0 0 8216 8217 8220 8221 8226 8211 8212 732 8482 353 8250 339 0 382 376", windows, " ")
    for (i = from; i < bytes; i++) {
      c = byte[i]
      add_char(c >= 128 && c < 160 ? windows[c - 127] : c, before)
      before = c
    }
  }
  if (text != "") line[++lines] = text
  read_lines()
}

# Functions for the readers.

# Prints a setting for check.awk: its place, name and value.
function emit(where, name, value) {
  gsub(/\t/, " ", value)
  printf "%s\t%s\t%s\n", where, name, value
}

# Removes spaces at both ends, also a no-break, a zero width and a Korean one, and a byte order mark.
function trimmed(value) {
  sub(/^([ \t]|\302\240|\342\200\213|\343\200\200|\357\273\277)+/, "", value)
  sub(/([ \t]|\302\240|\342\200\213|\343\200\200|\357\273\277)+$/, "", value)
  return value
}

# Returns the name of the setting in a line `name = value`.
function name_of(l,  name) {
  name = tolower(trimmed(substr(l, 1, index(l, "=") - 1)))
  gsub(/([ _]|\302\240)+/, "-", name)
  return name
}

function hex_of(value,  i, out) {
  if (!("a" in code)) for (i = 1; i < 256; i++) code[chr[i]] = sprintf("%02x", i)
  for (i = 1; i <= length(value); i++) out = out code[substr(value, i, 1)]
  return out
}
