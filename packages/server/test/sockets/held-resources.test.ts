import { createHook } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { getActiveResourcesInfo } from 'node:process';

import { expect, test } from 'vitest';

import { startServer } from '../support/test-server.ts';
import { startBench } from '../support/socket-bench.ts';
import { TestSocket } from '../support/test-socket.ts';

/** Active timers, also timers that do not keep the process running. */
const timers = new Set<number>();
createHook({
  init: (id, type) => void (type === 'Timeout' && timers.add(id)),
  destroy: (id) => void timers.delete(id),
}).enable();

/** Counts the descriptors and timers of this process, and each kind of socket and request that keeps it running. */
function held(): Readonly<Record<string, number>> {
  const folder = ['/proc/self/fd', '/dev/fd'].find((path) => existsSync(path));
  const kinds = [
    ...getActiveResourcesInfo().filter((kind) => kind !== 'Timeout'),
    ...(folder ? readdirSync(folder).map(() => 'descriptor') : []),
    ...[...timers].map(() => 'timer'),
  ];
  return Object.fromEntries(kinds.map((kind) => [kind, kinds.filter((other) => other === kind).length]));
}

/** The kinds that more is held of than before. */
function grown(before: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  return Object.entries(held()).filter(([kind, count]) => count > (before[kind] ?? 0));
}

/** Starts a server, follows a conversation of it on sockets of each kind while it runs, and closes the server under them. */
async function life(): Promise<void> {
  const server = await startServer({ turns: [{ text: 'One.' }, { text: 'Two.' }] });
  const { id } = await server.make();
  const paths = [`events/${id}`, `session/${id}?after_seq=-1`, `events/${crypto.randomUUID()}`, 'bash-events', 'none'];
  const sockets = paths.map((path) => new TestSocket(`${server.url.replace('http', 'ws')}/sockets/${path}`));
  await Promise.all(sockets.slice(0, 2).map((socket) => socket.opened()));
  const said = { role: 'user', content: [{ type: 'text', text: 'Go' }], run: true };
  await server.call('POST', `/api/conversations/${id}/events`, said);
  await sockets[1]?.until((frames) => frames.some(({ type }) => type === 'durable'));
  await server.close();
  await Promise.all(sockets.map(({ closed }) => closed));
}

test('a server that is started and closed again and again under live sockets holds nothing more', async () => {
  await life();
  const before = held();
  for (let round = 0; round < 12; round++) await life();
  // work after the end of a socket finishes by itself
  for (let look = 0; look < 200 && grown(before).length > 0; look++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  expect(grown(before)).toEqual([]);
});

test('a follower of a hosted conversation that has left leaves no listener on its signal', async () => {
  const bench = await startBench();
  const { signal } = new AbortController();
  const hosted = bench.host.loaded(bench.id);
  const following = hosted?.subscribe({}, { signal });
  expect(getEventListeners(signal, 'abort')).not.toEqual([]);
  following?.unsubscribe();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
