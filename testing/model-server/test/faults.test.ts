import { expect, test } from 'vitest';
import { call, drop, fail, hang, nonsense, say } from '../src/index.ts';
import { bodyOf, events, hello, post, serve, type Completion } from './serve.ts';

const streamed = { ...hello, stream: true };
const long = say(['one ', 'two ', 'three ', 'four ', 'five ', 'six']);

test('fail answers with the status, Retry-After and an error body, then the script goes on', async () => {
  const server = await serve([fail(429, { retryAfter: 1, code: 'slow_down' }), say('better')]);
  const refused = await post(server, '/chat/completions', hello);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toEqual({
    error: { message: 'scripted fault with status 429', type: 'rate_limit_error', param: null, code: 'slow_down' },
  });
  expect((await post(server, '/chat/completions', hello)).status).toBe(200);
  expect(server.violations).toEqual([]);
});

test('fail sends a given body as it is', async () => {
  const server = await serve([fail(502, { body: '<html>', headers: { 'content-type': 'text/html' } })]);
  const response = await post(server, '/chat/completions', hello);
  expect(response.status).toBe(502);
  expect(response.headers.get('content-type')).toBe('text/html');
  expect(await response.text()).toBe('<html>');
});

test.each([hello, streamed])('drop cuts the connection before any byte (%#)', async (body) => {
  const server = await serve([drop(), say('again')]);
  await expect(post(server, '/chat/completions', body)).rejects.toThrow('fetch failed');
  expect(await (await server.request(0)).outcome).toBe('dropped');
  expect((await post(server, '/chat/completions', hello)).status).toBe(200);
});

test.each([hello, streamed])('drop mid-stream cuts the connection after half of the answer (%#)', async (body) => {
  const server = await serve([drop('mid-stream', long)]);
  const response = await post(server, '/chat/completions', body);
  expect(response.status).toBe(200);
  const [received, error] = await readUntilError(response);
  expect(error).toBeInstanceOf(Error);
  expect(received).toContain('one ');
  expect(received).not.toContain('[DONE]');
  expect(received).not.toContain('finish_reason":"stop');
  expect(await (await server.request(0)).outcome).toBe('dropped');
});

async function readUntilError(response: Response): Promise<[string, unknown]> {
  const decoder = new TextDecoder();
  let received = '';
  try {
    for await (const bytes of response.body ?? []) received += decoder.decode(bytes, { stream: true });
    return [received, undefined];
  } catch (error) {
    return [received, error];
  }
}

test('hang never answers; the outcome tells when the client has left', async () => {
  const server = await serve([hang()]);
  const controller = new AbortController();
  const pending = post(server, '/chat/completions', hello, { signal: controller.signal });
  const request = await server.request(0);
  controller.abort();
  await expect(pending).rejects.toThrow('aborted');
  expect(await request.outcome).toBe('client-gone');
});

test('hang with an answer streams its first half before the silence', async () => {
  const server = await serve([hang(long)]);
  const controller = new AbortController();
  const response = await post(server, '/chat/completions', streamed, { signal: controller.signal });
  const decoder = new TextDecoder();
  let received = '';
  const reading = (async () => {
    for await (const bytes of response.body ?? []) {
      received += decoder.decode(bytes, { stream: true });
      if (received.includes('three ')) controller.abort();
    }
  })();
  await expect(reading).rejects.toThrow('aborted');
  expect(received).not.toContain('six');
  expect(await (await server.request(0)).outcome).toBe('client-gone');
});

test('closing the server ends what hangs, and the outcome says that the server did it', async () => {
  const server = await serve([hang()]);
  const pending = post(server, '/chat/completions', hello);
  const request = await server.request(0);
  await Promise.all([expect(pending).rejects.toThrow('fetch failed'), server.close()]);
  expect(await request.outcome).toBe('dropped');
});

test('nonsense is sent with status 200', async () => {
  const server = await serve([nonsense(), nonsense('{"choices":')]);
  const stream = await post(server, '/chat/completions', streamed);
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect(await stream.text()).toBe('data: <html>upstream says no</html>\n\n');
  const whole = await post(server, '/chat/completions', hello);
  expect(whole.headers.get('content-type')).toBe('application/json');
  await expect(whole.json()).rejects.toThrow(SyntaxError);
});

test('malformed arguments are sent as scripted', async () => {
  const server = await serve([call('t', '{"path": "unfinished')]);
  const body = await bodyOf<Completion>(post(server, '/chat/completions', hello));
  expect(body.choices[0].message.tool_calls[0].function.arguments).toBe('{"path": "unfinished');
});

test('a delay holds the answer back, and a client that leaves in it is noticed', async () => {
  const server = await serve([
    { ...say('late'), delay: 20 },
    { ...fail(503), delay: 600_000 },
  ]);
  const shorter = fires(15);
  await post(server, '/chat/completions', hello);
  expect(shorter.hasFired).toBe(true);
  const controller = new AbortController();
  const pending = post(server, '/chat/completions', hello, { signal: controller.signal });
  const request = await server.request(1);
  controller.abort();
  await expect(pending).rejects.toThrow('aborted');
  expect(await request.outcome).toBe('client-gone');
});

test('a chunk delay spreads a stream over time and ends when the client leaves', async () => {
  const server = await serve([say(['a', 'b'], { chunkDelay: 5 }), say(['a', 'b'], { chunkDelay: 600_000 })]);
  const shorter = fires(15);
  const sent = await events(await post(server, '/chat/completions', streamed));
  expect(sent).toHaveLength(5);
  expect(shorter.hasFired).toBe(true);
  const controller = new AbortController();
  const response = await post(server, '/chat/completions', streamed, { signal: controller.signal });
  controller.abort();
  await expect(response.text()).rejects.toThrow('aborted');
  expect(await (await server.request(1)).outcome).toBe('client-gone');
});

/** A timer that says whether it has fired: what took longer than it is answered after it, however slow the machine is. */
function fires(milliseconds: number): { hasFired: boolean } {
  const timer = { hasFired: false };
  setTimeout(() => (timer.hasFired = true), milliseconds);
  return timer;
}
