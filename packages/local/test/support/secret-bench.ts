import { toCommitSeq } from '@conv/core/store';
import type { FaultyStore } from '@conv/testing-harness';

import type { LocalConversationOptions } from '../../src/index.ts';
import { play, type Bench } from './bench.ts';
import { FakeVault } from './fake-vault.ts';
import type { Script } from './scripted-agent.ts';

export const VALUE = 'correct-horse-battery';
export const OTHER = 'staple-staple-staple';
export const VAULT = { secrets: (options: ConstructorParameters<typeof FakeVault>[0]) => new FakeVault(options) };
export const GIVEN = { secrets: { TOKEN: VALUE } };

/** A conversation with a secret, and a message that waits for an answer. */
export async function withSecret(script: Script = {}, options: LocalConversationOptions = GIVEN): Promise<Bench> {
  const bench = await play(script, options, VAULT);
  await bench.conversation.sendMessage('go');
  return bench;
}

/** Everything that is stored, as text. */
export async function stored(store: FaultyStore, id: string): Promise<string> {
  const reader = await store.read(id);
  return JSON.stringify(reader && (await Array.fromAsync(reader.commits({ from: toCommitSeq(0) }))));
}
