import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import type { JsonObject } from '@conv/core';
import { call, createModelServer, lastUserText, say, toolResults, type ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { eventsOf, make, payload, says, until } from '../calls.ts';
import { newFolder } from '../new-folder.ts';
import { ServerProcess } from '../server-process.ts';
import { attempts, type Attempt, type Stop, type Target } from './attempts.ts';

const CANARY = 'deploy-value-canary-8c1e';
/** Keys of collectors, as the variables of the exporter hold them. */
const COLLECTORS = ['hcaik-collector-canary-5d20', 'hcaik-traces-canary-77b3'];
const RISKY = {
  confirmation_policy: { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: true },
  security_analyzer: { kind: 'PatternSecurityAnalyzer' },
};

/** Stands in an attempt in the place of a key. */
const SHOWN: Readonly<Record<Stop, RegExp>> = {
  'nothing to find': /ObservationEvent/,
  refused: /Unauthorized|Forbidden|start link was used|Disallowed|Too many/,
  masked: /<secret-hidden>/,
  'rated HIGH': /^$/,
};

let model: ModelServer;
let server: ServerProcess;
/** Asks before each action; one of its actions waits. */
let other: string;
const cwd = newFolder();

beforeAll(async () => {
  // does what it is told: `run COMMAND` in the terminal, then it says what that printed
  const script = (request: Parameters<typeof lastUserText>[0]) => {
    const told = lastUserText(request);
    const [result] = toolResults(request);
    return result || !told.startsWith('run ') ? say('done') : call('terminal', { command: told.slice(4) });
  };
  model = await createModelServer({ script });
  // as a user starts it first, with nothing set but where traces go; unconfined, because these rules hold without a sandbox too
  const env = {
    HOME: cwd,
    CONV_SANDBOX: 'off',
    OTEL_EXPORTER_OTLP_HEADERS: `x-honeycomb-team=${COLLECTORS[0]},x-dataset=blue`,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: `authorization=Bearer%20${COLLECTORS[1]}`,
  };
  server = await ServerProcess.start({ cwd, env });
  writeFileSync(join(cwd, 'collector.yaml'), COLLECTORS.map((key) => `key: ${key}\n`).join(''));
  await server.call('PUT', '/api/settings/secrets', { name: 'DEPLOY', value: CANARY });
  other = (await conversation({ confirmation_policy: { kind: 'AlwaysConfirm' } }, 'run touch approved')).id;
  await until(server, other, 'waiting_for_confirmation');
});

afterAll(async () => {
  await server.stop();
  await model.close();
});

async function conversation(more: JsonObject, told?: string): Promise<{ readonly id: string }> {
  const llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-model-canary-41d9', num_retries: 0 };
  const message = told === undefined ? {} : { initial_message: says(told, { run: true }) };
  return make(server, { ...payload({ cwd, llm }), ...more, ...message });
}

function targetOf(id: string): Target {
  const own = join(cwd, 'workspace/conversations', id.replaceAll('-', ''));
  return { url: server.url, port: new URL(server.url).port, pid: server.pid, folder: cwd, own, other };
}

/** Lets an agent run a command without approval. Resolves with the text that the agent and its clients see. */
async function shownOf({ command }: Attempt): Promise<string> {
  const { id } = await conversation({});
  await server.call('POST', `/api/conversations/${id}/events`, says(`run ${command(targetOf(id))}`, { run: true }));
  await until(server, id, 'finished', 'error', 'stuck');
  return JSON.stringify((await eventsOf(server, id)).filter(({ kind }) => kind === 'ObservationEvent'));
}

function secretKey(): string {
  return readFileSync(join(cwd, 'workspace/.openhands/secret.key'), 'utf8').trim();
}

/** The keys of the server, as commands may print them. */
function needles(): readonly string[] {
  const key = secretKey();
  return [
    server.key as string,
    CANARY,
    ...COLLECTORS,
    key,
    Buffer.from(`${key}\n`).toString('base64').slice(0, 40),
    Buffer.from(key).toString('hex'),
  ];
}

function stoppedBy(...stops: readonly Stop[]): readonly Attempt[] {
  return attempts.filter(({ stop }) => stops.includes(stop));
}

describe.skipIf(process.platform !== 'linux')('an agent whose commands nobody is asked about', () => {
  test.each(stoppedBy('nothing to find', 'refused', 'masked'))(
    'P9: an agent without approvals is shown no key by $name: $stop',
    async (one) => {
      const shown = await shownOf(one);
      expect(shown).toContain('ObservationEvent');
      expect(needles().filter((needle) => shown.includes(needle))).toEqual([]);
      expect(shown).toMatch(SHOWN[one.stop]);
    },
  );

  test('P10: an agent without approvals has approved nothing and loosened nothing for others', async () => {
    const { body } = await server.call<JsonObject>('GET', `/api/conversations/${other}`);
    expect(body).toMatchObject({
      confirmation_policy: { kind: 'AlwaysConfirm' },
      execution_status: 'waiting_for_confirmation',
    });
  });
});

describe('an agent whose risky commands a person is asked about', () => {
  test.each(stoppedBy('rated HIGH'))('P10: an agent with approvals does not get to $name', async ({ command }) => {
    const { id } = await conversation(RISKY);
    await server.call('POST', `/api/conversations/${id}/events`, says(`run ${command(targetOf(id))}`, { run: true }));
    const { execution_status: status } = await until(server, id, 'waiting_for_confirmation', 'finished', 'error');
    expect(status).toBe('waiting_for_confirmation');
  });
});

test('P9: a command of the server inherits no key of a collector', async () => {
  const { status, body } = await server.call('POST', '/api/bash/execute_bash_command', { command: 'env' });
  expect(status).toBe(200);
  expect(JSON.stringify(body)).toContain('PATH=');
  expect(needles().filter((needle) => JSON.stringify(body).includes(needle))).toEqual([]);
});

test('P10: a tool of a client that is named as a built-in one is refused', async () => {
  for (const name of ['think', 'finish']) {
    const tool = { name, description: 'Does as it likes.', parameters: { type: 'object', properties: {} } };
    const llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-model-canary-41d9' };
    const agent = { ...(payload({ cwd, llm })['agent'] as JsonObject), include_default_tools: [] };
    const body = { ...payload({ cwd, llm }), agent, client_tools: [tool] };
    const { status } = await server.call('POST', '/api/conversations', body);
    expect([name, status]).toEqual([name, 422]);
  }
});

test.each([
  ['a filter', { '.gitattributes': '* filter=evil\n' }, ['filter.evil.clean', 'touch MARK']],
  ['a filter that is a process', { '.gitattributes': '* filter=evil\n' }, ['filter.evil.process', 'touch MARK']],
  ['a watcher of files', {}, ['core.fsmonitor', 'touch MARK']],
  ['a program for signatures', {}, ['gpg.program', './evil.sh']],
  ['a difference tool', { '.gitattributes': '* diff=evil\n' }, ['diff.evil.textconv', 'touch MARK']],
  ['a program for ssh', {}, ['core.sshCommand', 'touch MARK']],
  ['a pager', {}, ['core.pager', 'touch MARK']],
] as const)('reading git runs no program that a repository names: %s', async (_, files, [name, value]) => {
  const folder = newFolder();
  const mark = join(folder, 'ran');
  const git = (...args: readonly string[]): void => void execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
  git('init', '-q');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first');
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/a.txt'), 'text\n');
  writeFileSync(join(folder, 'evil.sh'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  git('config', name, value.replace('MARK', mark));
  git('config', 'log.showSignature', 'true');
  const changes = await server.call('GET', `/api/git/changes?path=${folder}`);
  expect(changes.status).toBe(200);
  await server.call('GET', `/api/git/diff?path=${folder}/src/a.txt`);
  expect(existsSync(mark)).toBe(false);
});
