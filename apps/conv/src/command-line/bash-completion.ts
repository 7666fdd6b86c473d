/**
 * Returns the script that completes the words of a program in bash. It needs no other package, can be read twice, and evaluates neither
 * what was typed nor what a store or a server tells.
 */
export function bashCompletion(name: string): string {
  return `# completion of ${name} for bash
_${name}_complete() {
  local line=\${COMP_LINE:0:COMP_POINT} words word typed value
  read -r -a words <<< "$line"
  [[ $line == *[[:blank:]] ]] && words+=('')
  word=\${words[\${#words[@]}-1]}
  typed=$word
  [[ $word == --*=* ]] && typed=\${word#*=}
  COMPREPLY=()
  # the last line is a number after a colon
  while IFS=$'\\t' read -r value _; do
    # bash replaces what stands behind the last colon or equals sign
    [[ $value != :* && $value == "$typed"* ]] && COMPREPLY+=("\${value#"\${typed%"\${typed##*[:=]}"}"}")
  done < <(${name} complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _${name}_complete ${name}
`;
}
