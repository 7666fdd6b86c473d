import { ConversationState } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { userMessage } from '@conv/core/events';
import { copyConversation } from '@conv/store-kit';
import { makeTwins, see } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { BUCKET, testBucket, type TestBucket } from './test-bucket.ts';

/** A conversation that was closed, and then written on by two more owners, each of which set the policy and closed it. */
interface SetBack {
  readonly bucket: TestBucket;
  readonly id: string;
  /** The manifests as each owner left them, oldest first. */
  readonly manifests: readonly Buffer[];
  readonly putBack: (manifest: Buffer) => void;
}

const POLICIES = [
  { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: true },
  { kind: 'AlwaysConfirm' },
] as const;

async function written(): Promise<SetBack> {
  const bucket = await testBucket();
  const store = bucket.store();
  const { lax: id } = await makeTwins(store, 3);
  const key = bucket.server.keys(BUCKET).find((name) => name.endsWith(`/${id.replaceAll('-', '')}.json`)) as string;
  const now = (): Buffer => Buffer.from(bucket.server.body(BUCKET, key) as Buffer);
  const manifests = [now()];
  for (const confirmationPolicy of POLICIES) {
    const { kind } = confirmationPolicy;
    const state = await ConversationState.open(await store.open(id, { owner: kind }), { id });
    await state.update({ set: { confirmationPolicy } });
    await state.append([userMessage(`later ${kind}`)]);
    await state.close();
    manifests.push(now());
  }
  await store.close();
  return { bucket, id, manifests, putBack: (manifest) => bucket.server.damage(BUCKET, key, () => manifest) };
}

const WORDS = ['lax---', 'lax---', 'lax---', 'later', 'later'];

test.each([0, 1])(
  'P4 P10: manifest %i of a closed conversation, put back beside newer slots, hides none of them',
  async (at) => {
    const { bucket, id, manifests, putBack } = await written();
    putBack(manifests[at] as Buffer);
    const seen = await see(bucket.store(), id);
    expect(seen).toMatchObject({ words: WORDS, lost: [], fields: { confirmationPolicy: { kind: 'AlwaysConfirm' } } });
    expect(seen.findings).toContain('manifest stale');
    const target = new MemoryStore();
    await copyConversation(id, bucket.store(), target);
    expect((await see(target, id)).words).toEqual(WORDS);
    const { findings } = await bucket.store().check(id, { repair: true });
    expect(findings).toContainEqual(expect.objectContaining({ part: 'manifest', severity: 'stale', repaired: true }));
    expect(await see(bucket.store(), id)).toMatchObject({ words: WORDS, findings: [] });
  },
);

test('P1: the next owner of a conversation with an old manifest appends after the newest slot', async () => {
  const { bucket, id, manifests, putBack } = await written();
  putBack(manifests[0] as Buffer);
  const state = await ConversationState.open(await bucket.store().open(id, { owner: 'next' }), { id });
  expect(state.fields).toMatchObject({ confirmationPolicy: { kind: 'AlwaysConfirm' }, damaged: false });
  await state.append([userMessage('next')]);
  await state.close();
  expect(await see(bucket.store(), id)).toMatchObject({ words: [...WORDS, 'next'], lost: [], findings: [] });
});

test('P4: an old manifest beside newer slots of which the last is gone names nothing that no object proves', async () => {
  const { bucket, id, manifests, putBack } = await written();
  const slots = bucket.server
    .keys(BUCKET)
    .filter((key) => key.includes(id.replaceAll('-', '')) && key.includes('/slot-'));
  putBack(manifests[1] as Buffer);
  bucket.server.damage(BUCKET, slots.at(-1) as string, () => undefined);
  expect(await see(bucket.store(), id)).toMatchObject({
    words: WORDS.slice(0, 4),
    fields: { confirmationPolicy: { kind: 'AlwaysConfirm' } },
  });
});
