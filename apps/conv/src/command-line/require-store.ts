import type { Command } from 'commander';

/** Commands that create a missing store, and commands whose argument can name the store, which check it themselves. */
const EXEMPT: ReadonlySet<string> = new Set(['acp', 'run', 'serve', 'check', 'backup']);

/**
 * Makes every command that creates no store fail if the store in its options does not exist. The default store may be created
 * later.
 */
export function requireStore(root: Command): void {
  root.hook('preAction', async (_, command) => {
    const address = namedStore(command);
    if (address === undefined || EXEMPT.has(command.name()) || isNewChat(command)) return;
    const { checkStoreThere } = await import('../conversation/store-there.ts');
    checkStoreThere(address);
  });
}

/** Returns the store that an option names, `--from` of an earlier version included. */
function namedStore(command: Command): string | undefined {
  const { store, from } = command.opts<{ readonly store?: string; readonly from?: string }>();
  return from ?? (isStoreNamed(command) ? store : undefined);
}

/** True if the store of a command is named by an option. */
export function isStoreNamed(command: Command): boolean {
  return command.getOptionValueSource('store') === 'cli' || command.getOptionValue('dir') !== undefined;
}

function isNewChat(command: Command): boolean {
  const [first = '-'] = command.args;
  return command.name() === 'chat' && first === '-' && command.getOptionValue('last') !== true;
}
