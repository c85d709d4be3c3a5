# Prints pitv.txt without the value of admin-password, in UTF-8, with the original line ends.

function read_lines(  i, name) {
  for (i = 1; i <= lines; i++) {
    name = tolower(trimmed(substr(line[i], 1, index(line[i], "=") - 1)))
    gsub(/[ _]+/, "-", name)
    if (name == "admin-password") line[i] = "# stored: admin-password ="
    printf "%s%s\n", line[i], crlf ? "\r" : ""
  }
}
