/** The files through which a shell and this process communicate, all in one private folder. */
export const shellFiles = {
  startup: 'startup',
  driver: 'driver',
  nonce: 'nonce',
  sequence: 'sequence',
  command: 'command',
  /** The folder of the files that the shell writes. It only reads the others, also when it is confined. */
  state: 'state',
  processId: 'state/pid',
  /** A named pipe: the values of secrets pass through it and are in no file. */
  values: 'values',
  /** The names of the secrets that the running command has been given. */
  given: 'state/given',
} as const;

/** Returns the line that tells the shell to run the command file; with `values`, to read them from the pipe first. */
export function runLine(folder: string, values: 'values' | 'no values'): string {
  return `${values === 'values' ? 'take' : 'run'}:${folder}`;
}

/** Returns the prompt's text, which shows that the shell asks the terminal for commands instead of our driver. */
export function promptMark(folder: string): string {
  return `prompt:${folder}`;
}

/** The line behind the values in the pipe; no name of a variable looks like it. */
export const END_OF_VALUES = '.';

/**
 * Returns the first file that bash reads. When no memory is left, Linux ends what was started by bash, and then bash, before the process that
 * started bash. Every process may raise its own score.
 */
export function startupScript(folder: string): string {
  const processId = quote(`${folder}/${shellFiles.processId}`);
  const given = quote(`${folder}/${shellFiles.given}`);
  const goFirst = '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null';
  return `set +o history\n${goFirst}\necho $$ >${processId}\n: >${given}\nexport PROMPT_COMMAND=${quote(promptCommand(folder))}\n`;
}

/**
 * Returns the loop that takes commands. It stands in PROMPT_COMMAND, outside of any function or file: commands run as
 * if typed, `declare` is global, errors name no file of ours, and the loop begins again when bash falls back to its
 * prompt (after an interrupt, or for an unset variable). It is exported and the driver knows its process, so that it
 * survives `exec bash` and does nothing in nested shells.
 */
function promptCommand(folder: string): string {
  const driver = quote(`${folder}/${shellFiles.driver}`);
  const command = quote(`${folder}/${shellFiles.command}`);
  return [
    `. ${driver} 2>/dev/null`,
    // variables that a secret replaced are declared again out here, because declare is local in a function
    'while { __conv_forget && builtin eval "${__conv_saved:-}"; __conv_next; } 2>/dev/null',
    `do eval " $(<${command})"`,
    '{ __conv_status=$?; } 2>/dev/null',
    'done',
    '__conv_after=$?',
  ].join('; ');
}

/**
 * Returns the code between two commands. It takes back the secrets of the last command, puts shell and terminal in
 * order, and reports how the last command ended. Then it waits for the line that starts the next command and drops all
 * other lines, which were input for a program that did not read them. All input and output goes through /dev/tty,
 * because commands may redirect the shell's own streams. Runs in bash 3.2 (macOS). Its variables have a prefix, as a
 * secret may have any other name.
 */
export function driverScript(folder: string): string {
  return `__conv_status=\${__conv_after:-$?}
unset __conv_after
read -r __conv_process <${quote(`${folder}/${shellFiles.processId}`)}
if [ "$$" != "$__conv_process" ]; then
  __conv_forget() { return 1; }
  __conv_next() { return 1; }
else
${forgetFunction(folder)}${renewFunction(folder)}${takeFunction(folder)}${nextFunction(folder)}fi
`;
}

/**
 * Returns the function that unsets the variables of the last command. It succeeds if there were any; then
 * `__conv_saved` is to be run. After an interrupt at any point it can run again. A variable that a command has made
 * readonly, or has handed to a bash that took this one's place by `exec`, cannot be taken back from a process, so the
 * shell is renewed.
 */
function forgetFunction(folder: string): string {
  const given = quote(`${folder}/${shellFiles.given}`);
  return `  __conv_forget() {
    builtin set +exv
    builtin local IFS=' ' __conv_name __conv_names="\${__conv_given:-}"
    if [[ -z $__conv_names ]]; then
      [[ -s ${given} ]] || return 1
      builtin read -r __conv_names <${given}
      __conv_renewed=exec
    fi
    for __conv_name in $__conv_names; do
      builtin unset -n "$__conv_name"
      builtin unset -v "$__conv_name" && continue
      builtin export -n "$__conv_name"
      __conv_renewed=$__conv_name
    done
    return 0
  }
`;
}

/** Returns the function that puts a new shell into the same process, which keeps its environment and its children. */
function renewFunction(folder: string): string {
  return `  __conv_renew() {
    if [[ $__conv_renewed != exec ]]; then
      builtin printf '[The command made %s readonly, so the shell was restarted to forget its value.]\\n' \\
        "$__conv_renewed" >/dev/tty
    fi
    builtin unset __conv_saved
    __conv_after=$__conv_status builtin exec "$BASH" --noprofile --noediting \\
      --rcfile ${quote(`${folder}/${shellFiles.startup}`)} -i </dev/tty >/dev/tty 2>&1
    builtin exit 1
  }
`;
}

/**
 * Returns the function that reads names and values from its input, all or none, and remembers the variables that they
 * replace. A readonly variable is left alone and named in `__conv_refused`. Values arrive with their special bytes as
 * octal escapes.
 */
function takeFunction(folder: string): string {
  return `  __conv_take() {
    builtin local IFS= __conv_line= __conv_at __conv_old __conv_flags __conv_names= __conv_exported=
    builtin local -a __conv_lines
    __conv_lines=()
    while builtin read -r __conv_line && [[ $__conv_line != ${END_OF_VALUES} ]]; do
      __conv_lines[\${#__conv_lines[@]}]=$__conv_line
    done
    [[ $__conv_line == ${END_OF_VALUES} ]] || return 1
    for ((__conv_at = 0; __conv_at < \${#__conv_lines[@]}; __conv_at += 2)); do
      __conv_line=\${__conv_lines[__conv_at]}
      if builtin declare -p "$__conv_line" >/dev/null; then
        __conv_old=$(builtin declare -p "$__conv_line")
        __conv_flags=\${__conv_old#declare -}
        __conv_flags=\${__conv_flags%% *}
        if [[ $__conv_flags == *r* ]]; then
          __conv_refused="\${__conv_refused:+$__conv_refused }$__conv_line"
          __conv_lines[__conv_at]=
          continue
        fi
        [[ $__conv_flags == *x* ]] && __conv_exported=yes
        __conv_saved="\${__conv_saved:-}$__conv_old;"
      fi
      __conv_names="\${__conv_names:+$__conv_names }$__conv_line"
    done
    [[ $__conv_names ]] || return 0
    # for a bash that takes this one's place by exec: it knows what is exported and what is in files
    [[ $__conv_exported ]] && builtin export __conv_saved
    builtin printf '%s\\n' "$__conv_names" >|${quote(`${folder}/${shellFiles.given}`)} || return 1
    __conv_given=$__conv_names
    for ((__conv_at = 0; __conv_at < \${#__conv_lines[@]}; __conv_at += 2)); do
      __conv_line=\${__conv_lines[__conv_at]}
      [[ $__conv_line ]] || continue
      builtin unset -n "$__conv_line"
      builtin unset -v "$__conv_line"
      builtin printf -v "$__conv_line" %b "\${__conv_lines[__conv_at + 1]}"
      builtin export "$__conv_line"
    done
  }
`;
}

function nextFunction(folder: string): string {
  const at = (file: keyof typeof shellFiles): string => quote(`${folder}/${shellFiles[file]}`);
  return `  __conv_next() {
    builtin local TMOUT= IFS=' ' __conv_line __conv_nonce __conv_sequence __conv_python __conv_refused= __conv_failed=0
    builtin set +exv
    [[ \${__conv_renewed:-} ]] && __conv_renew
    if [[ \${__conv_given:-} ]]; then
      builtin unset __conv_saved
      : >|${at('given')}
      __conv_given=
    fi
    builtin jobs >/dev/null
    PROMPT_COMMAND=${quote(promptCommand(folder))}
    PS1='\\036${promptMark(folder)}\\036' PS2=
    __conv_python=$(builtin command -p stty sane -echo -onlcr iutf8 </dev/tty; builtin type -P python || builtin type -P python3)
    builtin read -r __conv_nonce <${at('nonce')} || builtin exit "$__conv_status"
    builtin read -r __conv_sequence <${at('sequence')}
    builtin printf '\\036%sE%s\\037%s\\037%s\\037%s\\037%s\\036%s' "$__conv_nonce" "$__conv_sequence" "$__conv_status" \\
      "\${!:-}" "$__conv_python" "$PWD" "$__conv_nonce" >/dev/tty
    while ((__conv_failed < 100)); do
      IFS= builtin read -r __conv_line </dev/tty || { ((__conv_failed++)); continue; }
      if [[ $__conv_line == ${quote(runLine(folder, 'values'))} ]]; then
        __conv_take <${at('values')} || continue
      elif [[ $__conv_line != ${quote(runLine(folder, 'no values'))} ]]; then
        continue
      fi
      builtin read -r __conv_sequence <${at('sequence')}
      builtin printf '\\036%sS%s\\037%s\\036%s' "$__conv_nonce" "$__conv_sequence" "$__conv_refused" "$__conv_nonce" >/dev/tty
      return 0
    done
    builtin exit 1
  }
`;
}

/** Returns the text as one word of a shell command. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
