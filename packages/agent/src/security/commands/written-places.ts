import type { ShellReader } from '../shell/reader.ts';
import type { Call } from './call.ts';
import { writeTo } from './file-access.ts';

/** Names of options whose value is written. */
const IS_OUTPUT = /(?:^|-)out(?:put|file|dir)?(?:-|$)|(?:^|-)output|(?:^|-)write(?:-|$)|(?:^|-)dest(?:ination)?(?:-|$)/;
/** Names of options whose value may be written. */
const MAY_BE_OUTPUT = /(?:^|-)(?:dir|directory|file|prefix)$/;
const IS_INPUT = /from|input|config|env|root|work|project|source|src|cache|ignore|exclude|include|test|key|cert/;
/** Options after which a program writes the files that it is given. */
const IN_PLACE = /^--(?:write|fix|in-?place|overwrite)$/;

/**
 * Reports places outside of the workspace that options name as places to write. `letters`: short options whose value is
 * written; `-C` and `-d` may as well name a folder that is read.
 */
export function writeNamed({ texts, shell }: Pick<Call, 'texts' | 'shell'>, letters: string): void {
  for (const [at, text] of texts.entries()) {
    const [, letter = '', joined = ''] = /^-([a-zA-Z])((?:[/~]|\.\.).*)?$/s.exec(text) ?? [];
    const [, name = '', value] = /^--?([a-zA-Z][\w-]+)(?:=(.*))?$/s.exec(text) ?? [];
    const isShort = letter !== '' && letters.includes(letter);
    const path = isShort ? joined || texts[at + 1] : (value ?? texts[at + 1]);
    if (path === undefined || !isElsewhere(path, shell)) continue;
    const long = name.toLowerCase();
    if (isShort ? /[oO]/.test(letter) : IS_OUTPUT.test(long)) writeTo(path, shell);
    else if (isShort || (MAY_BE_OUTPUT.test(long) && !IS_INPUT.test(long))) shell.report('write-outside');
  }
  if (!texts.some((text) => IN_PLACE.test(text))) return;
  for (const text of texts) if (isElsewhere(text, shell)) writeTo(text, shell);
}

/** True for a path that leads out of the workspace by its text. A single slash is a sign between fields. */
function isElsewhere(path: string, shell: ShellReader): boolean {
  if (path.length < 2 ? path !== '~' : !/^(?:[/~]|\.\.(?:\/|$))/.test(path)) return false;
  const { kind } = shell.place(path);
  return kind !== 'inside' && kind !== 'workspace' && kind !== 'temporary' && kind !== 'stream';
}
