# SPDX-License-Identifier: Apache-2.0
# Completes the commands and options of filterdb and sst_filters, as their --help lists them.
_cassandra_bloom_tool() {
  local IFS=$'\n' word=${COMP_WORDS[COMP_CWORD]} command=()
  [ "${word#-}" = "$word" ] && [ "$COMP_CWORD" -gt 1 ] && return  # A path: bash completes it.
  [ "$COMP_CWORD" -gt 1 ] && command=("${COMP_WORDS[1]}")
  # An option with a value, one without, a command.
  # shellcheck disable=SC2207
  COMPREPLY=($(compgen -W "$("$1" "${command[@]}" --help 2>/dev/null | sed -nE \
    -e 's/^ {2,4}(--[a-z-]+) [A-Za-z|]{3,}( |:[A-Z{]|$).*/\1=/p; t' \
    -e 's/^ {2,4}(-h,)?(--[a-z-]+).*/\2/p; s/^  ([a-z]+)  .*/\1/p')" -- "$word"))
  case ${COMPREPLY[0]} in *=) compopt -o nospace ;; esac
}
complete -o default -F _cassandra_bloom_tool filterdb sst_filters
