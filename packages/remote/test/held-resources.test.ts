import { randomUUID } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { getActiveResourcesInfo } from 'node:process';

import { toEventIndex } from '@conv/core/store';
import { expect, test } from 'vitest';

import { Bench, KINDS } from './support/bench.ts';

/** Counts, by kind, the descriptors that this process holds and the timers, sockets and requests that keep it running. */
function held(): Readonly<Record<string, number>> {
  const folder = ['/proc/self/fd', '/dev/fd'].find((path) => existsSync(path));
  const kinds = [...getActiveResourcesInfo(), ...(folder ? readdirSync(folder).map(() => 'descriptor') : [])];
  return Object.fromEntries(kinds.map((kind) => [kind, kinds.filter((other) => other === kind).length]));
}

/** Returns the kinds of which more is held than before. */
function grown(before: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  return Object.entries(held()).filter(([kind, count]) => count > (before[kind] ?? 0));
}

/** Uses of a conversation, by what becomes of them. Each is given the signal that it may listen to. */
const uses: Readonly<Record<string, (bench: Bench, signal: AbortSignal) => Promise<void>>> = {
  'was followed, ran and was closed': async (bench, signal) => {
    const conversation = await bench.open({ signal });
    conversation.subscribe(() => {}, { from: toEventIndex(0), signal });
    await conversation.sendMessage('Hello');
    await conversation.run({ signal });
    await conversation.close();
  },
  'was refused for a wrong key': async (bench, signal) => {
    bench.server.options = { ...bench.server.options, apiKey: 'right' };
    const workspace = bench.workspace({ apiKey: 'wrong' });
    await expect(bench.open({ workspace, signal })).rejects.toMatchObject({ code: 'DENIED' });
  },
  'is not there': async (bench, signal) => {
    const opening = bench.open({ id: randomUUID(), create: 'never', signal });
    await expect(opening).rejects.toMatchObject({ code: 'NOT_FOUND' });
  },
  'is on a server that is gone': async (bench, signal) => {
    await bench.server.stop();
    const workspace = bench.workspace({ requests: { requestTimeout: 50, backoff: { first: 5, most: 50 } } });
    await expect(bench.open({ workspace, signal })).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await bench.server.start();
  },
  'was closed behind a server that went away': async (bench, signal) => {
    const conversation = await bench.open({ signal });
    conversation.subscribe(() => {}, { from: toEventIndex(0), signal });
    await bench.until(() => bench.server.sockets.size > 0);
    await bench.server.stop();
    await conversation.close();
    await bench.server.start();
  },
  'lost its key after it was opened': async (bench, signal) => {
    const conversation = await bench.open({ signal });
    const { options } = bench.server;
    bench.server.options = { ...options, apiKey: 'another' };
    await expect(conversation.sendMessage('Hello')).rejects.toMatchObject({ code: 'DENIED' });
    for (const { socket } of bench.server.sockets) socket.terminate();
    await conversation.close();
    bench.server.options = options;
  },
};

for (const [kind, capabilities] of KINDS)
  test.each(Object.entries(uses))(`${kind}: nothing is held of a conversation that %s`, async (_, use) => {
    await using bench = await Bench.start({ capabilities });
    const { signal } = new AbortController();
    const before = held();
    for (let round = 0; round < 3; round++) await use(bench, signal);
    // what goes on behind an answer ends by itself
    for (let look = 0; look < 20_000 && grown(before).length > 0; look++)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(grown(before)).toEqual([]);
    await bench.until(() => bench.server.sockets.size === 0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
