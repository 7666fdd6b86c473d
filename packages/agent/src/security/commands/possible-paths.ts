import type { ShellWord } from '../shell/word.ts';

const DASH = 45;

/** Gives the settings of a project to a program as variables, and shows none. */
const ENVIRONMENT = '--env-file';
const SETTINGS = /^(?:\.\/)?(?:[\w-]+\/)*\.env(?:\.\w+)*$/;

/**
 * Returns the words that may name files, whatever the options mean. Values of options may, and so may a text that is
 * joined to an option. A number or a pattern among them names no file that is guarded.
 */
export function possiblePaths(words: readonly ShellWord[]): readonly ShellWord[] {
  const found: ShellWord[] = [];
  let isEnded = false;
  let before = '';
  for (const word of words) {
    const { text } = word;
    const isSettings = before === ENVIRONMENT && SETTINGS.test(text);
    before = text;
    if (isSettings) continue;
    if (isEnded || text.length < 2 || text.charCodeAt(0) !== DASH) found.push(word);
    else if (text === '--') isEnded = true;
    else for (const path of joinedPaths(text)) found.push({ ...word, text: path });
  }
  return found;
}

/** Paths that are joined to an option: `--file=path`, `-fpath`, `-nfpath`. */
function joinedPaths(text: string): readonly string[] {
  const equals = text.indexOf('=');
  if (text.slice(0, equals) === ENVIRONMENT && SETTINGS.test(text.slice(equals + 1))) return [];
  const paths = equals === -1 ? [] : [text.slice(equals + 1)];
  if (text.charCodeAt(1) === DASH || text.length < 4) return paths;
  const start = text.search(/[/~.\0]/);
  return start > 2 ? [...paths, text.slice(2), text.slice(start)] : [...paths, text.slice(2)];
}
