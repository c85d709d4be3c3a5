# pitv.txt: one `name = value` a line, # for remarks. Anything else is reported, and the rest counts.

function unquoted(value,  n) {
  gsub(/\342\200\234|\342\200\235|\342\200\236/, "\"", value) # quotes that a word processor made round
  n = length(value)
  if (n >= 2 && value ~ /^".*"$/) return substr(value, 2, n - 2)
  return value
}

function read_lines(  i, l, at, name, where) {
  if (line[1] ~ /^\{\\rtf/) {
    emit("pitv.txt", "problem", "is a rich text document; save it as plain text. Nothing in it is used.")
    return
  }
  for (i = 1; i <= lines; i++) {
    l = trimmed(line[i])
    if (l == "" || l ~ /^(#|;|\/\/)/) continue
    where = "pitv.txt, line " i
    at = index(l, "=")
    if (at == 0) {
      # Said without quoting it: it may be a password that has lost its name.
      emit(where, "problem", "is not understood; a setting is `name = value`, and a remark begins with #.")
      continue
    }
    name = tolower(trimmed(substr(l, 1, at - 1)))
    gsub(/[ _]+/, "-", name)
    emit(where, name, unquoted(trimmed(substr(l, at + 1))))
  }
}
