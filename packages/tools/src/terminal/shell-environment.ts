// set for the shell or program that started this process, and wrong or dangerous for another shell
const NEVER_PASSED =
  /^(?:BASH_ENV|ENV|PROMPT_COMMAND|PS[0-4]|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|TMUX.*|STY|WINDOW.*|TERMCAP|COLUMNS|LINES|OLDPWD|TMOUT|__conv_.*)$/;

// a word between underscores, at the end, or before a number: TOKEN is a word of GITHUB_TOKEN but not of
// TOKENIZERS_PARALLELISM
const CREDENTIAL_WORD =
  /(?:^|_)(?:[A-Z]*(?:API|ACCESS|SECRET|PRIVATE|SIGNING|MASTER|AUTH)?KEYS?|[A-Z]*TOKENS?|[A-Z]*SECRETS?|[A-Z]*PASSWORDS?|PASSWD|PASS|PWD|[A-Z]*PASSPHRASE|[A-Z]*CREDENTIALS?|CREDS|PAT|AUTH|AUTHORIZATION|COOKIES?|DSN|JWT|CONNECTION_STRING)(?:_|$)/i;
const CREDENTIAL_FAMILY = /^AWS_/i;
// the shell's folder and the socket of the SSH agent: they hold no key, and programs need them
const HARMLESS = /^(?:PWD|SSH_AUTH_SOCK)$/;
const PROXY = /^[a-z]+_proxy$/i;
const CREDENTIAL_VALUE = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s]*:[^/@\s]+@|-----BEGIN [A-Z ]*PRIVATE KEY-----/i;

/**
 * Returns the environment of a shell: variables of this process, and variables that keep programs from asking for a
 * screen or a person. Without names, all variables are passed on, except variables that look like credentials of this
 * process.
 */
export function shellEnvironment(names?: readonly string[]): Readonly<Record<string, string>> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value === undefined || NEVER_PASSED.test(name)) continue;
    if (names ? names.includes(name) : !looksLikeCredential(name, value)) environment[name] = value;
  }
  return { ...environment, PAGER: 'cat', GIT_PAGER: 'cat', MANPAGER: 'cat', HISTFILE: '', GIT_TERMINAL_PROMPT: '0' };
}

function looksLikeCredential(name: string, value: string): boolean {
  if (HARMLESS.test(name)) return false;
  if (CREDENTIAL_WORD.test(name) || CREDENTIAL_FAMILY.test(name)) return true;
  // without its proxy a shell reaches nothing, so the proxy's password goes with it
  return CREDENTIAL_VALUE.test(value) && !PROXY.test(name);
}
