import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Conversation } from '@conv/core';
import { local } from '@conv/local';
import { sandboxProblem } from '@conv/sandbox';
import { keptPort } from '@conv/testing-harness';
import { createModelServer, type ModelServer } from '@conv/testing-model-server';
import { openStore } from '@conv/stores';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { newFolder } from '../new-folder.ts';
import { eventually, launch, ServerProcess, type Setting } from '../server-process.ts';
import { KEY, make, MODEL_KEY, openLoop, resultsIn, script, type LoopPlaces } from './loop.ts';

const hasSandbox = (await sandboxProblem()) === undefined;
const UNKNOWN = 'outcome of this call is unknown';
const SECRET = 'value-of-the-secret-9d31';

let model: ModelServer;

beforeAll(async () => {
  model = await createModelServer({ script, apiKey: MODEL_KEY });
});

afterAll(() => model.close());

/** An executor as a process, and the places of a loop that uses it. */
interface Pair {
  readonly executor: ServerProcess;
  readonly places: LoopPlaces;
  /** The folder of the executor, with its workspace in it. */
  readonly cwd: string;
}

async function startExecutor(setting: Partial<Setting> = {}): Promise<Pair> {
  const cwd = setting.cwd ?? newFolder();
  const env = { OH_SESSION_API_KEYS_0: KEY, ...setting.env };
  const executor = await ServerProcess.start({ cwd, env, args: ['--executor', ...(setting.args ?? [])] });
  onTestFinished(() => executor.kill('SIGKILL'));
  const places = { store: newFolder(), model: model.url, executor: executor.url, workingDir: join(cwd, 'project') };
  return { executor, places, cwd };
}

/** Opens a conversation that is closed when the test ends. */
async function open(places: LoopPlaces): Promise<Conversation> {
  const conversation = await openLoop(places);
  onTestFinished(() => conversation.close());
  return conversation;
}

/** True if a process with this argument runs. */
function runs(argument: string): boolean {
  return readdirSync('/proc').some((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes(argument);
    } catch {
      return false;
    }
  });
}

describe('a conversation whose commands and files are in an executor', () => {
  test('a conversation with an executor acts there, in one shell, and keeps its log here', async () => {
    const { places } = await startExecutor();
    const conversation = await open(places);
    const path = join(places.workingDir, 'note.txt');
    const [made, edited, run] = await make(
      conversation,
      ['file_editor', { command: 'create', path, file_text: 'one\n' }],
      ['file_editor', { command: 'str_replace', path, old_str: 'one', new_str: 'two' }],
      ['terminal', { command: 'X=from-a-variable; pwd; cat note.txt; (exit 7)' }],
    );
    expect(made).toContain('Created');
    expect(edited).toContain('Edited');
    expect(JSON.parse(run ?? '')).toMatchObject({
      content: [{ text: `${places.workingDir}\ntwo` }],
      exit_code: 7,
      kind: 'TerminalObservation',
    });
    const [kept] = await make(conversation, ['terminal', { command: 'echo "$X"' }]);
    expect(kept).toContain('from-a-variable');
    expect(readFileSync(path, 'utf8')).toBe('two\n');
  });

  test('P5: a conversation reads that the outcome is unknown when its executor is killed, and goes on', async () => {
    const args = ['--port', String(await keptPort())];
    const { executor, places, cwd } = await startExecutor({ args });
    const conversation = await open(places);
    const started = join(places.workingDir, 'started');
    const running = make(conversation, ['terminal', { command: 'touch started; sleep 4217' }]);
    await eventually(() => existsSync(started));
    executor.kill('SIGKILL');
    expect(await running).toEqual([expect.stringContaining(UNKNOWN)]);
    const [away] = await make(conversation, ['terminal', { command: 'echo lost > lost' }]);
    expect(away).toContain('This call had no effect');
    await startExecutor({ cwd, args });
    const [back] = await make(conversation, ['terminal', { command: 'ls; echo back' }]);
    expect(JSON.parse(back ?? '')).toMatchObject({ content: [{ text: 'started\nback' }], exit_code: 0 });
  });

  test('P4: a conversation makes no call twice when its own process is killed, and the command ends', async () => {
    const { places } = await startExecutor();
    const id = crypto.randomUUID();
    const program = fileURLToPath(new URL('run-and-wait.ts', import.meta.url));
    const wanted = ['terminal', { command: 'echo run >> runs; sleep 4218' }];
    const loop = execa(process.execPath, [program, JSON.stringify({ places: { ...places, id }, wanted })], {
      reject: false,
    });
    await eventually(() => existsSync(join(places.workingDir, 'runs')));
    loop.kill('SIGKILL');
    await loop;
    await eventually(() => !runs('4218'));
    const conversation = await open({ ...places, id });
    expect(await resultsIn(conversation)).toEqual([expect.stringContaining('outcome is unknown')]);
    const [runsSeen] = await make(conversation, ['terminal', { command: 'cat runs' }]);
    expect(JSON.parse(runsSeen ?? '')).toMatchObject({ content: [{ text: 'run' }] });
  });

  test('a conversation ends the command in its executor when it is interrupted', async () => {
    const { places } = await startExecutor();
    const conversation = await open(places);
    const running = make(conversation, ['terminal', { command: 'touch started; sleep 4219' }]);
    await eventually(() => existsSync(join(places.workingDir, 'started')) && runs('4219'));
    await conversation.interrupt();
    await running;
    await eventually(() => !runs('4219'));
  });

  test('a conversation reads that the executor refuses a wrong key', async () => {
    const { places } = await startExecutor();
    const conversation = await open({ ...places, key: 'another-key-of-someone' });
    const [refused] = await make(conversation, ['terminal', { command: 'touch made' }]);
    expect(refused).toMatch(/refuses the key: .*401.*This call had no effect/s);
    expect(existsSync(join(places.workingDir, 'made'))).toBe(false);
  });

  test('a conversation does not open without its executor, where its commands would run on this machine', async () => {
    const { places } = await startExecutor();
    const conversation = await openLoop(places);
    const { id } = conversation;
    await make(conversation, ['terminal', { command: 'true' }]);
    await conversation.close();
    const opened = await openStore(`fs:${places.store}`);
    onTestFinished(() => opened.close());
    const { store } = opened;
    const runtime = local({ storeAt: () => store });
    await expect(runtime.open({ id, store, create: 'never' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('expected the executor'),
    });
  });
});

describe('an executor', () => {
  test('P9: an executor holds no key of the model, and secrets only while a command that names them runs', async () => {
    const { executor, places, cwd } = await startExecutor();
    const conversation = await open({ ...places, secrets: { SECRET } });
    const [shown, environment] = await make(
      conversation,
      ['terminal', { command: 'echo "$SECRET ${#SECRET}"' }],
      ['terminal', { command: 'env' }],
    );
    expect(shown).toContain(`<secret-hidden> ${SECRET.length}`);
    expect(environment).not.toContain('SECRET');
    const { stdout: files } = await execa('grep', ['-rlE', `${MODEL_KEY}|${SECRET}|${KEY}`, cwd], { reject: false });
    expect(files).toBe('');
    for (const file of ['environ', 'cmdline'])
      expect(readFileSync(`/proc/${executor.pid}/${file}`, 'utf8')).not.toMatch(new RegExp(`${MODEL_KEY}|${KEY}`));
    expect(executor.log).not.toContain(SECRET);
    expect(environment).not.toMatch(new RegExp(`${MODEL_KEY}|${KEY}`));
  });

  test('an executor serves commands and files with its key, and no conversation, no setting and no model', async () => {
    const { executor, cwd } = await startExecutor();
    const ran = await executor.call('POST', '/api/bash/execute_bash_command', { command: 'echo hello', cwd });
    expect(ran).toMatchObject({ status: 200, body: { stdout: 'hello\n', exit_code: 0 } });
    for (const path of ['conversations/search', 'settings', 'settings/secrets', 'llm/models', 'profiles'])
      expect(await executor.call('GET', `/api/${path}`)).toMatchObject({ status: 404 });
    expect(await executor.call('POST', '/api/conversations', {})).toMatchObject({ status: 404 });
    const path = `/api/executor/${crypto.randomUUID()}/requests`;
    const without = { 'x-session-api-key': '' };
    expect(await executor.call('POST', path, {}, without)).toMatchObject({ status: 401 });
    expect((await executor.call('GET', '/server_info')).body).toMatchObject({ capabilities: [] });
  });

  test.skipIf(!hasSandbox)(
    'an executor confines commands and files of a conversation in a sandbox of its own',
    async () => {
      const { places, cwd } = await startExecutor({ args: ['--sandbox', 'on'] });
      writeFileSync(join(cwd, 'outside'), 'content outside');
      const conversation = await open(places);
      const [command, edit, shared] = await make(
        conversation,
        ['terminal', { command: 'cat ../outside; echo inside > /tmp/shared' }],
        ['file_editor', { command: 'view', path: join(cwd, 'outside') }],
        ['file_editor', { command: 'view', path: '/tmp/shared' }],
      );
      expect(command).toContain('../outside: No such file');
      expect(edit).not.toContain('content outside');
      expect(JSON.parse(edit ?? '')).toMatchObject({ is_error: true });
      expect(shared).toContain('inside');
    },
  );

  test('an executor makes a token when it was given no key', async () => {
    const cwd = newFolder();
    const executor = await ServerProcess.start({ cwd, args: ['--executor'] });
    onTestFinished(() => executor.kill('SIGKILL'));
    expect(executor.key).toMatch(/^[\w-]{43}$/);
    expect(readdirSync(join(cwd, 'workspace')).toSorted()).toEqual(['.openhands', 'project']);
  });

  test('an executor does not listen for other machines without a key', async () => {
    const { exitCode, stderr } = await launch({ cwd: newFolder(), args: ['--executor', '--host', '0.0.0.0'] });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('no key is set');
  });
});
