/** The files through which a shell and this process talk, all in one private folder. */
export const shellFiles = {
  startup: 'startup',
  driver: 'driver',
  nonce: 'nonce',
  sequence: 'sequence',
  command: 'command',
  processId: 'pid',
} as const;

/** The line that tells the shell to run what the command file holds. */
export function runLine(folder: string): string {
  return `run:${folder}`;
}

/** What the prompt says when the shell asks the terminal instead of our driver. */
export function promptMark(folder: string): string {
  return `prompt:${folder}`;
}

/** What bash reads first. */
export function startupScript(folder: string): string {
  const processId = quote(`${folder}/${shellFiles.processId}`);
  return `set +o history\necho $$ >${processId}\nexport PROMPT_COMMAND=${quote(promptCommand(folder))}\n`;
}

/**
 * The loop that takes commands. It stands in PROMPT_COMMAND, outside of any function or file: commands run as if typed,
 * `declare` is global, errors name no file of ours, and whatever throws bash back to its prompt (an interrupt, an unset
 * variable) enters the loop again. It is exported and the driver knows its process, so that it survives `exec bash` and
 * does nothing in nested shells.
 */
function promptCommand(folder: string): string {
  const driver = quote(`${folder}/${shellFiles.driver}`);
  const command = quote(`${folder}/${shellFiles.command}`);
  return [
    `. ${driver} 2>/dev/null`,
    'while { __conv_next; } 2>/dev/null',
    `do eval " $(<${command})"`,
    '{ __conv_status=$?; } 2>/dev/null',
    'done',
    '__conv_after=$?',
  ].join('; ');
}

/**
 * What stands between two commands: puts shell and terminal in order, reports how the last command ended, waits for the
 * line that starts the next one and drops all others, which were input for a program that did not read them.
 * Everything goes through /dev/tty, because commands may redirect the shell's own streams. Runs in bash 3.2 (macOS).
 */
export function driverScript(folder: string): string {
  const at = (file: keyof typeof shellFiles): string => quote(`${folder}/${shellFiles[file]}`);
  return `__conv_status=\${__conv_after:-$?}
unset __conv_after
read -r __conv_process <${at('processId')}
if [ "$$" != "$__conv_process" ]; then
  __conv_next() { return 1; }
else
  __conv_next() {
    builtin local TMOUT= IFS=' ' line nonce sequence python failed=0
    builtin set +exv
    builtin jobs >/dev/null
    PROMPT_COMMAND=${quote(promptCommand(folder))}
    PS1='\\036${promptMark(folder)}\\036' PS2=
    python=$(builtin command -p stty sane -echo -onlcr iutf8 </dev/tty; builtin type -P python || builtin type -P python3)
    builtin read -r nonce <${at('nonce')} || builtin exit "$__conv_status"
    builtin read -r sequence <${at('sequence')}
    builtin printf '\\036%sE%s\\037%s\\037%s\\037%s\\037%s\\036%s' \\
      "$nonce" "$sequence" "$__conv_status" "\${!:-}" "$python" "$PWD" "$nonce" >/dev/tty
    while ((failed < 100)); do
      IFS= builtin read -r line </dev/tty || { ((failed++)); continue; }
      if [[ $line == ${quote(runLine(folder))} ]]; then
        builtin read -r sequence <${at('sequence')}
        builtin printf '\\036%sS%s\\036%s' "$nonce" "$sequence" "$nonce" >/dev/tty
        return 0
      fi
    done
    builtin exit 1
  }
fi
`;
}

/** The text as one word of a shell command. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
