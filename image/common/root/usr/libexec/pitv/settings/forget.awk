# Prints pitv.txt without the value of admin-password, in UTF-8, with the original line ends.

function read_lines(  i) {
  for (i = 1; i <= lines; i++) {
    if (name_of(line[i]) == "admin-password") line[i] = "# stored: admin-password ="
    printf "%s%s\n", line[i], crlf ? "\r" : ""
  }
}
