import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  call,
  createModelServer,
  fail,
  lastUserText,
  say,
  toolResults,
  type ModelServer,
} from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { serverVersion } from '../src/server-version.ts';
import { make, payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { eventually, ServerProcess } from './server-process.ts';
import { attributesOf, TraceReceiver, type SentSpan } from './trace-receiver.ts';

const SAID = 'message-canary-2b7e';
const PRINTED = 'result-canary-88d1';
const KEY = 'session-key-canary-41aa';

const receiver = new TraceReceiver();
const cwd = newFolder();
let model: ModelServer;
let server: ServerProcess;
let done: string;
let failed: string;

/** Plays two runs: the first calls a tool, the model of the second fails. */
beforeAll(async () => {
  model = await createModelServer({
    script: (request) => {
      if (lastUserText(request) === 'fail') return fail(400, { message: `no: ${SAID}` });
      if (toolResults(request).length > 0) return say(`Done. ${SAID}`);
      return call('terminal', { command: `echo ${PRINTED}` });
    },
  });
  const staticFolder = join(cwd, 'static');
  mkdirSync(join(staticFolder, 'assets'), { recursive: true });
  writeFileSync(join(staticFolder, 'index.html'), '<title>page</title>');
  writeFileSync(join(staticFolder, 'assets', 'script.js'), 'script');
  writeFileSync(join(cwd, 'outside'), 'outside');
  symlinkSync(join(cwd, 'outside'), join(staticFolder, 'link.txt'));
  symlinkSync('..', join(staticFolder, 'up'));
  symlinkSync('assets', join(staticFolder, 'inner'));
  const env = {
    OH_SESSION_API_KEYS_0: KEY,
    CONV_HOST: '127.0.0.1',
    OH_STATIC_FILES_PATH: staticFolder,
    OTEL_EXPORTER_OTLP_ENDPOINT: await receiver.listen(),
    OTEL_SERVICE_NAME: 'watched',
  };
  server = await ServerProcess.start({ cwd, env });
  const llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-model-canary-0192', num_retries: 0 };
  [done, failed] = (
    await Promise.all([1, 2].map(() => make(server, { ...payload({ cwd, llm }), autotitle: false })))
  ).map(({ id }) => id) as [string, string];
  const headers = { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` };
  await server.call('POST', `/api/conversations/${done}/events`, says(SAID, { run: true }), headers);
  await until(server, done, 'finished');
  await server.call('POST', `/api/conversations/${failed}/events`, says('fail', { run: true }));
  await until(server, failed, 'error');
  // a run ends a moment after its status
  await eventually(() => server.lines.filter(({ msg }) => msg === 'run ended').length === 2);
});

afterAll(async () => {
  await server.stop();
  await model.close();
  receiver.close();
});

test("the server's work is counted, under labels of few values", async () => {
  const { status, body } = await server.call<string>('GET', '/metrics');
  expect(status).toBe(200);
  const lines = body.split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'conv_runs_ended_total{status="finished"} 1',
      'conv_runs_ended_total{status="error"} 1',
      `conv_build_info{version="${serverVersion()}",node="${process.versions.node}"} 1`,
      'conv_runs_active 0',
      'conv_runs_waiting 0',
      'conv_conversations_loaded 2',
      'conv_model_call_duration_seconds_count{model="openai/test-model"} 2',
      'conv_tool_call_duration_seconds_count{tool="terminal",outcome="done"} 1',
      'conv_http_request_duration_seconds_count{method="POST",route="/api/conversations",status="201"} 2',
    ]),
  );
  expect(body).toMatch(/conv_model_tokens_total\{model="openai\/test-model",type="prompt"\} [1-9]/);
  expect(body).toContain('process_resident_memory_bytes');
  expect(body).toContain('route="/api/conversations/:conversation_id"');
  expect(body).not.toContain(done);
  const without = await server.call('GET', '/metrics', undefined, { 'x-session-api-key': 'wrong' });
  expect(without.status).toBe(401);
});

test('open sockets are counted by their path', async () => {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/sockets/session/${done}?session_api_key=${KEY}`);
  await new Promise((resolve) => socket.addEventListener('message', resolve, { once: true }));
  const { body } = await server.call<string>('GET', '/metrics');
  expect(body).toContain('conv_sockets_open{path="/sockets/session/{conversation_id}"} 1');
  socket.close();
});

test('requests and runs are logged by their routes and outcomes, without what was said', () => {
  const of = (message: string) => server.lines.filter(({ msg }) => msg === message);
  expect(of('request')).toContainEqual(
    expect.objectContaining({
      method: 'POST',
      route: '/api/conversations/:conversation_id/events',
      status: 200,
      conversation: done,
      ms: expect.any(Number) as number,
    }),
  );
  expect(of('run started').map(({ conversation }) => conversation)).toEqual([done, failed]);
  expect(of('run ended')).toEqual([
    expect.objectContaining({ conversation: done, status: 'finished' }),
    expect.objectContaining({ conversation: failed, status: 'error', failure: expect.any(String) as string }),
  ]);
  for (const canary of [SAID, PRINTED, KEY, 'sk-model-canary']) expect(server.log).not.toContain(canary);
});

test('files of a folder are there without a key, beside the routes, and nothing above the folder is', async () => {
  const page = { accept: 'text/html', 'x-session-api-key': '' };
  for (const path of ['/', '/index.html', '/conversations/1'])
    expect(await server.call('GET', path, undefined, page)).toEqual({ status: 200, body: '<title>page</title>' });
  expect(await server.call('GET', '/assets/script.js', undefined, page)).toEqual({ status: 200, body: 'script' });
  expect((await server.call('GET', '/inner/script.js', undefined, page)).status).toBe(200);
  expect((await server.call('GET', '/assets/none.js')).status).toBe(404);
  for (const path of ['/%2e%2e/outside', '/..%2foutside', '/assets/%2e%2e/%2e%2e/outside', '/link.txt', '/up/outside'])
    expect((await server.call('GET', path)).status).toBe(404);
  expect((await server.call('GET', '/api/nothing', undefined, { accept: 'text/html' })).status).toBe(404);
  expect((await server.call('GET', '/api/conversations/search', undefined, page)).status).toBe(401);
  expect((await server.call('GET', '/server_info')).body).toMatchObject({ title: 'OpenHands Agent Server' });
});

test("runs, steps and calls are traced without their texts, and the program's end sends the rest", async () => {
  expect(await server.stop()).toBe(0);
  expect(new Set(receiver.services)).toEqual(new Set(['watched']));
  const [run, other, ...more] = receiver.spans.filter(({ name }) => name === 'invoke_agent');
  expect(more).toEqual([]);
  expect(run && attributesOf(run)).toMatchObject({ 'gen_ai.conversation.id': done, 'conv.run.status': 'finished' });
  expect(other && attributesOf(other)).toMatchObject({ 'conv.run.status': 'error', 'error.type': 'RUN_FAILED' });
  expect(other?.status.code).toBe(2);
  expect([run?.traceId, run?.parentSpanId]).toEqual(['ab'.repeat(16), 'cd'.repeat(8)]);
  expect(other?.parentSpanId ?? '').toBe('');
  const below = (span: SentSpan | undefined) =>
    receiver.spans.filter(({ parentSpanId, traceId }) => parentSpanId === span?.spanId && traceId === span?.traceId);
  const steps = below(run);
  expect(steps.map(({ name }) => name)).toEqual(['step', 'step']);
  expect(steps.map((step) => below(step).map(({ name }) => name))).toEqual([
    ['chat openai/test-model', 'execute_tool terminal'],
    ['chat openai/test-model'],
  ]);
  const [chat, tool] = below(steps[0]);
  expect(chat && attributesOf(chat)).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'test-model',
    'gen_ai.usage.input_tokens': expect.any(Number) as number,
  });
  expect(tool && attributesOf(tool)).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'terminal',
  });
  expect(BigInt(run?.startTimeUnixNano ?? 0)).toBeLessThanOrEqual(BigInt(tool?.startTimeUnixNano ?? 0));
  expect(BigInt(run?.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(tool?.endTimeUnixNano ?? 0));
  for (const canary of [SAID, PRINTED, KEY, 'sk-model-canary', 'echo']) expect(receiver.received).not.toContain(canary);
});
