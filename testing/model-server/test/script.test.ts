import { expect, test } from 'vitest';
import { call, lastUserText, say, toolResults, type TurnFunction } from '../src/index.ts';
import { bodyOf, hello, post, serve, type Completion } from './serve.ts';

const toolCall = (id: string, name: string, args: object) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
});

test('a function derives its answer from the tool results it was sent', async () => {
  const script: TurnFunction = (request) => {
    const [listing] = toolResults(request, 'since-last-user-message');
    if (listing === undefined) return call('terminal', { command: 'ls' });
    return say(`${lastUserText(request)}: ${listing.text.split('\n').length} files from ${listing.name}`);
  };
  const server = await serve(script);
  const asked = await bodyOf<Completion>(post(server, '/chat/completions', hello));
  const [made] = asked.choices[0].message.tool_calls;
  const messages = [
    ...hello.messages,
    asked.choices[0].message,
    { role: 'tool', tool_call_id: made.id, content: 'a\nb\nc' },
  ];
  const told = await bodyOf<Completion>(post(server, '/chat/completions', { model: 'm', messages }));
  expect(told.choices[0].message.content).toBe('hello: 3 files from terminal');
});

test('tool results are found with their calls, all of them or those of the current turn', async () => {
  const server = await serve([say('ok')]);
  const messages = [
    { role: 'user', content: 'first' },
    { role: 'assistant', content: null, tool_calls: [toolCall('c1', 'a', { n: 1 })] },
    { role: 'tool', tool_call_id: 'c1', content: 'one' },
    { role: 'assistant', content: 'done' },
    { role: 'user', content: 'second' },
    { role: 'assistant', content: '', tool_calls: [toolCall('c2', 'b', { n: 2 }), toolCall('c3', 'a', { n: 3 })] },
    {
      role: 'tool',
      tool_call_id: 'c3',
      content: [
        { type: 'text', text: 'thr' },
        { type: 'text', text: 'ee' },
      ],
    },
    { role: 'tool', tool_call_id: 'c2', content: 'two' },
  ];
  await post(server, '/chat/completions', { model: 'm', messages });
  const request = await server.request(0);
  expect(toolResults(request).map(({ id }) => id)).toEqual(['c1', 'c3', 'c2']);
  expect(toolResults(request, 'since-last-user-message')).toEqual([
    { id: 'c3', name: 'a', arguments: '{"n":3}', text: 'three' },
    { id: 'c2', name: 'b', arguments: '{"n":2}', text: 'two' },
  ]);
  expect(lastUserText(request)).toBe('second');
});

test('turns go to requests in the order they arrive, and a turn may be a function', async () => {
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow: TurnFunction = async () => {
    await gate;
    return say('slow');
  };
  const server = await serve([slow, say('quick')]);
  const first = post(server, '/chat/completions', hello);
  await server.request(0);
  const second = await bodyOf<Completion>(post(server, '/chat/completions', hello));
  expect(second.choices[0].message.content).toBe('quick');
  release();
  expect((await bodyOf<Completion>(first)).choices[0].message.content).toBe('slow');
});

test('a request beyond the end of the script is answered 400, which no client retries, and recorded', async () => {
  const server = await serve([say('only')]);
  await post(server, '/chat/completions', hello);
  const response = await post(server, '/chat/completions', hello);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { code: 'script', message: expect.stringContaining('only 1 turns') },
  });
  expect(server.violations.map(({ rule }) => rule)).toEqual(['script']);
  expect(await (await server.request(1)).outcome).toBe('answered');
});

test('a script function that throws is answered 400 with its message', async () => {
  const server = await serve(() => {
    throw new Error('no listing was sent');
  });
  const response = await post(server, '/chat/completions', hello);
  expect(await response.json()).toMatchObject({ error: { code: 'script', message: 'no listing was sent' } });
});

test('a script function learns that the client has left', async () => {
  let aborted: Promise<void> | undefined;
  const server = await serve((_request, { signal }) => {
    aborted = new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    return new Promise(() => undefined);
  });
  const controller = new AbortController();
  const pending = post(server, '/chat/completions', hello, { signal: controller.signal });
  const request = await server.request(0);
  controller.abort(new Error('stop'));
  await expect(pending).rejects.toThrow('stop');
  expect(await request.outcome).toBe('client-gone');
  await aborted;
});
