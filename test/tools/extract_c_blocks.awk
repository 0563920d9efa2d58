# SPDX-License-Identifier: MIT
# Writes the n-th ```c or ```cpp block of a Markdown file to DIRECTORY/n.c or n.cpp, with lines
# numbered as in the file, so that a compiler's messages point into it.
# Usage: awk -v DIRECTORY=... -f this FILE
/^```c(pp)?[ \t]*$/ && !inside {
    inside = 1
    output = DIRECTORY "/" ++blocks ($0 ~ /cpp/ ? ".cpp" : ".c")
    printf "#line %d \"%s\"\n", FNR + 1, FILENAME > output
    next
}
/^```[ \t]*$/ && inside {
    inside = 0
    close(output)
    next
}
inside { print > output }
END {
    if (inside) {
        print FILENAME ": the last ```c block does not end" > "/dev/stderr"
        exit 1
    }
}
