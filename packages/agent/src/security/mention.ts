import { wordSet } from './rule.ts';
import { programsOf, type ShellCommand } from './shell-commands.ts';

const ONLY_SEARCH = wordSet('grep egrep fgrep zgrep rg which apropos');
const GIT_WORDS = wordSet('commit tag');

/** The program that a command runs, when nothing stands before it that could make it another. */
export function plainProgram(command: ShellCommand): string {
  // The word behind a redirection's sign is a file, however it is called.
  const isRedirected = command.words.slice(0, 2).some((word) => /[<>]/.test(word));
  return isRedirected ? '' : (programsOf(command)[0] ?? '');
}

/** Whether a command only speaks of others: what it searches for, and what a commit is called. */
export function isMention(command: ShellCommand): boolean {
  const program = plainProgram(command);
  // That option of rg runs a program for each file.
  if (ONLY_SEARCH.has(program)) return !command.words.some((word) => word.startsWith('--pre'));
  return program === 'git' && command.words[0] === 'git' && GIT_WORDS.has(command.words[1] ?? '');
}
