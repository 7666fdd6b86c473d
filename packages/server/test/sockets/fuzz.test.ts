import fc from 'fast-check';
import { expect, test } from 'vitest';

import { startBench } from '../support/socket-bench.ts';
import { eventOf, isState, type Frame } from '../support/test-socket.ts';

type Sent = { readonly text: string } | { readonly bytes: Uint8Array };

const role = fc.constantFrom('user', 'assistant', 'system', 'tool', 'User', '');
const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.string() }),
  fc.record({ type: fc.constantFrom('text', 'image', 'audio'), text: fc.jsonValue(), image_urls: fc.jsonValue() }),
  fc.jsonValue(),
);
const almostMessage = fc.record(
  {
    role: fc.oneof(role, fc.jsonValue()),
    content: fc.oneof(fc.array(part, { maxLength: 3 }), fc.jsonValue()),
    run: fc.jsonValue(),
    type: fc.constantFrom('auth', 'message', 'durable'),
    session_api_key: fc.jsonValue(),
    __proto__: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const sent: fc.Arbitrary<Sent> = fc.oneof(
  { weight: 4, arbitrary: almostMessage.map((value) => ({ text: JSON.stringify(value) })) },
  { weight: 2, arbitrary: fc.json().map((text) => ({ text })) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }).map((text) => ({ text })) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ bytes })) },
);

const isUserMessage = (frame: Frame): boolean => {
  const { kind, source } = eventOf(frame);
  return kind === 'MessageEvent' && source === 'user';
};
const isError = (frame: Frame): boolean => frame['type'] === 'error' || frame['kind'] === 'ServerErrorEvent';
const isAuth = (one: Sent): boolean => 'text' in one && parsed(one.text)?.['type'] === 'auth';

for (const kind of ['events', 'session'] as const) {
  test(`P13: ${kind}: whatever a client sends is a message or an error of that socket, one after the other`, async () => {
    const bench = await startBench();
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 20 }), async (frames) => {
        const socket = await bench.open(`${kind}/${bench.id}`).opened();
        await socket.find((frame) => isState(frame, 'full_state'));
        for (const one of frames) socket.socket.send('text' in one ? one.text : one.bytes);
        const expected = frames.filter((one) => !isAuth(one)).length;
        const handled = (all: readonly Frame[]): number =>
          all.filter((frame) => isUserMessage(frame) || isError(frame)).length;
        socket.send('the end');
        await socket.until((all) => handled(all) === expected + 1);
        expect(isError(socket.frames.findLast((frame) => isUserMessage(frame) || isError(frame)) as Frame)).toBe(true);
        socket.terminate();
      }),
      { numRuns: 40 },
    );
    expect(bench.reported).toEqual([]);
  });
}

test('P13: a socket is opened or refused with 403, whatever its address holds', async () => {
  const bench = await startBench({ keys: ['key'] });
  const word = fc.oneof(
    fc.constantFrom('events', 'session', bench.id, 'bash-events', '..', '%00', '%', 'all', 'since', '-1', '0', '1e3'),
    fc.webPath({ size: 'small' }).map((path) => path.slice(1)),
  );
  const name = fc.constantFrom(
    'session_api_key',
    'resend_mode',
    'after_timestamp',
    'after_seq',
    'resend_all',
    '__proto__',
  );
  const query = fc
    .array(fc.tuple(name, fc.oneof(word, fc.webQueryParameters({ size: 'small' }))), { maxLength: 4 })
    .map((pairs) => pairs.map(([key, value]) => `${key}=${value}`).join('&'));
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 3 }), query, async (path, search) => {
      const socket = bench.open(`${path.join('/')}?${search}`);
      const outcome = await Promise.race([socket.refused, socket.opened().then(() => 101)]);
      expect([101, 403]).toContain(outcome);
      socket.terminate();
    }),
    { numRuns: 150 },
  );
  expect(bench.reported).toEqual([]);
});

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
