import { setImmediate } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { begunStreamResponse, eventStreamResponse, framesOf, type SentEvent } from '../src/index.ts';

/** A source of events that says when each comes, and how often it was begun. */
class Source {
  begun = 0;
  isAborted = false;
  readonly #waiting: SentEvent[] = [];
  #change = Promise.withResolvers<void>();
  #isOver = false;

  readonly events = async function* (this: Source, signal: AbortSignal): AsyncGenerator<SentEvent> {
    this.begun++;
    signal.addEventListener('abort', () => {
      this.isAborted = true;
      this.end();
    });
    for (let at = 0; ;) {
      const event = this.#waiting[at];
      if (event) {
        at++;
        yield event;
      } else if (this.#isOver) return;
      else await this.#change.promise;
    }
  }.bind(this);

  tell(...data: readonly string[]): void {
    this.#waiting.push(...data.map((each) => ({ data: each })));
    this.#ring();
  }

  end(): void {
    this.#isOver = true;
    this.#ring();
  }

  #ring(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }
}

const sentAs = (...data: readonly string[]): string => data.map((each) => `data: ${each}\n\n`).join('');

/** Resolves with what a reader has when it has `text`. */
async function until(reader: ReadableStreamDefaultReader<Uint8Array>, text: string): Promise<string> {
  let told = '';
  const decoder = new TextDecoder();
  while (told.length < text.length) told += decoder.decode((await reader.read()).value, { stream: true });
  return told;
}

const readerOf = (response: Response): ReadableStreamDefaultReader<Uint8Array> =>
  (response.body as ReadableStream<Uint8Array>).getReader();

test('clients with the same key get the events of one iteration, also a client that comes later', async () => {
  const source = new Source();
  const shared = { of: {}, key: 'all' };
  const early = eventStreamResponse(source.events, undefined, {}, shared);
  source.tell('one', 'two');
  const late = eventStreamResponse(source.events, undefined, {}, shared);
  source.tell('three');
  source.end();
  expect(await early.text()).toBe(sentAs('one', 'two', 'three'));
  expect(await late.text()).toBe(sentAs('one', 'two', 'three'));
  expect(source.begun).toBe(1);
});

test('another key, another conversation and a client after the end begin an iteration of their own', async () => {
  const source = new Source();
  const of = {};
  source.tell('one');
  source.end();
  const ask = (shared: { readonly of: object; readonly key: string }): Promise<string> =>
    eventStreamResponse(source.events, undefined, {}, shared).text();
  for (const shared of [
    { of, key: 'a' },
    { of, key: 'b' },
    { of: {}, key: 'a' },
    { of, key: 'a' },
  ])
    expect(await ask(shared)).toBe(sentAs('one'));
  expect(source.begun).toBe(4);
});

test('a client that leaves ends nothing for others, and the last one ends the iteration', async () => {
  const source = new Source();
  const shared = { of: {}, key: 'all' };
  const leaving = new AbortController();
  const [first, second, third] = [leaving.signal, undefined, undefined].map((signal) =>
    readerOf(eventStreamResponse(source.events, signal, {}, shared)),
  );
  source.tell('one');
  expect(await until(first!, sentAs('one'))).toBe(sentAs('one'));
  leaving.abort(new Error('gone'));
  await expect(first!.read()).rejects.toThrow('gone');
  await second!.cancel();
  expect(source.isAborted).toBe(false);
  source.tell('two');
  expect(await until(third!, sentAs('one', 'two'))).toBe(sentAs('one', 'two'));
  await third!.cancel();
  expect(source.isAborted).toBe(true);
});

test('an error of the iteration reaches every client', async () => {
  const events = async function* (): AsyncGenerator<SentEvent> {
    yield { data: 'one' };
    throw new Error('the log is gone');
  };
  const shared = { of: {}, key: 'all' };
  const responses = [1, 2].map(() => eventStreamResponse(events, undefined, {}, shared));
  for (const response of responses) await expect(response.text()).rejects.toThrow('the log is gone');
});

test('a client that does not read is cut off, while the others go on', async () => {
  const source = new Source();
  const shared = { of: {}, key: 'all' };
  const [slow, quick] = [1, 2].map(() => readerOf(eventStreamResponse(source.events, undefined, {}, shared)));
  const large = 'x'.repeat(200_000);
  source.tell('first');
  expect(await until(quick!, sentAs('first'))).toBe(sentAs('first'));
  for (let sent = 0; sent < 20; sent++) {
    source.tell(large);
    await until(quick!, sentAs(large));
  }
  await expect(slow!.read()).rejects.toThrow('expected a client that reads');
  const late = readerOf(eventStreamResponse(source.events, undefined, {}, shared));
  expect(await until(late, sentAs('first'))).toContain('first');
  expect(source.begun).toBe(2);
});

test.each([
  ['one large event', ['x'.repeat(1_500_000), 'last']],
  ['much at once', Array.from({ length: 40 }, (_, at) => `${at}`.padEnd(100_000, 'x'))],
])('a client alone gets everything at its own pace: %s', async (_, pieces) => {
  const source = new Source();
  source.tell(...pieces);
  source.end();
  const reader = readerOf(eventStreamResponse(source.events, undefined, {}, { of: {}, key: 'all' }));
  const decoder = new TextDecoder();
  let told = '';
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    told += decoder.decode(next.value, { stream: true });
    // an iteration that does not wait for its client is at its end by now
    await setImmediate();
  }
  expect(told === sentAs(...pieces)).toBe(true);
});

test('an iteration that waits for its client ends when the client leaves', async () => {
  const source = new Source();
  source.tell(...Array.from({ length: 40 }, () => 'x'.repeat(100_000)));
  const reader = readerOf(eventStreamResponse(source.events, undefined, {}, { of: {}, key: 'all' }));
  await reader.read();
  await setImmediate();
  await reader.cancel();
  expect(source.isAborted).toBe(true);
});

/** A host that takes frames until it has `most`. */
function hosted(response: Response, most: number) {
  const taken: Uint8Array[] = [];
  const ends: unknown[] = [];
  const frames = framesOf(response)!;
  frames.begin({ take: (bytes) => taken.push(bytes) < most, end: (failure) => void ends.push(failure?.error) });
  frames.more();
  return { frames, taken, ends, text: () => taken.map((bytes) => new TextDecoder().decode(bytes)).join('') };
}

test('a host takes the frames of a response itself, and clients share their bytes', async () => {
  const source = new Source();
  const shared = { of: {}, key: 'all' };
  const clients = [1, 2].map(() => hosted(eventStreamResponse(source.events, undefined, {}, shared), Infinity));
  source.tell('one');
  await expect.poll(() => clients.every(({ taken }) => taken.length === 1)).toBe(true);
  expect(clients[0]?.taken[0]).toBe(clients[1]?.taken[0]);
  source.tell('two');
  source.end();
  for (const client of clients) {
    await expect.poll(() => client.ends).toEqual([undefined]);
    expect(client.text()).toBe(sentAs('one', 'two'));
  }
});

test.each([{ of: {}, key: 'all' }, undefined])(
  'a host gets no more frames than it takes, shared: %o',
  async (shared) => {
    const source = new Source();
    const signal = new AbortController();
    const client = hosted(eventStreamResponse(source.events, signal.signal, {}, shared), 1);
    source.tell('one');
    await expect.poll(() => client.taken.length).toBe(1);
    source.tell('two', 'three');
    await setImmediate();
    expect(client.text()).toBe(sentAs('one'));
    client.frames.more();
    await expect.poll(() => client.taken.length).toBe(2);
    signal.abort(new Error('revoked'));
    const ends = (): number => {
      client.frames.more();
      return client.ends.length;
    };
    await expect.poll(ends).toBe(1);
    await client.frames.leave();
    expect(source.isAborted).toBe(true);
  },
);

test('frames that are left before they are taken end their iteration, and a copied response has none', async () => {
  const source = new Source();
  const response = eventStreamResponse(source.events, undefined, {}, { of: {}, key: 'all' });
  expect(framesOf(new Response(response.body))).toBeUndefined();
  await framesOf(response)!.leave();
  expect(source.isAborted).toBe(true);
});

test('clients with members of their own get those, and share the rest', async () => {
  const of = {};
  let begun = 0;
  const values = async function* (id: string): AsyncGenerator<object> {
    begun++;
    yield { jsonrpc: '2.0', id, result: 'one' };
    yield { jsonrpc: '2.0', id, result: 'two' };
  };
  const ask = (id: string): Promise<Response> => {
    const left = new AbortController();
    const shared = { of, key: 'all', signal: new AbortController().signal };
    return begunStreamResponse(values(id), left, () => ({ own: { jsonrpc: '2.0', id }, shared }));
  };
  const responses = [await ask('a'), await ask('"ö"'), await ask('a')];
  const told = await Promise.all(responses.map((response) => response.text()));
  const frames = (id: string): string =>
    sentAs(...['one', 'two'].map((result) => JSON.stringify({ jsonrpc: '2.0', id, result })));
  expect(told).toEqual([frames('a'), frames('"ö"'), frames('a')]);
  // the first value of each is read, and the rest is that of the first
  expect(begun).toBe(3);
  const alone = await begunStreamResponse(values('b'), new AbortController(), () => ({ own: { id: 'b' } }));
  expect(await alone.text()).toBe(frames('b'));
});
