import { readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { SECRET_MASK } from '@conv/core';
import { drafts, type ActionEvent } from '@conv/core/events';
import { defineTool, type Tool } from '@conv/core/tool';
import { call, fail, say } from '@conv/testing-model-server';
import { z } from 'zod';
import { createAgent, createAgentFactory } from '../../src/index.ts';
import { scene, startBench } from '../support/bench.ts';
import { secretsOf, secretsWith } from '../support/masking.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { look } from '../support/tools.ts';

const SECRET = 'hunter2-hunter2-hunter2-hunter2';
const secrets = secretsOf(SECRET);
const { signal } = new AbortController();
/** Parts of the value that a cut leaves. */
const PART = /hunter2/;

/** A text in which the secret lies at every place where a cut may go through it. */
function full(length: number): string {
  return SECRET.repeat(Math.ceil(length / SECRET.length));
}

function toolThat(execute: Tool['execute']): Tool {
  return { ...defineTool({ name: 'tool', description: 'A tool.', input: z.object({}), execute: () => '' }), execute };
}

const called = {
  ...drafts.action({
    action: { data: {}, kind: 'MCPToolAction' },
    tool_name: 'tool',
    tool_call_id: 'call_1',
    tool_call: { id: 'call_1', name: 'tool', arguments: '{}', origin: 'completion' },
    llm_response_id: 'r',
  }),
  id: 'event-1',
  timestamp: '2026-01-01T00:00:00.000000',
} as ActionEvent;

describe('P9: a text is masked before it is cut, because half a value would not be recognised', () => {
  test('P9: a result that is too long is masked in the event and in the file beside the log', async () => {
    const long = full(3_000_000);
    const tool = toolThat(async () => ({ content: [{ type: 'text', text: long }] }));
    await using bench = await startBench(createAgent({ model: scriptedModel([]), tools: [tool] }), { secrets });
    const text = JSON.stringify(await bench.session.execute(called, { signal }));
    const path = /the whole is in ([^\s\\]+)/.exec(text)?.[1] ?? '';
    expect(text).toContain(SECRET_MASK);
    expect(text).not.toMatch(PART);
    const kept = await readFile(path, 'utf8');
    expect(kept).toContain(SECRET_MASK);
    expect(kept).not.toMatch(PART);
  });

  test('P9: the error of a tool is masked', async () => {
    const tool = toolThat(() => Promise.reject(new Error(`a${full(50_000)}`)));
    await using bench = await startBench(createAgent({ model: scriptedModel([]), tools: [tool] }), { secrets });
    const text = JSON.stringify(await bench.session.execute(called, { signal }));
    expect(text).toContain(SECRET_MASK);
    expect(text).not.toMatch(PART);
  });

  test('P9: a long answer, its reasoning, a thought beside a call and the summary of a call are masked', async () => {
    const long = `a${full(300_000)}`;
    const summary = `a${full(600)}`;
    await using stage = await scene(
      [{ ...call('look', { what: 'x', summary }), text: long, reasoning: long }, say(long, { reasoning: long })],
      { agent: { tools: [look] }, session: { secrets } },
    );
    stage.bench.say('Go');
    await stage.bench.step();
    const [acted] = stage.bench.ofKind('ActionEvent');
    expect(acted?.thought[0]?.text).toContain(SECRET_MASK);
    expect(acted?.summary).toContain(SECRET_MASK);
    expect(JSON.stringify([acted?.thought, acted?.summary, acted?.reasoning_content])).not.toMatch(PART);
    await stage.bench.executePending();
    await stage.bench.step();
    expect(JSON.stringify(stage.bench.events.at(-1))).not.toMatch(PART);
  });

  test('P9: parts of the history that a provider repeats in a refusal are masked', async () => {
    const message = `${'x'.repeat(480)} ${SECRET}`;
    await using stage = await scene([fail(400, { message })], { session: { secrets } });
    stage.bench.say('Go');
    const error: unknown = await stage.bench.step().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('xxx') });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(PART);
  });

  test('a text that cannot be masked is not shown', async () => {
    const broken = secretsWith(() => {
      throw new Error('no masker here');
    });
    const tool = toolThat(async () => ({ content: [{ type: 'text', text: full(3_000_000) }] }));
    await using bench = await startBench(createAgent({ model: scriptedModel([]), tools: [tool] }), { secrets: broken });
    expect(await bench.session.execute(called, { signal })).toMatchObject({
      kind: 'ObservationEvent',
      observation: { kind: 'MCPToolObservation', content: [{ text: SECRET_MASK }, { text: SECRET_MASK }] },
    });
  });

  test('P9: the reason that a tool could not be made is masked before it is cut', async () => {
    const factory = { name: 'tool', params: {}, create: () => Promise.reject(new Error(`refused ${SECRET}`)) };
    const starting = startBench(createAgent({ model: scriptedModel([]), tools: [factory] }), { secrets });
    const error: unknown = await starting.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'TOOL_FAILED', message: expect.stringContaining(SECRET_MASK) });
    expect(inspect(error, { depth: 20 })).not.toMatch(PART);
  });
});

describe('P9: keys', () => {
  const KEY = 'sk-test-0123456789abcdef';

  test('an error and its causes hold no key, no header and no part of the request', async () => {
    await using stage = await scene([fail(400, { message: `bad key ${KEY} in ${KEY}`, headers: { 'x-echo': KEY } })], {
      model: { apiKey: KEY, settings: { headers: { 'x-proxy-token': 'proxy-0123456789' } } },
    });
    stage.bench.say('the words of the user');
    const error: unknown = await stage.bench.step().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'BAD_REQUEST', cause: { name: 'AI_APICallError', statusCode: 400 } });
    const shown = inspect(error, { depth: 20, showHidden: true });
    expect(shown).not.toContain(KEY);
    expect(shown).not.toContain('proxy-0123456789');
    expect(shown).not.toContain('the words of the user');
  });

  test('P9: a header of the model is a secret under any name, unless it is a plain word or an address', async () => {
    const headers = {
      'X-Route': 'zq81-route-4477',
      'X-Mode': 'production',
      'HTTP-Referer': 'https://me.example.com/9',
    };
    const llm = { model: 'openai/gpt-4o', api_key: KEY, extra_headers: headers };
    const agent = await createAgentFactory({}).revive({ kind: 'Agent', llm });
    expect(agent?.secretValues?.()).toEqual([KEY, 'zq81-route-4477']);
  });

  test('an agent names the values that must never show, and nothing that is redacted, encrypted or harmless', async () => {
    const factory = createAgentFactory({ mcp: () => scriptedProvider() });
    const agent = await factory.revive({
      kind: 'Agent',
      llm: { model: 'openai/gpt-4o', api_key: KEY, base_url: 'https://models.example.com/v1' },
      agent_context: {
        secrets: {
          PLAIN: 'plain-secret-value',
          TYPED: { kind: 'StaticSecret', value: 'typed-secret-value' },
          REDACTED: '**********',
          ENCRYPTED: 'gAAAAABm-not-of-this-key',
          LOOKED_UP: {
            kind: 'LookupSecret',
            url: 'https://x.example.com',
            headers: { 'X-Api-Key': 'lookup-key-value' },
          },
        },
      },
      mcp_config: {
        tracker: {
          env: {
            TRACKER_TOKEN: 'tracker-token-value',
            NODE_ENV: 'production',
            DATABASE_URL: 'postgres://me:db-pass-word@host/db',
          },
          headers: { Authorization: 'Bearer bearer-token-value', Accept: 'application/json' },
        },
      },
      condenser: { llm: { model: 'x', api_key: 'condenser-key-value' } },
    });
    expect(agent?.secretValues?.().toSorted()).toEqual(
      [
        KEY,
        'plain-secret-value',
        'typed-secret-value',
        'lookup-key-value',
        'tracker-token-value',
        'db-pass-word',
        'Bearer bearer-token-value',
        'bearer-token-value',
        'condenser-key-value',
      ].toSorted(),
    );
  });

  test('P9: the masked keys are those of the other model after a switch', () => {
    const model = scriptedModel([], { secrets: { api_key: 'first-key-value' } });
    const other = scriptedModel([], { secrets: { api_key: 'second-key-value' } });
    expect(createAgent({ model }).secretValues?.()).toEqual(['first-key-value']);
    expect(createAgent({ model }).withModel(other).secretValues?.()).toEqual(['second-key-value']);
  });
});
