import { SECRET_MASK, type TokenDelta } from '@conv/core';
import { expect, test } from 'vitest';

import { play } from '../support/bench.ts';
import { FakeVault } from '../support/fake-vault.ts';

const VALUE = 'correct-horse-battery';

/** Returns the published pieces of an answer in a conversation with a secret. */
async function shownOf(...pieces: readonly TokenDelta[]): Promise<readonly TokenDelta[]> {
  const { conversation } = await play(
    {
      think: ({ context }) => {
        for (const piece of pieces) context.onToken?.(piece);
        return 'done';
      },
    },
    { secrets: { TOKEN: VALUE } },
    { secrets: (options) => new FakeVault(options) },
  );
  const shown: TokenDelta[] = [];
  conversation.subscribe({ onToken: (delta) => void shown.push(delta) });
  await conversation.sendMessage('go');
  await conversation.run();
  return shown;
}

test('text held back in a broken attempt is not shown after the next attempt', async () => {
  const shown = await shownOf(
    { kind: 'text', attempt: 1, text: 'first correct-ho' },
    { kind: 'reasoning', attempt: 2, text: 'hm correct-' },
    { kind: 'text', attempt: 2, text: 'second correct-ho' },
  );
  expect(shown.map(({ attempt }) => attempt)).toEqual([1, 2, 2, 2, 2]);
  const said = (attempt: number, kind: string): string =>
    shown.filter((delta) => delta.attempt === attempt && delta.kind === kind).reduce((all, { text }) => all + text, '');
  expect([said(1, 'text'), said(2, 'text'), said(2, 'reasoning')]).toEqual([
    'first ',
    `second ${SECRET_MASK}`,
    `hm ${SECRET_MASK}`,
  ]);
});

test('P9: a value is masked in a later try too', async () => {
  const shown = await shownOf(
    { kind: 'text', attempt: 1, text: VALUE.slice(0, 9) },
    { kind: 'text', attempt: 2, text: VALUE.slice(0, 9) },
    { kind: 'text', attempt: 2, text: VALUE.slice(9) },
  );
  expect(shown.map(({ text }) => text).join('')).not.toContain('correct');
});
