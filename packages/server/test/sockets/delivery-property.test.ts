import { drafts, type Event } from '@conv/core/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { startBench, type SocketBench } from '../support/socket-bench.ts';
import type { Frame, TestSocket } from '../support/test-socket.ts';

type Step =
  | { readonly do: 'append'; readonly count: number; readonly wait: boolean }
  | { readonly do: 'cut'; readonly client: number; readonly politely: boolean }
  | { readonly do: 'navigate'; readonly to: number };

const CLIENTS = 3;

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('append' as const),
        count: fc.integer({ min: 1, max: 40 }),
        wait: fc.boolean(),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('cut' as const),
        client: fc.integer({ min: 0, max: CLIENTS - 1 }),
        politely: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('navigate' as const), to: fc.nat({ max: 1000 }) }) },
  ),
  { minLength: 3, maxLength: 25 },
);

/** A client that comes back with its cursor whenever it is cut off. */
class FollowingClient {
  readonly ids: string[] = [];
  readonly misplaced: Frame[] = [];
  readonly #bench: SocketBench;
  #socket: TestSocket;

  constructor(bench: SocketBench) {
    this.#bench = bench;
    this.#socket = this.#connect();
  }

  async cut(politely: boolean): Promise<void> {
    if (politely) this.#socket.socket.close();
    else this.#socket.terminate();
    await this.#socket.closed;
    this.#socket = this.#connect();
  }

  async has(count: number): Promise<void> {
    await this.#socket.until(() => this.ids.length >= count);
  }

  #connect(): TestSocket {
    const socket = this.#bench.session(this.ids.length - 1);
    socket.socket.on('message', () => this.#take(socket.frames.at(-1) as Frame));
    return socket;
  }

  #take(frame: Frame): void {
    if (frame['type'] !== 'durable') return;
    if (frame['seq'] !== this.ids.length) this.misplaced.push(frame);
    this.ids.push((frame['event'] as Event).id);
  }
}

test('P11: each client has every event once and in order, wherever connections are cut', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const bench = await startBench();
      const clients = Array.from({ length: CLIENTS }, () => new FollowingClient(bench));
      const under: Promise<unknown>[] = [];
      for (const step of plan) {
        if (step.do === 'append') {
          const messages = Array.from({ length: step.count }, (_, index) => drafts.environmentMessage(`${index}`));
          const appended = bench.state().append(messages);
          under.push(appended);
          if (step.wait) await appended;
        } else if (step.do === 'cut') await clients[step.client]?.cut(step.politely);
        else await navigate(bench, step.to);
      }
      await Promise.all(under);
      const log = await bench.state().events.slice();
      await Promise.all(clients.map((client) => client.has(log.length)));
      for (const client of clients) {
        expect(client.misplaced).toEqual([]);
        expect(client.ids).toEqual(log.map(({ id }) => id));
      }
      await bench.close();
    }),
    { numRuns: 25 },
  );
});

/** Continues at another event of the tree: new events form another branch, and are still the next events of the log. */
async function navigate(bench: SocketBench, to: number): Promise<void> {
  const { events } = bench.state();
  if (events.length === 0) return;
  await bench.host.loaded(bench.id)?.conversation.history.navigateTo((await events.idAt(to % events.length)) ?? null);
}

test('a fork is followed from its beginning on, and the conversation that it was made of goes on beside it', async () => {
  const bench = await startBench();
  await bench.append('one', 'two', 'three');
  const from = (await bench.state().events.idAt(1)) as string;
  const forkId = await bench.host.loaded(bench.id)?.conversation.history.fork({ from });
  const fork = bench.open(`session/${forkId}?after_seq=-1`);
  await fork.until((frames) => frames.filter(({ type }) => type === 'durable').length === 2);
  const original = bench.session(2);
  await bench.append('four');
  await original.until((frames) => frames.some(({ type }) => type === 'durable'));
  expect(original.frames.filter(({ type }) => type === 'durable').map(({ seq }) => seq)).toEqual([3]);
  expect(fork.frames.filter(({ type }) => type === 'durable').map(({ seq }) => seq)).toEqual([0, 1]);
});
