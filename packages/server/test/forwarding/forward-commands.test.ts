import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';

import { expect, test } from 'vitest';

import { json, startOwner } from '../support/fake-owner.ts';
import { ID, owning, startFront } from '../support/front-server.ts';

const run = `/api/conversations/${ID}/run`;
const events = `/api/conversations/${ID}/events`;

test('a command is handed on as it came, but for what is between two neighbours', async () => {
  const owner = await startOwner((response) => json(response, 200, { success: true }));
  const front = await startFront({ owner: () => owning(owner.url) });
  const body = '{ "role":"user",  "big": 12345678901234567890, "__proto__": 1 }';
  const request = httpRequest(`${front.url}${events}?a=1&b=%20x`, {
    method: 'POST',
    headers: {
      'x-session-api-key': 'key-of-the-caller',
      authorization: 'Bearer key-of-the-caller',
      cookie: 'conv_session_80=of-the-caller',
      origin: 'http://page.example',
      'x-conv-peer': 'approver.1.forged.signature',
      'x-custom': 'kept',
      connection: 'close, x-mine',
      'x-mine': 'for the neighbour',
      te: 'trailers',
      expect: '100-continue',
      'content-length': Buffer.byteLength(body),
    },
  });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  const [received] = owner.received;
  expect(received).toMatchObject({ method: 'POST', path: `${events}?a=1&b=%20x`, body });
  const { headers } = received ?? { headers: {} };
  expect(JSON.stringify(headers)).not.toMatch(/of-the-caller|page\.example|forged/);
  expect(headers).toMatchObject({
    'x-conv-peer': expect.stringMatching(/^approver\.\d+\./) as string,
    'x-custom': 'kept',
    'x-conv-forwarded-by': 'http://front.invalid',
    host: owner.url.replace('http://', ''),
  });
  expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['x-mine']));
  for (const name of ['te', 'expect', 'x-mine']) expect(headers).not.toHaveProperty(name);
});

test('a request without a key is handed on without one', async () => {
  const owner = await startOwner((response) => json(response, 200, { success: true }));
  const front = await startFront({ owner: () => owning(owner.url) });
  expect((await fetch(front.url + run, { method: 'POST' })).status).toBe(200);
  const [{ headers }] = owner.received as [(typeof owner.received)[0]];
  expect(Object.keys(headers).filter((name) => /key|auth|cookie/.test(name))).toEqual([]);
});

test('a path prefix of this server is not the owner’s', async () => {
  const owner = await startOwner((response) => json(response, 200, { success: true }));
  const front = await startFront({ owner: () => owning(`${owner.url}/theirs`), prefix: '/ours' });
  expect((await fetch(front.url + run, { method: 'POST' })).status).toBe(200);
  expect(owner.received[0]?.path).toBe(`/theirs${run}`);
});

test('a command that names its host in its path, as proxies may, reaches the owner', async () => {
  const owner = await startOwner((response) => json(response, 200, { success: true }));
  const front = await startFront({ owner: () => owning(owner.url) });
  const path = `http://elsewhere.invalid${run}?a=1`;
  const request = httpRequest(front.url, { method: 'POST', path });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  expect(owner.received[0]?.path).toBe(`${run}?a=1`);
});

test.each([
  [400, { detail: 'no' }],
  [404, { detail: 'Not Found' }],
  [409, { detail: 'a run is in progress' }],
  [422, { detail: [{ loc: ['body'], msg: 'x' }] }],
  [500, { detail: 'Internal Server Error', error_id: 'e' }],
  [502, { detail: 'Internal Server Error', exception: '502: the model' }],
])('the client gets the answer of the owner with %i', async (status, body) => {
  const owner = await startOwner((response) =>
    json(response, status, body, { 'x-of-the-owner': 'yes', 'set-cookie': 'a=b' }),
  );
  const front = await startFront({ owner: () => owning(owner.url) });
  const answer = await fetch(front.url + run, { method: 'POST' });
  expect(answer.status).toBe(status);
  expect(await answer.json()).toEqual(body);
  expect(answer.headers.get('x-of-the-owner')).toBe('yes');
  expect(answer.headers.get('set-cookie')).toBe('a=b');
  expect(front.outcomes).toEqual(['answered']);
  expect(owner.received).toHaveLength(1);
});

test('a large answer comes as it is made, and a large command goes as a whole', async () => {
  const pieces = [randomBytes(300_000).toString('hex'), randomBytes(300_000).toString('hex')] as const;
  const second = Promise.withResolvers<void>();
  const owner = await startOwner(async (response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).write(pieces[0]);
    await second.promise;
    response.end(pieces[1]);
  });
  const front = await startFront({ owner: () => owning(owner.url) });
  const sent = JSON.stringify({ text: randomBytes(400_000).toString('hex') });
  const answer = await fetch(front.url + events, { method: 'POST', body: sent });
  let text = '';
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    // the first piece is here before the owner has made the second
    if (text.length === pieces[0].length) second.resolve();
  }
  expect(text === pieces.join('')).toBe(true);
  expect(owner.received[0]?.body === sent).toBe(true);
});

test('an answer that breaks off at the owner breaks off here, too', async () => {
  const owner = await startOwner((response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"half":', () => response.destroy());
  });
  const front = await startFront({ owner: () => owning(owner.url) });
  const read = fetch(front.url + run, { method: 'POST' }).then((answer) => answer.text());
  await expect(read).rejects.toThrow('terminated');
});

test('the owner is told when the client goes away', async () => {
  const gone = Promise.withResolvers<void>();
  const owner = await startOwner((response) => void response.on('close', () => gone.resolve()));
  const front = await startFront({ owner: () => owning(owner.url) });
  const controller = new AbortController();
  const asked = fetch(front.url + run, { method: 'POST', signal: controller.signal }).catch(() => 'aborted');
  await expect.poll(() => owner.received.length).toBe(1);
  controller.abort();
  await gone.promise;
  expect(await asked).toBe('aborted');
});

test('an answer without a body has none', async () => {
  const owner = await startOwner((response) => void response.writeHead(204).end());
  const front = await startFront({ owner: () => owning(owner.url) });
  const answer = await fetch(front.url + run, { method: 'POST' });
  expect([answer.status, await answer.text()]).toEqual([204, '']);
});

test('a request that was handed on is not handed on again, and says that nothing was begun', async () => {
  const owner = await startOwner((response) => json(response, 200, {}));
  const front = await startFront({ owner: () => owning(owner.url) });
  const headers = { 'x-conv-forwarded-by': 'http://anybody' };
  const answer = await fetch(front.url + run, { method: 'POST', headers });
  expect(answer.status).toBe(409);
  expect(answer.headers.get('x-conv-not-begun')).toBe('not-owner');
  expect(owner.received).toEqual([]);
});

test('two servers that take each other for the owner do not ask each other for ever', async () => {
  let second = '';
  const first = await startFront({ owner: () => owning(second, 0), name: 'http://first.invalid' });
  const other = await startFront({ owner: () => owning(first.url, 0), name: 'http://second.invalid' });
  second = other.url;
  const answer = await fetch(first.url + run, { method: 'POST' });
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).not.toBeNull();
  // each try of the first server causes at most one try of the other
  expect(other.tries()).toBeLessThanOrEqual(first.tries());
  expect(first.tries()).toBeLessThan(40);
  expect(first.outcomes).toEqual(['lost']);
});

test('an owner whose URL is not in the list of peers is named, and not asked', async () => {
  const owner = await startOwner((response) => json(response, 200, {}));
  const url = owner.url.replace('127.0.0.1', 'localhost');
  const front = await startFront({ owner: () => owning(url) });
  const answer = await fetch(front.url + run, { method: 'POST' });
  expect(answer.status).toBe(409);
  expect(await answer.text()).toContain(url);
  expect(owner.received).toEqual([]);
});

test('an owner that is no server of the fleet is named, and not asked', async () => {
  const front = await startFront({ owner: () => ({ owner: 'pid 12 on elsewhere', epoch: 1 }) });
  const answer = await fetch(front.url + run, { method: 'POST' });
  expect(answer.status).toBe(409);
  expect(await answer.text()).toContain('pid 12 on elsewhere');
  expect(front.outcomes).toEqual([]);
});
