import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { systemPlatform } from '@conv/core/platform';
import { expect, test } from 'vitest';
import { createHooks } from '../src/index.ts';
import { dies, isAlive, lineOf } from './support/processes.ts';
import { type HooksAtWork, putToWork, stored } from './support/session.ts';

// a shell with a child and a grandchild that ignore requests to end
const STUBBORN = `trap '' TERM; (trap '' TERM; sleep 1000 & echo $! > child; wait) & echo $$ > shell; wait`;

function stopping(command: string, timeout = 60): HooksAtWork {
  return putToWork(createHooks({ onError: 'deny', stop: [{ hooks: [{ command, timeout }] }] }));
}

async function pidsIn(folder: string, ...names: readonly string[]): Promise<readonly string[]> {
  return Promise.all(names.map((name) => lineOf(join(folder, name))));
}

async function expectDead(pids: readonly string[]): Promise<void> {
  expect(pids.every((pid) => /^\d+$/.test(pid))).toBe(true);
  await Promise.all(pids.map(dies));
}

test('P7: an interrupt rejects with its reason when a hook and its children are dead', async () => {
  const { run, folder } = stopping(STUBBORN);
  const interrupt = new AbortController();
  const running = run({ type: 'Stop' }, interrupt.signal);
  const pids = await pidsIn(folder, 'shell', 'child');
  expect(await Promise.all(pids.map(isAlive))).toEqual([true, true]);
  const reason = { why: 'enough' };
  interrupt.abort(reason);
  await expect(running).rejects.toBe(reason);
  await expectDead(pids);
});

test('a hook that takes too long is ended with its children and blocks where failures are denials', async () => {
  const { run, folder } = stopping(STUBBORN, 3);
  const outcome = await run({ type: 'Stop' });
  expect(outcome).toMatchObject({ blocked: true, reason: expect.stringContaining('did not end within 3 s') });
  await expectDead(await pidsIn(folder, 'shell', 'child'));
});

test('a hook that is asked to end may clean up, and its output then does not count as a yes', async () => {
  // the milliseconds before the kill pass slowly, because a shell on a busy machine may not run at all in them
  const platform = { ...systemPlatform, monotonic: () => systemPlatform.monotonic() / 100 };
  const command = `trap 'echo cleaned > cleaned; exit 0' TERM; while :; do sleep 0.01; done`;
  const hooks = createHooks({ onError: 'deny', stop: [{ hooks: [{ command, timeout: 3 }] }] }, { platform });
  const { run, folder } = putToWork(hooks);
  const outcome = await run({ type: 'Stop' });
  expect(outcome.blocked).toBe(true);
  expect(stored(outcome.events[0])).toMatchObject({ success: false, exit_code: -1 });
  expect(await lineOf(join(folder, 'cleaned'))).toBe('cleaned');
});

test('a hook that denies and does not end has denied', async () => {
  const hooks = createHooks({
    stop: [{ hooks: [{ command: `echo '{"decision": "deny"}'; sleep 1000`, timeout: 3 }] }],
  });
  expect(await putToWork(hooks).run({ type: 'Stop' })).toMatchObject({ blocked: true });
});

test('a hook that closes its outputs and lives on is ended at its deadline', async () => {
  const { run, folder } = stopping('echo $$ > shell; exec >&- 2>&-; while :; do sleep 0.05; done', 3);
  const outcome = await run({ type: 'Stop' });
  expect(stored(outcome.events[0]).error).toBe('it did not end within 3 s');
  await expectDead(await pidsIn(folder, 'shell'));
});

test('a hook that does not read its input is none the worse', async () => {
  const { run } = putToWork(createHooks({ stop: [{ hooks: [{ command: 'exec <&-; echo done' }] }] }));
  const outcome = await run({ type: 'Stop', message: 'long '.repeat(200_000) });
  const event = stored(outcome.events[0]);
  expect(event).toMatchObject({ success: true, stdout: 'done\n' });
  expect(event.error).toBeUndefined();
});

test('a hook ends with its command, and processes that it left behind are ended', async () => {
  const { run, folder } = stopping('sleep 1000 & echo $! > child; echo early');
  const outcome = await run({ type: 'Stop' });
  expect(stored(outcome.events[0])).toMatchObject({ success: true, stdout: 'early\n' });
  await expectDead(await pidsIn(folder, 'child'));
});

test('output without end is read and dropped until the deadline', async () => {
  const { run } = stopping('yes abcdefghi', 3);
  const before = process.memoryUsage().rss;
  const outcome = await run({ type: 'Stop' });
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  const { stdout = '', error } = stored(outcome.events[0]);
  expect(error).toBe('it did not end within 3 s');
  expect(stdout.length).toBeLessThanOrEqual(50_000);
  expect(stdout).toMatch(/^(abcdefghi\n)+.* … \d+ more characters$/);
});

test('hooks of two conversations run beside each other', async () => {
  const first = putToWork(createHooks({ stop: [{ hooks: [{ command: 'mkfifo pipe && echo > ready && cat pipe' }] }] }));
  const second = putToWork(
    createHooks({ stop: [{ hooks: [{ command: `cat ${first.folder}/ready && echo hello > ${first.folder}/pipe` }] }] }),
  );
  const waiting = first.run({ type: 'Stop' });
  await lineOf(join(first.folder, 'ready'));
  await second.run({ type: 'Stop' });
  expect(stored((await waiting).events[0]).stdout).toBe('hello\n');
});

test('an interrupt between two hooks leaves the second unstarted', async () => {
  const interrupt = new AbortController();
  const started: string[] = [];
  const run = (name: string) => (): void => {
    started.push(name);
    interrupt.abort(name);
  };
  const hooks = createHooks({
    stop: [{ hooks: ['one', 'two'].map((name) => ({ type: 'function', name, run: run(name) }) as const) }],
  });
  await expect(putToWork(hooks).run({ type: 'Stop' }, interrupt.signal)).rejects.toBe('one');
  expect(started).toEqual(['one']);
});

test('a process that has no files left to open continues, and its hooks have failed', async () => {
  const script = `
    import { openSync } from 'node:fs';
    import { createHooks } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)};
    const hooks = createHooks({ onError: 'deny', stop: [{ hooks: [{ command: 'true' }] }] });
    const runner = hooks.start({ conversationId: 'c', workingDirectory: '/', onAsyncEnd: () => undefined });
    process.stdout.write('');
    try { for (;;) openSync('/dev/null'); } catch {}
    const { blocked, reason } = await runner.run({ type: 'Stop' }, new AbortController().signal);
    process.stdout.write(JSON.stringify({ blocked, reason }));
  `;
  const node = `ulimit -n 100; exec "$0" --input-type=module-typescript --eval "$1"`;
  const child = spawn('/bin/sh', ['-c', node, process.execPath, script], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(JSON.parse(printed)).toEqual({ blocked: true, reason: expect.stringContaining('EMFILE') });
});
