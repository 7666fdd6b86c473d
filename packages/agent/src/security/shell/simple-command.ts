import type { Command } from 'unbash';
import { UNKNOWN } from '../facts/places.ts';
import { inputOf, type RedirectingShell, writeTargets } from './redirections.ts';
import { resolveInto, resolveOne, resolveWord } from './resolve.ts';
import { NO_TEXT, type Output, plainWord, type ShellWord } from './word.ts';

/** A shell that judges the commands in scripts. */
export interface RunningShell extends RedirectingShell {
  /** Runs a command of these words: a function of the script, or a program. */
  run(words: readonly ShellWord[], input: Output | undefined): Output;
  /** Judges a program with these arguments. */
  judge(words: readonly ShellWord[], input: Output | undefined): Output;
}

/** Runs a command: its assignments, its words, its redirections. `given`: its input unless it is redirected. */
export function runCommand(command: Command, given: Output | undefined, shell: RunningShell): Output {
  const words: ShellWord[] = [];
  let isRedirected = false;
  for (const part of command.prefix) {
    if (part.type === 'Assignment') {
      if (part.index) shell.evaluate(resolveOne(part.index, shell).text);
      assign(part, command.name !== undefined, shell);
    } else isRedirected = true;
  }
  if (command.name) resolveInto(words, command.name, shell);
  for (const part of command.suffix) {
    if (part.type === 'Word') resolveInto(words, part, shell);
    else if (part.type === 'Assignment') words.push(assignment(part, shell));
    else isRedirected = true;
  }
  if (!isRedirected) return shell.run(words, given);
  const { redirects } = command;
  const output = shell.run(words, inputOf(redirects, given, shell));
  writeTargets(redirects, words.length === 0 ? NO_TEXT : output, shell);
  return output;
}

/** Returns the word of an assignment behind a command, as in `export x=y`, or of an argument that looks like one. */
function assignment(part: Extract<Command['suffix'][number], { type: 'Assignment' }>, shell: RunningShell): ShellWord {
  if (part.index) shell.evaluate(resolveOne(part.index, shell).text);
  if (part.value.type === 'ArrayValue') {
    for (const element of part.value.elements) resolveWord(element, shell);
    return plainWord(`${part.name}=${UNKNOWN}`);
  }
  const { text, origin } = resolveOne(part.value, shell);
  return plainWord(`${part.name}=${text}`, origin);
}

/** Judges an assignment in front of a command, which holds for this command alone, or without a command. */
function assign(
  { name, value }: Extract<Command['prefix'][number], { type: 'Assignment' }>,
  isForOne: boolean,
  shell: RunningShell,
): void {
  const word: ShellWord =
    value.type === 'ArrayValue'
      ? plainWord(value.elements.map((one) => resolveOne(one, shell).text).join(' '))
      : resolveOne(value, shell);
  const assignment = { ...word, text: `${name}=${word.text}` };
  shell.judge([plainWord(isForOne ? 'env' : 'export'), assignment], undefined);
}
