import type { Event } from '@conv/core/events';
import { expect, onTestFinished, test } from 'vitest';

import { says } from '../calls.ts';
import { eventsAt, statusAt, TestFleet, userTexts, type FleetMember } from './test-fleet.ts';
import { newConversation } from './work-script.ts';

type Frame = Readonly<Record<string, unknown>>;

/** A client that follows a conversation at a server. */
class Follower {
  readonly frames: Frame[] = [];
  readonly #socket: WebSocket;

  private constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.addEventListener('message', ({ data }) => this.frames.push(JSON.parse(data as string) as Frame));
    onTestFinished(() => this.#socket.close());
  }

  /** Follows from the beginning, with numbers. */
  static async open(member: FleetMember, id: string): Promise<Follower> {
    const follower = new Follower(`${member.url.replace('http', 'ws')}/sockets/session/${id}?after_seq=-1`);
    await opened(follower.#socket);
    return follower;
  }

  say(frame: unknown): void {
    this.#socket.send(JSON.stringify(frame));
  }

  /** The events, in the order in which they came. */
  get events(): readonly Event[] {
    return this.frames.flatMap(({ type, event }) => (type === 'durable' ? [event as Event] : []));
  }

  /** Their numbers. */
  get numbers(): readonly unknown[] {
    return this.frames.flatMap(({ type, seq }) => (type === 'durable' ? [seq] : []));
  }

  get errors(): readonly Frame[] {
    return this.frames.filter(
      ({ type, event }) => type === 'error' || (event as Event | undefined)?.kind === 'ServerErrorEvent',
    );
  }
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error('it was not opened')));
  });
}

test('P11: a socket of any server shows every event once and in order, and its messages reach the owner', async () => {
  const fleet = await TestFleet.start();
  const owner = await fleet.join();
  const other = await fleet.join();
  const id = await fleet.make(owner);
  const [near, far] = [await Follower.open(owner, id), await Follower.open(other, id)];
  for (const text of ['one', 'two', 'three']) {
    far.say(says(text));
    await expect.poll(() => userTexts(near.events)).toContain(text);
    await expect.poll(() => statusAt(other, id)).toBe('finished');
  }
  const stored = await eventsAt(owner, id);
  for (const follower of [near, far]) {
    await expect.poll(() => follower.events).toEqual(stored);
    expect(follower.numbers).toEqual(stored.map((_, index) => index));
    expect(follower.errors).toEqual([]);
  }
  expect(userTexts(stored)).toEqual(['one', 'two', 'three']);
  expect(other.forwarded).toEqual(['answered', 'answered', 'answered']);
});

test("the owner's refusal is told on the socket, and the socket stays", async () => {
  const fleet = await TestFleet.start();
  const owner = await fleet.join();
  const other = await fleet.join();
  const id = await fleet.make(owner);
  const far = await Follower.open(other, id);
  far.say(says('x'.repeat(1_100_000)));
  await expect.poll(() => JSON.stringify(far.frames)).toContain('EVENT_TOO_LARGE');
  far.say(says('short'));
  await expect.poll(() => userTexts(far.events)).toEqual(['short']);
});

test.each(['query', 'first frame'])(
  'a message over a socket reaches the owner when its server has let the client in (%s)',
  async (how) => {
    const fleet = await TestFleet.start();
    const owner = await fleet.join({ sessionKeys: ['theirs', 'both'] });
    const other = await fleet.join({ sessionKeys: ['ours', 'both'] });
    const body = newConversation('says', `${fleet.folder}/work`);
    const made = await owner.call<{ id: string }>('POST', '/api/conversations', body, { 'x-session-api-key': 'both' });
    const { id } = made.body;
    const open = async (key: string): Promise<WebSocket> => {
      const query = how === 'query' ? `?session_api_key=${key}` : '';
      const socket = new WebSocket(`${other.url.replace('http', 'ws')}/sockets/events/${id}${query}`);
      onTestFinished(() => socket.close());
      await opened(socket);
      if (how === 'first frame') socket.send(JSON.stringify({ type: 'auth', session_api_key: key }));
      return socket;
    };
    (await open('ours')).send(JSON.stringify(says('with this one')));
    const events = (): Promise<readonly string[]> =>
      owner
        .call<{ items: readonly Event[] }>('GET', `/api/conversations/${id}/events/search`, undefined, {
          'x-session-api-key': 'both',
        })
        .then(({ body: page }) => userTexts(page.items));
    await expect.poll(events).toEqual(['with this one']);
  },
);
