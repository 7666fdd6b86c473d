import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@conv/core';
import { toConversationKey } from '@conv/core/store';
import { expect, onTestFinished, test } from 'vitest';
import { FsStore } from '../../src/index.ts';
import { Author } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const EVENTS = 4000;
const ALWAYS = { kind: 'AlwaysConfirm' } as const;

test('P7: a change of policy or HEAD waits for its own files only, and no later write reverts it', async () => {
  const directory = await freshFolder();
  const store = new FsStore({ directory, mirror: 'deferred' });
  onTestFinished(() => store.close());
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'ours' });
  await author.begin(journal);
  await Promise.all(Array.from({ length: EVENTS }, (_, number) => author.say(journal, `message ${number}`)));
  const folder = join(directory, toConversationKey(author.id));
  const base = (): JsonObject => JSON.parse(readFileSync(join(folder, 'base_state.json'), 'utf8')) as JsonObject;
  const written = (): number => readdirSync(join(folder, 'events')).length;

  let complete = false;
  const completed = store.mirrorComplete(author.id).then(() => (complete = true));
  await author.change(journal, { set: { confirmationPolicy: ALWAYS } });
  expect(base()['confirmation_policy']).toEqual(ALWAYS);
  await author.change(journal, { set: { leafEventId: null, headIsEmpty: true } });
  expect(base()['head_is_empty']).toBe(true);
  expect(written()).toBeLessThan(EVENTS);

  const seen = new Set<string>();
  while (!complete) {
    seen.add(JSON.stringify([base()['confirmation_policy'], base()['head_is_empty']]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await completed;
  expect([...seen]).toEqual([JSON.stringify([ALWAYS, true])]);
  expect(written()).toBe(EVENTS);
});
