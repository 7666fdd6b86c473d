import process from 'node:process';

import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

import { bashCompletion } from './bash-completion.ts';
import { COMPLETION } from './completion-name.ts';
import { knownIds } from './known-ids.ts';

/**
 * Adds the command that prints the script for a shell, and the hidden command by which the script asks what may come next. `words` are
 * what was typed so far, if that is asked about: ids are read from the store or the server that they name.
 */
export async function addCompletion(root: Command, defaultStore: string, words?: readonly string[]): Promise<void> {
  const completed = tab(root, { completionCommandName: COMPLETION });
  const name = root.name();
  const print = (shell: string): void => {
    // the library's script for bash needs a package, and evaluates what was typed
    if (shell === 'bash') process.stdout.write(bashCompletion(name));
    else completed.setup(name, name, shell);
  };
  root.commands.find((command) => command.name() === COMPLETION)?.action(print);
  const [command = ''] = words ?? [];
  const ids = completed.commands.get(command)?.arguments;
  if (words === undefined || ids === undefined || words.length < 2 || words.at(-1)?.startsWith('-')) return;
  const argument = ids.get('id') ?? ids.get('ids');
  if (argument === undefined) return;
  const known = await knownIds(words, defaultStore);
  argument.handler = (complete) => {
    for (const { id, about } of known) complete(id, about);
  };
}
