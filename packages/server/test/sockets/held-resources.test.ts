import { getEventListeners } from 'node:events';

import { leaks } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { startServer } from '../support/test-server.ts';
import { startBench } from '../support/socket-bench.ts';
import { TestSocket } from '../support/test-socket.ts';

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
  expect(await leaks(life, { warmUp: 1, rounds: 12 })).toEqual({});
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
