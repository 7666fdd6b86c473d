import { absolute, type PlaceKind, UNKNOWN } from '../facts/places.ts';
import type { ShellReader } from '../shell/reader.ts';
import { PARENT } from '../shell/variables.ts';
import { Origin } from '../shell/word.ts';
import { assign } from '../commands/assignments.ts';
import { runFile } from '../commands/made-text.ts';
import { evaluateNames } from '../commands/evaluated.ts';
import { hasOption, namesOf, operandsOf, type Program, valueOf } from '../commands/call.ts';

const cd: Program = (call) => {
  const { variables, world } = call.shell;
  const target = operandsOf(call)[0]?.text ?? (call.name === 'popd' ? '-' : '~');
  const { folder } = variables;
  variables.folder = target === '-' ? variables.previous : absolute(target, folder, world.home);
  variables.previous = folder;
  variables.visited?.add(variables.folder);
  return { text: '', origin: 0 };
};

/**
 * Reports an assignment after which the shell tells a folder that it is not in, or enters another folder than it is
 * told. The results of later commands would not show that the shell has left the workspace.
 */
function setsFolder(assignment: string, shell: ShellReader): void {
  const [, name, value = ''] = /^(PWD|OLDPWD|CDPATH)\+?=(.*)$/s.exec(assignment) ?? [];
  if (name === undefined || value === '') return;
  const here = shell.place('.').names.join('/');
  const isHere = name !== 'CDPATH' && shell.place(value).names.join('/') === here;
  const isNear = name === 'CDPATH' && value.split(':').every((one) => isIn(shell.place(one).kind));
  if (!isHere && !isNear) shell.report('hidden-folder');
}

function isIn(kind: PlaceKind): boolean {
  return kind === 'inside' || kind === 'workspace';
}

/** Sets variables by name: `read x`, `mapfile x`. A callback of `mapfile` is a command. */
const read: Program = (call) => {
  const { input, shell } = call;
  const callback = valueOf(call, '-C');
  if (callback) shell.read(callback.text, { isScript: false });
  const value = { text: (input?.text ?? UNKNOWN).split('\n', 1)[0] ?? UNKNOWN, origin: input?.origin ?? 0 };
  for (const { text } of operandsOf(call, '-d -n -N -p -t -u -i -C -c -O -s')) {
    shell.variables.set(text, value);
    setsFolder(`${text}=${value.text}`, shell);
  }
  evaluateNames(call, '-d -n -N -p -t -u -i -C -c -O -s');
};

/** `export x=y`, `declare`, `local`. */
const declare: Program = (call) => {
  // a reference to another variable may stand for any
  const isReference = call.name !== 'export' && hasOption(call.texts, 'n', '');
  for (const { text } of call.words)
    if (isReference && /^[A-Za-z_]\w*=/.test(text))
      call.shell.variables.set(text.slice(0, text.indexOf('=')), { text: UNKNOWN, origin: 0 });
  const isFixed = call.name === 'readonly' || hasOption(call.texts, 'r', '');
  for (const { text } of call.words) if (isFixed && text === 'PWD') call.shell.report('hidden-folder');
  for (const { text } of call.words) setsFolder(text, call.shell);
  for (const word of call.words) if (!isReference && /^[A-Za-z_]\w*\+?=/.test(word.text)) assign(call, word);
  evaluateNames(call);
  // the value of a number or of a reference is evaluated, too
  if (call.name !== 'export' && hasOption(call.texts, 'ni', ''))
    for (const { text } of call.words) call.shell.evaluate(text.slice(text.indexOf('=') + 1));
  const isAll = call.texts.includes('-p') || call.words.length === 0;
  return { text: call.words.length === 0 ? undefined : '', origin: isAll ? Origin.SECRET : 0 };
};

const unset: Program = (call) => {
  if (call.texts.includes('HISTFILE')) call.shell.report('hide-traces');
  evaluateNames(call);
};

/** Evaluates each operand as an expression. */
const calculate: Program = ({ texts, shell }) => {
  for (const text of texts) shell.evaluate(text);
};

/** `getopts`, `wait`: an operand names a variable. */
const names: Program = (call) => {
  evaluateNames(call);
};

/** Prints all variables, which may hold keys; harmless as long as they stay here. */
const environment: Program = ({ words }) =>
  words.length === 0 ? { text: undefined, origin: Origin.SECRET } : { text: undefined, origin: 0 };

const history: Program = ({ texts, shell }) => {
  if (texts.some((text) => /^-[cdw]/.test(text))) shell.report('hide-traces');
  return { text: undefined, origin: Origin.SECRET };
};

/** Loads a command of the shell from a file of machine code, which runs in the shell itself. */
const enable: Program = (call) => {
  if (valueOf(call, '-f')) call.shell.report('injected-program');
};

/** `hash -p file name`: the name runs the file from now on. */
const hash: Program = (call) => {
  const file = valueOf(call, '-p');
  if (!file) return;
  call.shell.report('injected-program');
  runFile(file, 'program', call.shell);
};

/** `complete -C '…'`, `bind -x '"key": …'`: the shell runs a command at a key. */
const keys: Program = (call) => {
  const line = valueOf(call, '-C', '-F', '-x');
  if (line) call.shell.read(line.text.replace(/^"[^"]*":\s*/, ''), { isScript: false });
  const list = valueOf(call, '-W');
  if (list) call.shell.evaluate(list.text);
};

const trap: Program = ({ words, texts, shell }) => {
  const [script] = words;
  if (script === undefined || script.text === '-' || script.text === '') return;
  if (texts.slice(1).some((text) => /^(?:(?:SIG)?EXIT|0)$/i.test(text))) shell.atExit(script.text);
  else shell.read(script.text);
};

const exit: Program = ({ shell }) => shell.exits();

const alias: Program = ({ words, shell }) => {
  for (const { text } of words) {
    const at = text.indexOf('=');
    if (/^(?:cd|pushd|popd)=/.test(text)) shell.report('hidden-folder');
    if (at !== -1) shell.read(text.slice(at + 1));
  }
};

/** True if a word names the process that started the shell. */
export function namesParent(word: string): boolean {
  return word.includes(PARENT);
}

/** Commands by which a shell changes itself. */
export const builtinPrograms: Readonly<Record<string, Program>> = {
  unset,
  history,
  enable,
  trap,
  exit,
  alias,
  let: calculate,
  hash,
  ...namesOf(keys, 'complete compgen bind'),
  ...namesOf(names, 'getopts wait'),
  ...namesOf(cd, 'cd pushd popd chdir'),
  ...namesOf(read, 'read mapfile readarray'),
  ...namesOf(declare, 'export declare local readonly typeset set'),
  ...namesOf(environment, 'printenv'),
};
