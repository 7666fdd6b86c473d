import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

import { COMPLETION } from './completion-name.ts';

/** Adds the command that prints the script for a shell, and the hidden command by which the script asks what may come next. */
export function addCompletion(root: Command): void {
  tab(root, { completionCommandName: COMPLETION });
}
