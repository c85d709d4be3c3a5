# Reads pitv.txt: lines of `name = value`, and comments with #. Other lines are reported, and the rest is used. If `place`
# is set, problems name it instead of pitv.txt and the line.

# Removes quotes around a value, also the typographic ones of a word processor.
function unquoted(value,  n) {
  n = length(value)
  if (value ~ /^\342\200[\230-\237].*\342\200[\230-\237]$/ && n >= 6) return substr(value, 4, n - 6)
  if (value ~ /^\302\253.*\302\273$/) return trimmed(substr(value, 3, n - 4))
  if (n >= 2 && value ~ /^(".*"|'.*')$/) return substr(value, 2, n - 2)
  return value
}

function read_lines(  i, l, at, where) {
  if (line[1] ~ /^\{\\rtf/) {
    emit("pitv.txt", "PROBLEM", "is a rich text document and is not used; save it as plain text.")
    return
  }
  if (encoding == "EUC-KR") emit("pitv.txt", "PROBLEM", "is not in UTF-8: its Korean letters cannot be read. Save it as UTF-8.")
  for (i = 1; i <= lines; i++) {
    l = trimmed(line[i])
    where = place ? place : "pitv.txt, line " i
    if (l == "" || l ~ /^(#|;|\/\/)/) {
      sub(/^[#;\/]+/, "", l)
      # The template has another value.
      if (name_of(l) == "wifi-password" && l !~ /= *(my password)?$/) emit(where, "COMMENTED-PASSWORD", "")
      continue
    }
    at = index(l, "=")
    if (at == 0) {
      # Do not quote the line, because it may be a password without its name.
      emit(where, "PROBLEM", "is not understood; a setting is `name = value`, and a comment begins with #.")
      continue
    }
    emit(where, name_of(l), unquoted(trimmed(substr(l, at + 1))))
  }
}
