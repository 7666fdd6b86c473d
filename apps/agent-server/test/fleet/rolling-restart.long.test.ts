import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import type { Event } from '@conv/core/events';
import { createModelServer, say, type ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { make, payload, says, until } from '../calls.ts';
import { newFolder } from '../new-folder.ts';
import { eventually } from '../server-process.ts';
import { FLEET_KEY, startInFleet, type FleetProcess } from './fleet-process.ts';
import { userTexts } from './test-fleet.ts';

let model: ModelServer;

beforeAll(async () => {
  model = await createModelServer({ script: () => say('Yes.') });
});

afterAll(() => model.close());

/** Asks one server after the other, without preference, until one answers. */
class Balancer {
  readonly urls: readonly string[];
  #next = 0;

  constructor(urls: readonly string[]) {
    this.urls = urls;
  }

  get next(): string {
    return this.urls[this.#next++ % this.urls.length] as string;
  }

  /** Sends a message until a server says that it has it. */
  async send(id: string, text: string): Promise<void> {
    const headers = {
      'x-session-api-key': FLEET_KEY,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    };
    const body = JSON.stringify(says(text, { run: true }));
    await eventually(async () => {
      const path = `${this.next}/api/conversations/${id}/events`;
      const answer = await fetch(path, { method: 'POST', headers, body }).catch(() => undefined);
      await answer?.text();
      return answer?.status === 200;
    });
  }
}

/** A client that follows from where it was, at whichever server it finds. */
class Follower {
  readonly events: Event[] = [];
  readonly numbers: number[] = [];
  readonly #balancer: Balancer;
  readonly #id: string;
  #socket: WebSocket | undefined;
  #closed = false;

  constructor(balancer: Balancer, id: string) {
    this.#balancer = balancer;
    this.#id = id;
    this.#open();
  }

  close(): void {
    this.#closed = true;
    this.#socket?.close();
  }

  #open(): void {
    if (this.#closed) return;
    const after = this.numbers.at(-1) ?? -1;
    const url = `${this.#balancer.next.replace('http', 'ws')}/sockets/session/${this.#id}?after_seq=${after}`;
    const socket = new WebSocket(`${url}&session_api_key=${FLEET_KEY}`);
    socket.addEventListener('message', ({ data }) => {
      const frame = JSON.parse(data as string) as { type: string; seq: number; event: Event };
      if (frame.type !== 'durable') return;
      this.numbers.push(frame.seq);
      this.events.push(frame.event);
    });
    // an error is followed by a close
    socket.addEventListener('close', () => this.#open());
    this.#socket = socket;
  }
}

test('three servers restart one after the other under a busy client, and no event is lost or doubled', async () => {
  const cwd = newFolder();
  const store = `sqlite:${join(cwd, 'conversations.db')}`;
  const start = (): Promise<FleetProcess> =>
    startInFleet({ cwd, store, env: { OH_SECRET_KEY: 'one-secret-for-all-servers' } });
  const members = [await start(), await start(), await start()] as [FleetProcess, FleetProcess, FleetProcess];
  const llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-test-0123456789' };
  const { id } = await make(members[0].server, payload({ cwd, llm }));
  const balancer = new Balancer(members.map(({ url }) => url));
  const followers = [new Follower(balancer, id), new Follower(balancer, id), new Follower(balancer, id)];
  onTestFinished(() => followers.forEach((follower) => follower.close()));

  const said: string[] = [];
  let isOver = false;
  const talking = (async () => {
    while (!isOver) {
      said.push(`message ${said.length}`);
      await balancer.send(id, said.at(-1) as string);
    }
  })();
  for (const [index, member] of members.entries()) {
    const before = said.length;
    expect(await member.server.stop()).toBe(0);
    members[index] = await member.again();
    // the client goes on with the others and with the new one
    await eventually(() => said.length > before + 5);
  }
  isOver = true;
  await talking;

  const [{ server }] = members;
  await until(server, id, 'finished');
  const stored = await eventually(async () => {
    const { body } = await server.call<number>('GET', `/api/conversations/${id}/events/count`);
    return body > 0 && followers.every(({ events }) => events.length >= body) && allOf(server, id);
  });
  expect(userTexts(stored)).toEqual(said);
  const kinds = new Set(stored.map(({ kind }) => kind));
  // nothing was interrupted, and nothing failed
  expect([...kinds].toSorted()).toEqual(['MessageEvent', 'SystemPromptEvent']);
  for (const { events, numbers } of followers) {
    expect(numbers).toEqual(stored.map((_, number) => number));
    expect(events).toEqual(stored);
  }
});

/** All events, over pages. */
async function allOf(server: FleetProcess['server'], id: string): Promise<readonly Event[]> {
  const events: Event[] = [];
  let page: string | null = null;
  do {
    const query: string = page === null ? '' : `&page_id=${page}`;
    const { body }: { body: { items: Event[]; next_page_id: string | null } } = await server.call(
      'GET',
      `/api/conversations/${id}/events/search?limit=100${query}`,
    );
    events.push(...body.items);
    page = body.next_page_id;
  } while (page !== null);
  return events;
}
