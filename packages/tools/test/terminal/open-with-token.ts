import { createHash, randomBytes } from 'node:crypto';

import type { ToolFactory } from '@conv/core/tool';
import { expect } from 'vitest';

import { textOf } from '../open-tool.ts';
import { fakeSecrets } from '../support/fake-secrets.ts';
import { openTerminal, type TerminalFixture } from './open-terminal.ts';
import { terminal } from './tested-terminal.ts';

/** New each time, as test runners keep copies of their files. */
export const VALUE = `tok-${randomBytes(8).toString('hex')}`;

/** Prints the hash of what a program finds in its environment: a value would be masked, a hash is not. */
export const ENVIRONMENT_HASH = `node -e 'process.stdout.write(crypto.createHash("sha256").update(process.env.TOKEN ?? "none").digest("hex"))'`;

/** Prints where a shell could still show a value. */
const EVERYWHERE = `echo "$_"; env; export -p; set; declare -p; compgen -v; tr '\\0' '\\n' </proc/$$/environ; fc -l; jobs -l`;

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A terminal in a conversation that has the secret TOKEN. */
export function openWithToken(factory: ToolFactory = terminal()): Promise<TerminalFixture> {
  return openTerminal(factory, { secrets: fakeSecrets({ TOKEN: VALUE }) });
}

/** Output is masked, so that a leak shows as the mask; a variable that is left over shows as its name. */
export async function expectForgotten(shell: TerminalFixture): Promise<void> {
  const shown = textOf(await shell.run(EVERYWHERE));
  expect(shown).toContain('PROMPT_COMMAND');
  expect(shown).not.toContain('<secret-hidden>');
  expect(shown).not.toMatch(/\bTOKEN\b/);
  expect(shown).not.toMatch(/^__conv_(?:lines?|old|saved)=/m);
}
