import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createHooks } from '../src/index.ts';
import { dies, isAlive, lineOf } from './support/processes.ts';
import { putToWork, stored } from './support/session.ts';

test('an asynchronous command is not waited for, cannot block, and is told of when it has ended', async () => {
  const command = 'cat ready && echo "no" >&2 && exit 2';
  const hooks = createHooks({
    preToolUse: [{ hooks: [{ command: `mkfifo ready; echo > made; ${command}`, async: true }, { command: 'true' }] }],
  });
  const { run, ended, folder } = putToWork(hooks);
  const outcome = await run({ type: 'PreToolUse', toolName: 'terminal', actionId: 'a' });
  expect(outcome.blocked).toBe(false);
  expect(outcome.events.map((event) => event.hook_command)).toEqual(['true']);
  expect(ended).toEqual([]);
  await lineOf(join(folder, 'made'));
  await once(spawn('/bin/sh', ['-c', 'echo go > ready'], { cwd: folder }), 'exit');
  await vi.waitFor(() => expect(ended).toHaveLength(1), 100_000);
  expect(stored(ended[0])).toMatchObject({
    hook_event_type: 'PreToolUse',
    blocked: false,
    exit_code: 2,
    stdout: 'go\n',
    stderr: 'no\n',
    action_id: 'a',
  });
});

test('an asynchronous function is not waited for', async () => {
  const answer = Promise.withResolvers<{ decision: 'deny'; reason: string }>();
  const hooks = createHooks({
    stop: [{ hooks: [{ type: 'function', name: 'slow', async: true, run: () => answer.promise }] }],
  });
  const { run, ended } = putToWork(hooks);
  expect(await run({ type: 'Stop' })).toEqual({
    events: [],
    blocked: false,
    reason: undefined,
    additionalContext: undefined,
  });
  answer.resolve({ decision: 'deny', reason: 'too late' });
  await vi.waitFor(() => expect(ended).toHaveLength(1), 100_000);
  expect(stored(ended[0])).toMatchObject({ hook_command: 'function:slow', blocked: false, exit_code: 2 });
});

test('the end of a conversation ends asynchronous hooks and their children, and tells of them', async () => {
  const command = `trap '' TERM; sleep 1000 & echo $! > child; echo $$ > shell; wait`;
  const hooks = createHooks({
    stop: [
      {
        hooks: [
          { command, async: true },
          { type: 'function', name: 'deaf', async: true, run: () => new Promise(() => undefined) },
        ],
      },
    ],
  });
  const { run, runner, ended, folder } = putToWork(hooks);
  await run({ type: 'Stop' });
  const pids = await Promise.all([lineOf(join(folder, 'shell')), lineOf(join(folder, 'child'))]);
  await runner.close();
  await Promise.all(pids.map(dies));
  expect(ended.map((event) => stored(event).error)).toEqual(Array(2).fill('it was ended before it had answered'));
  await runner.close();
});

test('an asynchronous hook is ended at its timeout', async () => {
  const hooks = createHooks({
    stop: [{ hooks: [{ command: 'echo $$ > shell; sleep 1000', timeout: 3, async: true }] }],
  });
  const { run, ended, folder } = putToWork(hooks);
  await run({ type: 'Stop' });
  await vi.waitFor(() => expect(ended).toHaveLength(1), 100_000);
  expect(stored(ended[0])).toMatchObject({ success: false, error: 'it did not end within 3 s' });
  await dies(await lineOf(join(folder, 'shell')));
});

test('an interrupt of the run leaves asynchronous hooks alone', async () => {
  const hooks = createHooks({ stop: [{ hooks: [{ command: 'echo $$ > shell; sleep 1000', async: true }] }] });
  const { run, ended, folder } = putToWork(hooks);
  const interrupt = new AbortController();
  await run({ type: 'Stop' }, interrupt.signal);
  const pid = await lineOf(join(folder, 'shell'));
  interrupt.abort();
  await expect(run({ type: 'Stop' }, interrupt.signal)).rejects.toBe(interrupt.signal.reason);
  expect(ended).toEqual([]);
  expect(await isAlive(pid)).toBe(true);
});

test('a closed conversation starts no asynchronous hook', async () => {
  const hooks = createHooks({ stop: [{ hooks: [{ command: 'echo > ran', async: true }, { command: 'ls' }] }] });
  const { run, runner, ended } = putToWork(hooks);
  await runner.close();
  expect(stored((await run({ type: 'Stop' })).events[0]).stdout).toBe('');
  expect(ended).toMatchObject([{ success: false, exit_code: -1 }]);
});

test('nothing keeps the process after close', async () => {
  // as it is built, because the oldest Node does not know all words of the sources
  const script = `
    import { createHooks } from '@conv/hooks';
    const hooks = createHooks({ stop: [{ hooks: [
      { command: 'sleep 1000 & sleep 1000', async: true },
      { type: 'function', name: 'deaf', async: true, run: () => new Promise(() => undefined) },
    ] }] });
    const runner = hooks.start({ conversationId: 'c', workingDirectory: process.cwd(), onAsyncEnd: () => undefined });
    await runner.run({ type: 'Stop' }, new AbortController().signal);
    await runner.close();
    process.stdout.write('closed');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: import.meta.dirname,
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(printed).toBe('closed');
});
