# SPDX-License-Identifier: Apache-2.0
# Completes the commands and options of filterdb and sst_filters, as they list them themselves.
_cassandra_bloom_tool() {
  local IFS=$'\n' word=${COMP_WORDS[COMP_CWORD]}
  [ "${word#-}" = "$word" ] && [ "$COMP_CWORD" -gt 1 ] && return  # A path: bash completes it.
  # shellcheck disable=SC2207
  COMPREPLY=($(compgen -W "$("$1" --complete "$([ "$COMP_CWORD" -gt 1 ] && echo "${COMP_WORDS[1]}")" 2>/dev/null)" -- "$word"))
  case ${COMPREPLY[0]} in *=) compopt -o nospace ;; esac
}
complete -o default -F _cassandra_bloom_tool filterdb sst_filters
