import { randomUUID } from 'node:crypto';

import { expect, test } from 'vitest';

import { userMessage } from '../../src/events/index.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';
import { EventLog, growingLog } from '../../src/engine/event-log.ts';
import { MemoryStore, type CommitRange, type JournalReader } from '../../src/store/index.ts';

/** A log of messages of this length, and how often it went to its store. */
async function logOf(
  length: number,
  characters: number,
): Promise<{ log: EventLog; admit: ReturnType<typeof growingLog>['admit']; reads: () => number }> {
  const store = new MemoryStore();
  const id = randomUUID();
  const agent = { kind: 'Agent' };
  const workspace = { kind: 'LocalWorkspace', workingDir: '/work' };
  const journal = await store.open(id, { owner: 'test', create: 'must' });
  const state = await ConversationState.open(journal, { id, agent, workspace });
  const reader = (await store.read(id)) as JournalReader;
  let reads = 0;
  const counted = new Proxy(reader, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (range: CommitRange) => {
        if (key === 'commits') reads += 1;
        return value.call(target, range) as unknown;
      };
    },
  });
  const { events: log, admit } = growingLog(counted, 0, () => null);
  for (let at = 0; at < length; at++) await state.append([userMessage('x'.repeat(characters))]);
  for await (const commit of reader.commits()) admit(commit);
  return { log, admit, reads: () => reads };
}

test('P12: the newest events are kept in memory, at most 256 of them', async () => {
  const { log, reads } = await logOf(300, 10);
  await log.slice(300 - 256);
  expect(reads()).toBe(0);
  expect(await log.at(300 - 257)).toBeDefined();
  expect(reads()).toBe(1);
});

test('P12: the log keeps as many large events in memory as are 4 MiB together', async () => {
  const { log, reads } = await logOf(10, 1_000_000);
  for (const index of [9, 8, 7, 6]) expect(await log.at(index)).toBeDefined();
  expect(reads()).toBe(0);
  expect(await log.at(5)).toBeDefined();
  expect(reads()).toBe(1);
  expect(await log.slice()).toHaveLength(10);
});

test('P12: the last event is kept in memory, however large it is', async () => {
  const { log, admit, reads } = await logOf(3, 10);
  const [first] = await log.slice(0, 1);
  const huge = { ...first, id: 'huge', llm_message: { role: 'user', content: 'x'.repeat(5 * 1024 * 1024) } };
  admit({ id: 'c', seq: 4 as never, epoch: 1, firstEvent: 3 as never, events: [huge as never] });
  expect((await log.at(-1))?.id).toBe('huge');
  expect(await log.indexOf('huge')).toBe(3);
  expect(reads()).toBe(0);
  await log.at(2);
  expect(reads()).toBe(1);
});

test('P3: users of a log find nothing on it that changes it', async () => {
  const { log } = await logOf(1, 10);
  const names = Object.getOwnPropertyNames(EventLog.prototype).toSorted();
  expect(names).toMatchInlineSnapshot(`
    [
      "at",
      "branch",
      "constructor",
      "get",
      "idAt",
      "indexOf",
      "lastAnswer",
      "leaves",
      "length",
      "messages",
      "slice",
      "walk",
    ]
  `);
  expect(Object.keys(log)).toEqual([]);
});
