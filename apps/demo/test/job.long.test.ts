import { existsSync, readdirSync } from 'node:fs';

import { isCi } from '@conv/testing-harness';
import { createModelServer, type Turn } from '@conv/testing-model-server';
import { expect, test, vi } from 'vitest';

import { jobScript } from '../src/job/script.ts';
import { demo } from './command.ts';
import { newFolder } from './new-folder.ts';

/** CI plays the job by the command that people use. */
test.skipIf(isCi)(
  'P4 P5: the scripted job survives its own SIGKILL, checks every claim, and leaves no folder behind',
  async () => {
    const setting = { cwd: newFolder(), env: { TMPDIR: newFolder() } };
    const { stdout, stderr, exitCode } = await demo(setting);
    expect(stderr).toBe('');
    expect(stdout).toContain('no LLM_MODEL is set, so a script answers');
    expect(stdout.match(/✗(?! terminal)/g)).toBeNull();
    expect(stdout).toMatch(/claims\s+all 20 hold/);
    expect(exitCode).toBe(0);
    // the folder of a killed shell goes a moment later, when it is missed
    await expect.poll(() => readdirSync(setting.env.TMPDIR), { timeout: 100_000 }).toEqual([]);
  },
);

test('a configured model that writes a wrong number makes the job fail, and the claim is named', async () => {
  await using server = await createModelServer({ script: (request) => withWrongCount(jobScript(request)) });
  const env = { LLM_MODEL: 'openai/liar', LLM_BASE_URL: server.url, TMPDIR: newFolder() };
  const { stdout, exitCode } = await demo({ cwd: newFolder(), env });
  expect(stdout).toContain('model     openai/liar');
  expect(stdout).toMatch(/✗ FACTS\.txt holds what other code counted/);
  expect(stdout).toMatch(/claims\s+3 of 19 are wrong/);
  expect(exitCode).toBe(1);
});

test('Ctrl-C ends the job with 130, its processes and its folder', async () => {
  const env = { TMPDIR: newFolder() };
  const job = demo({ cwd: newFolder(), env });
  let said = '';
  const started = new Promise<number>((resolve) => {
    job.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const [, pid] = /A process starts the job \(pid (\d+)\)[^]*agent · terminal/.exec(said) ?? [];
      if (pid !== undefined) resolve(Number(pid));
    });
  });
  const worker = await started;
  job.kill('SIGINT');
  expect((await job).exitCode).toBe(130);
  expect(() => process.kill(worker, 0)).toThrow('ESRCH');
  expect(existsSync(env.TMPDIR) && readdirSync(env.TMPDIR).filter((name) => name.startsWith('conv-demo-'))).toEqual([]);
});

test('Ctrl-C while the repository is still being copied leaves no folder either', async () => {
  const env = { TMPDIR: newFolder() };
  const job = demo({ cwd: newFolder(), env });
  await vi.waitUntil(() => readdirSync(env.TMPDIR).length > 0, { timeout: 100_000, interval: 1 });
  job.kill('SIGINT');
  expect((await job).exitCode).toBe(130);
  expect(readdirSync(env.TMPDIR)).toEqual([]);
});

test('the scripted job whose output has no reader ends and removes its folder', async () => {
  const env = { TMPDIR: newFolder() };
  const job = demo({ cwd: newFolder(), env });
  job.stdout.destroy();
  const { stderr, exitCode } = await job;
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 130 });
  // the folder of a killed shell goes a moment later, when it is missed
  await expect.poll(() => readdirSync(env.TMPDIR), { timeout: 100_000 }).toEqual([]);
});

/** Adds one to the count of tests wherever the script writes or shows it. */
function withWrongCount(turn: Turn): Turn {
  if (!('toolCalls' in turn)) return turn;
  const [first] = turn.toolCalls ?? [];
  if (first?.name !== 'file_editor') return turn;
  const wrong = JSON.stringify(first.arguments).replace(
    /tests: (\d+)/,
    (_, count: string) => `tests: ${Number(count) + 1}`,
  );
  return { ...turn, toolCalls: [{ ...first, arguments: JSON.parse(wrong) as object }] };
}
