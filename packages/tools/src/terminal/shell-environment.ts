import { checks } from '@conv/core';

// set for the shell or program that started this process, and wrong or dangerous for another shell
const NEVER_PASSED =
  /^(?:BASH_ENV|ENV|PROMPT_COMMAND|PS[0-4]|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|TMUX.*|STY|WINDOW.*|TERMCAP|COLUMNS|LINES|OLDPWD|TMOUT|__conv_.*)$/;

// a word between underscores, at the end, or before a number: TOKEN is a word of GITHUB_TOKEN and GITHUB_TOKEN2 but not of
// TOKENIZERS_PARALLELISM
const CREDENTIAL_WORD =
  /(?:^|_)(?:[A-Z]*(?:API|ACCESS|SECRET|PRIVATE|SIGNING|MASTER|AUTH)?KEYS?|[A-Z]*TOKENS?|[A-Z]*SECRETS?|[A-Z]*PASSWORDS?|[A-Z]*PASSWD|PASS|SSHPASS|PASSCODE|PWD|PSWD|PW|PSK|[A-Z]*PASSPHRASE|SEED_PHRASE|MNEMONIC|[A-Z]*CREDENTIALS?|CREDS?|PAT|AUTH|AUTHORIZATION|BEARER|COOKIES?|DSN|JWT|CONN(?:ECTION)?_?STR(?:ING)?S?)\d*(?:_|$)/i;
// the keys of AWS, and sessions that password managers keep in the environment
const CREDENTIAL_FAMILY = /^(?:AWS_|BW_SESSION$|OP_SESSION_)/i;
// a list of headers, as exporters of traces and HTTP clients take it: keys travel in them
const HEADERS_NAME = /(?:^|_)HEADERS?(?:_|$)/i;
const HEADERS_VALUE = /^[\s"'{[]*[\w-]+["']?\s*[=:]/;
// an address to which any program that knows it can post, or a list of such addresses with keys and headers
const WEBHOOK_NAME = /(?:^|_)WEBHOOKS?(?:_|$)/i;
const HOOK_NAME = /(?:^|_)(?:[A-Z]*HOOKS?)(?:_|$)/i;
const HOOK_VALUE = /^\s*[[{]|https?:\/\//i;
// the shell's folder and the socket of the SSH agent: they hold no key, and programs need them
const HARMLESS = /^(?:PWD|SSH_AUTH_SOCK)$/;
const PROXY = /^[a-z]+_proxy$/i;
const CREDENTIAL_VALUE = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s]*:[^/@\s]+@|-----BEGIN [A-Z ]*PRIVATE KEY-----/i;
// a parameter of an address or of a connection string
const CREDENTIAL_PARAMETER =
  /(?:^|[?&;])\s*(?:[\w-]*(?:password|passwd|secret|token|(?:api|access|account)[-_]?key)|pwd|sig|signature)\s*=\s*[^\s&;]/i;

/**
 * Returns the environment of a shell: variables of this process, and variables that keep programs from asking for a
 * screen or a person. Without names, all variables are passed on, except variables that look like credentials of this
 * process.
 */
export function shellEnvironment(names?: readonly string[]): Readonly<Record<string, string>> {
  if (names !== undefined && !Array.isArray(names))
    throw new TypeError(checks.wrongValue('shellEnvironment: names', "a list such as ['PATH']", names));
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
  if (HEADERS_NAME.test(name) && HEADERS_VALUE.test(value)) return true;
  if (WEBHOOK_NAME.test(name) || (HOOK_NAME.test(name) && HOOK_VALUE.test(value))) return true;
  if (CREDENTIAL_PARAMETER.test(value)) return true;
  // without its proxy a shell reaches nothing, so the proxy's password goes with it
  return CREDENTIAL_VALUE.test(value) && !PROXY.test(name);
}
