import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { toConversationKey } from '@conv/core/store';
import { makeTwins, see } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';
import { FsStore } from '../../src/index.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const STRICT = { confirmationPolicy: { kind: 'AlwaysConfirm' }, maxIterations: 5 };

test.each([5, 9])(
  'P4: the snapshot of another conversation of %i messages changes no state and proves no loss',
  async (messages) => {
    const directory = await freshFolder();
    const store = new FsStore({ directory });
    onTestFinished(() => store.close());
    const { strict } = await makeTwins(store, 5);
    const { lax } = await makeTwins(store, messages);
    const [own, other] = [strict, lax].map((id) => join(directory, toConversationKey(id), '.conv/snapshot'));
    copyFileSync(other as string, own as string);
    const expected = {
      words: Array<string>(5).fill('strict'),
      lost: [],
      fields: { ...STRICT, damaged: false, id: strict },
    };
    expect(await see(store, strict)).toMatchObject({ ...expected, findings: ['snapshot damaged'] });
    expect((await store.check(strict, { repair: true })).findings).toMatchObject([{ repaired: true }]);
    expect(await see(store, strict)).toMatchObject({ ...expected, findings: [] });
  },
);

test('P6: the snapshot that a fork takes over from its source is its own', async () => {
  const store = new FsStore({ directory: await freshFolder() });
  onTestFinished(() => store.close());
  const { strict } = await makeTwins(store, 5);
  const fork = '00000000-0000-4000-8000-00000000000f';
  await store.fork(strict, fork, { patch: { set: { id: fork } } });
  const reader = await store.read(fork);
  expect(await reader?.snapshot()).toMatchObject({ seq: 7 });
  expect(await see(store, fork)).toMatchObject({ fields: { ...STRICT, id: fork }, findings: [] });
});
