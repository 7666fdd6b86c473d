import { UNKNOWN } from '../facts/places.ts';
import type { ShellReader } from '../shell/reader.ts';
import { NOTHING_KNOWN, Origin, type Output, type ShellWord } from '../shell/word.ts';
import { readCode } from './code.ts';

/** Commands that print settings for a shell, and nothing else. */
const PRINTS_SETTINGS = new Set(
  'ssh-agent|direnv|pyenv|rbenv|nodenv|goenv|jenv|conda|mamba|brew|starship|zoxide|fnm|mise|asdf|rtx|opam|dircolors|lesspipe|minikube|docker-machine|thefuck|gh|kubectl|helm|npm|register-python-argcomplete|pip|luarocks|fzf|nvm|volta|keychain|resize|tset|locale'.split(
    '|',
  ),
);

/** Runs a text whose language and origin are known. */
export function runMade(output: Output, language: 'shell' | 'code', shell: ShellReader): Output {
  const { text, origin } = output;
  if ((origin & Origin.NETWORK) !== 0) shell.report('fetch-to-exec');
  else if ((origin & Origin.DECODED) !== 0) shell.report('decode-to-exec');
  if (text !== undefined && text !== UNKNOWN) {
    if (language === 'code') readCode(text, shell);
    else {
      shell.report('piped-code');
      return shell.read(text);
    }
  } else if (output.file !== undefined) runFile({ text: output.file, origin }, language, shell);
  else if ((origin & (Origin.NETWORK | Origin.DECODED)) === 0) shell.report('unseen-code');
  return NOTHING_KNOWN;
}

export function runFile(word: ShellWord, language: 'shell' | 'code' | 'program', shell: ShellReader): void {
  if (word.output) return void runMade(word.output, language === 'code' ? 'code' : 'shell', shell);
  const made = shell.madeAt(word.text);
  if (made !== undefined) {
    const isKnown = made.text !== undefined && made.file === undefined;
    if (isKnown && language !== 'code') shell.read(made.text ?? '', { isScript: language === 'shell' });
    else if (isKnown) readCode(made.text ?? '', shell);
    else if ((made.origin & (Origin.NETWORK | Origin.DECODED)) !== 0) void runMade(made, 'shell', shell);
    else if (made.file === undefined) shell.report('unseen-code');
    return;
  }
  const { kind } = shell.place(word.text);
  if ((word.origin & Origin.NETWORK) !== 0 || shell.isFetched(word.text)) shell.report('fetch-to-exec');
  if (word.text === '/dev/stdin' || word.text === '-') return;
  // settings of the user are scripts, too, in hidden files
  const isOwnScript = kind === 'personal' && (language === 'program' || !/(?:^|\/)\.\w/.test(word.text));
  if (isOwnScript) shell.report('run-outside');
  if (kind === 'temporary' || kind === 'outside' || kind === 'unknown') shell.report('run-outside');
}

/** Commands whose output is meant to be evaluated. */
export function printsSettings(name: string): boolean {
  return PRINTS_SETTINGS.has(name);
}
