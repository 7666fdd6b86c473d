// set by those who start us, and wrong or dangerous for a shell of its own
const NEVER_PASSED =
  /^(?:BASH_ENV|ENV|PROMPT_COMMAND|PS[0-4]|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|TMUX.*|STY|WINDOW.*|TERMCAP|COLUMNS|LINES|OLDPWD|TMOUT)$/;

/** The environment of a shell: what is passed on from ours, and what keeps programs from asking for a screen or a person. */
export function shellEnvironment(names?: readonly string[]): Readonly<Record<string, string>> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value === undefined || NEVER_PASSED.test(name)) continue;
    if (!names || names.includes(name)) environment[name] = value;
  }
  return { ...environment, PAGER: 'cat', GIT_PAGER: 'cat', MANPAGER: 'cat', HISTFILE: '', GIT_TERMINAL_PROMPT: '0' };
}
