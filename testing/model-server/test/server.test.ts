import { expect, test } from 'vitest';
import { say } from '../src/index.ts';
import { bodyOf, hello, post, serve } from './serve.ts';

test('a wrong or missing key is answered 401 and the script is left alone', async () => {
  const server = await serve([say('in')], { apiKey: 'key' });
  const missing = await post(server, '/chat/completions', hello);
  expect(missing.status).toBe(401);
  expect(await missing.json()).toMatchObject({ error: { type: 'invalid_request_error', code: 'invalid_api_key' } });
  const wrong = await post(server, '/chat/completions', hello, { headers: { authorization: 'Bearer other' } });
  expect(wrong.status).toBe(401);
  expect(server.requests).toEqual([]);
  const right = await post(server, '/chat/completions', hello, { headers: { authorization: 'Bearer key' } });
  expect(right.status).toBe(200);
  expect(server.remainingTurns).toBe(0);
});

test('GET /v1/models lists the models', async () => {
  const server = await serve([], { models: ['a', 'b'] });
  const body = await bodyOf<{ object: string; data: { id: string }[] }>(fetch(`${server.url}/models`));
  expect(body.object).toBe('list');
  expect(body.data.map((model: { id: string }) => model.id)).toEqual(['a', 'b']);
});

test.each([
  ['POST', '/embeddings'],
  ['GET', '/chat/completions'],
  ['POST', '/models'],
])('%s %s is answered 404 in the error format', async (method, path) => {
  const server = await serve([]);
  const response = await fetch(`${server.url}${path}`, { method });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { code: 'unknown_url', param: null } });
});

test('requests are recorded with what they asked, and their outcome is answered', async () => {
  const seen: number[] = [];
  const server = await serve([say('1'), say('2')], { onRequest: ({ index }) => seen.push(index) });
  const tools = [{ type: 'function', function: { name: 't', description: 'd', parameters: { type: 'object' } } }];
  await post(server, '/chat/completions', { ...hello, tools }, { headers: { 'x-trace': 'abc' } });
  await post(server, '/chat/completions', { ...hello, model: 'n' });
  expect(seen).toEqual([0, 1]);
  const [first, second] = server.requests;
  expect(first).toMatchObject({
    index: 0,
    api: 'chat',
    model: 'm',
    stream: false,
    messages: [{ role: 'user', text: 'hello', content: 'hello', toolCalls: [] }],
    tools: [{ name: 't', description: 'd', parameters: { type: 'object' } }],
    body: { tools },
  });
  expect(first?.headers['x-trace']).toBe('abc');
  expect(second?.model).toBe('n');
  expect(await first?.outcome).toBe('answered');
});

test('request(index) waits for a request that is to come and rejects when the server closes first', async () => {
  const server = await serve([say('1')]);
  const awaited = server.request(0);
  await post(server, '/chat/completions', hello);
  expect((await awaited).index).toBe(0);
  expect((await server.request(0)).index).toBe(0);
  const never = server.request(1);
  await Promise.all([expect(never).rejects.toThrow('before request 1 arrived'), server.close()]);
  await expect(server.request(2)).rejects.toThrow('before request 2 arrived');
});

test('close may be called twice and frees the port', async () => {
  const server = await serve([say('1')]);
  const port = Number(new URL(server.url).port);
  await server.close();
  await server.close();
  await expect(post(server, '/chat/completions', hello)).rejects.toThrow('fetch failed');
  const next = await serve([say('2')], { port });
  expect(next.url).toBe(server.url);
});

test('a port that is taken rejects with the error of listen', async () => {
  const server = await serve([]);
  const port = Number(new URL(server.url).port);
  await expect(serve([], { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
