import { UNKNOWN } from '../facts/places.ts';
import type { ShellReader } from '../shell/reader.ts';
import { NOTHING_KNOWN, Origin, type ShellWord } from '../shell/word.ts';
import { namesOf, operandsOf, type Program, valueOf } from '../commands/call.ts';
import { readFrom } from '../commands/file-access.ts';
import { runFile, runMade } from '../commands/made-text.ts';

const VALUE_OPTIONS = '-o -O --rcfile --init-file';

/** Shells such as sh and bash. */
const shellProgram: Program = (call) => {
  const { shell, texts, words, input } = call;
  const at = texts.findIndex((text) => /^-[a-z]*c$/.test(text) || text === '--command');
  if (at !== -1) {
    const script = words[at + 1];
    if (script === undefined) return;
    if ((script.origin & Origin.NETWORK) !== 0) shell.report('fetch-to-exec');
    else if ((script.origin & Origin.DECODED) !== 0) shell.report('decode-to-exec');
    if (script.text.trim() === UNKNOWN) {
      if (script.origin === Origin.NONE) shell.report('unseen-code');
      return;
    }
    return shell.variables.withArguments(words.slice(at + 3), () => shell.read(script.text, { input }));
  }
  if (shell.isRoot) shell.report('root-shell');
  const settings = valueOf(call, '--rcfile', '--init-file');
  if (settings) runFile(settings, 'shell', shell);
  const file = operandsOf(call, VALUE_OPTIONS)[0];
  const readsInput = file === undefined || texts.includes('-s') || file.text === '-' || file.text === '/dev/stdin';
  if (!readsInput) runScript(file, shell);
  else if (input !== undefined) runMade(input, 'shell', shell);
  return readsInput ? { text: undefined, origin: Origin.SHELL } : undefined;
};

const evaluate: Program = (call) => {
  const { shell, words, texts, input } = call;
  if (words.length === 0) return input && call.name !== 'eval' ? runMade(input, 'shell', shell) : undefined;
  const text = texts.join(' ');
  const origin = words.reduce((all, word) => all | word.origin, 0);
  if ((origin & Origin.NETWORK) !== 0) shell.report('fetch-to-exec');
  else if ((origin & Origin.DECODED) !== 0) shell.report('decode-to-exec');
  else if (text.trim() === UNKNOWN && (origin & Origin.FOUND) === 0) shell.report('unseen-code');
  if (text.trim() !== UNKNOWN) return shell.read(text);
};

/** powershell and cmd: the text behind `-Command` is read as far as bash would read it. */
const powershell: Program = ({ shell, texts, words, input }) => {
  if (texts.some((text) => /^[-/]e(?:nc?|ncodedcommand)?$/i.test(text))) shell.report('decode-to-exec');
  const at = texts.findIndex((text) => /^(?:-c(?:ommand)?|\/c|\/k)$/i.test(text));
  if (at === -1) return input ? runMade(input, 'shell', shell) : undefined;
  const text = words
    .slice(at + 1)
    .map((word) => word.text)
    .join(' ');
  if (FETCHES_AND_RUNS.test(text)) shell.report('fetch-to-exec');
  return shell.read(text, { isScript: false });
};

const FETCHES_AND_RUNS =
  /\b(?:iex|invoke-expression)\b.*\b(?:iwr|irm|invoke-(?:webrequest|restmethod)|downloadstring|curl|wget)\b/is;

const source: Program = ({ shell, words, input }) => {
  const [file] = words;
  if (file === undefined) return;
  if (file.text === '/dev/stdin') runMade(input ?? NOTHING_KNOWN, 'shell', shell);
  else runScript(file, shell);
};

/** Reports a script that is run. A shell shows the lines of a key that it takes for commands. */
function runScript(file: ShellWord, shell: ShellReader): void {
  if (!IS_SETTINGS.test(file.text)) readFrom(file.text, shell);
  runFile(file, 'shell', shell);
}

const IS_SETTINGS = /(?:^|\/)\.env[^/]*$/;

/** Shells, and commands that run a text in this one. */
export const shellPrograms: Readonly<Record<string, Program>> = {
  ...namesOf(shellProgram, 'sh bash zsh dash ksh mksh ash fish csh tcsh rbash'),
  ...namesOf(evaluate, 'eval iex invoke-expression'),
  ...namesOf(powershell, 'powershell pwsh cmd'),
  ...namesOf(source, 'source .'),
};
