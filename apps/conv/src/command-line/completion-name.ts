import type { Command } from 'commander';

/** The command that prints the completion script of a shell. */
export const COMPLETION = 'completion';

/** The command that completion scripts call. */
const ASKED = 'complete';

/** True if these arguments are about completion, whose library is loaded for them alone. */
export function isCompletion([first]: readonly string[]): boolean {
  return first === COMPLETION || first === ASKED;
}

/** Returns the words to complete; `undefined` if the shell does not ask for completion. */
export function askedWords([first, ...rest]: readonly string[]): readonly string[] | undefined {
  return first === ASKED ? rest.filter((word, at) => at > 0 || word !== '--') : undefined;
}

/** Describes the command in the help of the program. */
export function describeCompletion(root: Command): void {
  root
    .command(COMPLETION)
    .description('print the completion script for bash, zsh, fish or powershell')
    .argument('<shell>');
}
