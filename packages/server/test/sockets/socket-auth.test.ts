import { randomUUID } from 'node:crypto';

import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { startBench } from '../support/socket-bench.ts';
import { isState } from '../support/test-socket.ts';

const KEYS = ['first-key', 'second key+1'] as const;
const auth = (key: unknown): string => JSON.stringify({ type: 'auth', session_api_key: key });

for (const kind of ['events', 'session'] as const) {
  test(`${kind}: a right key in the query or in the header opens, and no frame is needed`, async () => {
    const bench = await startBench({ keys: KEYS });
    const path = `${kind}/${bench.id}`;
    const opened = [
      bench.open(`${path}?session_api_key=${KEYS[0]}`),
      bench.open(`${path}?session_api_key=${encodeURIComponent(KEYS[1])}`),
      bench.open(path, { headers: { 'X-Session-API-Key': KEYS[1] } }),
      bench.open(`${path}?session_api_key=${KEYS[0]}`, { headers: { 'X-Session-API-Key': 'wrong' } }),
    ];
    for (const socket of opened) await socket.find((frame) => isState(frame, 'full_state'));
  });

  test(`${kind}: a wrong key in query or header is refused before the upgrade; the query counts first`, async () => {
    const bench = await startBench({ keys: KEYS });
    const path = `${kind}/${bench.id}`;
    const refused = [
      bench.open(`${path}?session_api_key=wrong`),
      bench.open(path, { headers: { 'X-Session-API-Key': 'first-ke' } }),
      bench.open(`${path}?session_api_key=wrong`, { headers: { 'X-Session-API-Key': KEYS[0] } }),
      bench.open(`${path}?session_api_key=wrong`, { first: auth(KEYS[0]) }),
    ];
    expect(await Promise.all(refused.map((socket) => socket.refused))).toEqual([403, 403, 403, 403]);
    expect(bench.sockets.size).toBe(0);
  });

  test(`${kind}: without a key the first frame has to show one, and is not acknowledged`, async () => {
    const bench = await startBench({ keys: KEYS });
    const socket = bench.open(`${kind}/${bench.id}`, { first: auth(KEYS[0]) });
    await socket.find((frame) => isState(frame, 'full_state'));
    expect(socket.frames.some(({ type }) => type === 'auth' || type === 'error')).toBe(false);
  });

  test(`${kind}: a first frame that shows no key closes with 4001`, async () => {
    const bench = await startBench({ keys: KEYS });
    const first = [auth('wrong'), auth(7), auth(''), '{', '"auth"', '{}', '{"role":"user","content":"hi"}', 'null'];
    const closed = first.map((frame) => bench.open(`${kind}/${bench.id}`, { first: frame }).closed);
    const expected = first.map(() => ({ code: 4001, reason: 'Authentication failed' }));
    expect(await Promise.all(closed)).toEqual(expected);
    const binary = await bench.open(`${kind}/${bench.id}`).opened();
    binary.socket.send(Buffer.from(auth(KEYS[0])));
    expect((await binary.closed).code).toBe(4001);
    expect(bench.state().events.length).toBe(0);
  });

  test(`${kind}: a client that shows nothing within ten seconds is closed with 4001`, async () => {
    const platform = new ManualPlatform();
    const bench = await startBench({ keys: KEYS, platform });
    const socket = await bench.open(`${kind}/${bench.id}`).opened();
    await expect.poll(() => bench.sockets.size).toBe(1);
    platform.pass(9_999);
    expect(bench.sockets.size).toBe(1);
    platform.pass(1);
    expect(await socket.closed).toEqual({ code: 4001, reason: 'Authentication failed' });
    expect(socket.frames).toEqual([]);
  });

  test(`${kind}: a server without keys is open, and a key that is shown anyway changes nothing`, async () => {
    const bench = await startBench();
    const socket = bench.open(`${kind}/${bench.id}?session_api_key=any`, { first: auth('any') });
    await socket.find((frame) => isState(frame, 'full_state'));
    expect(socket.frames.some(({ type, kind: of }) => type === 'error' || of === 'ServerErrorEvent')).toBe(false);
  });

  test(`${kind}: without keys only programs and pages that may call are let in; with keys the key decides`, async () => {
    const origin = 'https://evil.example';
    const open = await startBench({ cors: { origins: ['https://good.example'] } });
    const path = `${kind}/${open.id}`;
    for (const good of [`http://127.0.0.1:${open.port}`, 'https://good.example'])
      await open.open(path, { origin: good }).find((frame) => isState(frame, 'full_state'));
    expect(await open.open(path, { origin }).refused).toBe(403);
    expect(await open.open(path, { origin: 'null' }).refused).toBe(403);
    expect(await open.open(path, { origin: 'http://localhost:3001' }).refused).toBe(403);
    const locked = await startBench({ keys: KEYS });
    const socket = locked.open(`${kind}/${locked.id}`, { origin, first: auth(KEYS[0]) });
    await socket.find((frame) => isState(frame, 'full_state'));
  });

  test(`${kind}: what the protocol does not know is refused before the upgrade`, async () => {
    const bench = await startBench();
    const query = kind === 'events' ? 'resend_mode' : 'after_seq';
    const paths = [
      `${kind}/not-a-uuid`,
      `${kind}/`,
      `${kind}/${bench.id}/more`,
      `${kind}/%E0%A4%A`,
      `${kind}/${bench.id}?${query}=some`,
      `${kind}/${bench.id}?${query}=-2`,
      'unknown',
    ];
    const statuses = await Promise.all(paths.map((path) => bench.open(path).refused));
    expect(statuses).toEqual(paths.map(() => 403));
  });

  test(`${kind}: a conversation that is not there closes with 4004`, async () => {
    const bench = await startBench();
    expect(await bench.open(`${kind}/${randomUUID()}`).closed).toEqual({
      code: 4004,
      reason: 'Conversation not found',
    });
  });

  test(`${kind}: one socket too many closes with 1013, and the others go on`, async () => {
    const bench = await startBench({ maxSockets: 2 });
    const path = `${kind}/${bench.id}`;
    const first = bench.open(path);
    await first.find((frame) => isState(frame, 'full_state'));
    const second = bench.open(path);
    await second.find((frame) => isState(frame, 'full_state'));
    const third = bench.open(path);
    expect(await third.closed).toEqual({ code: 1013, reason: 'Too many connections for this conversation' });
    second.terminate();
    await expect.poll(() => bench.sockets.size).toBe(1);
    await bench.open(path).find((frame) => isState(frame, 'full_state'));
  });
}

test('a time that is none is refused before the upgrade, and one with a zone is taken', async () => {
  const bench = await startBench();
  const open = (time: string): string =>
    `events/${bench.id}?resend_mode=since&after_timestamp=${encodeURIComponent(time)}`;
  expect(await bench.open(open('yesterday')).refused).toBe(403);
  await bench.append('one');
  const socket = bench.open(open(new Date(Date.now() - 60_000).toISOString()));
  await socket.until((frames) => frames.length === 2);
});
