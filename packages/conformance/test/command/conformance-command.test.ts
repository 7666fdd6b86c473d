import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test, vi } from 'vitest';

const COMMAND = fileURLToPath(new URL('../../dist/command/main.js', import.meta.url));
const STORE = import.meta.resolve('@conv/core/store');

interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs the command on a module with this text, from the folder that it is in. */
async function check(text: string, ...options: readonly string[]): Promise<Ran> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-command-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'my-store.ts'), text);
  const args = [COMMAND, './my-store.ts', ...options];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: folder }, (_error, output, errors) =>
      resolve({ code: child.exitCode, output, errors }),
    );
  });
}

const sound = `import { MemoryStore } from '${STORE}';
export function createStore(directory: string): MemoryStore {
  if (directory === '') throw new Error('no folder');
  return new MemoryStore();
}`;

/** A store with a parameter property, in TypeScript that Node does not run as it is. */
const PROPERTY = `import { MemoryStore } from '${STORE}';
export class Store extends MemoryStore { constructor(readonly folder: string) { super(); } }
export const createStore = (directory: string) => new Store(directory);`;

/** A store that delivers every log without its commits. */
const broken = `import { MemoryStore } from '${STORE}';
class Broken extends MemoryStore {
  async read(id: string) {
    const reader = await super.read(id);
    if (reader) reader.commits = async function* () {};
    return reader;
  }
}
export const harness = {
  make: async () => {
    const store = new Broken();
    return { store, again: async () => store, dispose: () => store.close() };
  },
};`;

test('a store that keeps the contract has a line for each case, a sum, and exit code 0', async () => {
  const { code, output } = await check(sound);
  const lines = output.trim().split('\n');
  expect(lines.filter((line) => line.startsWith('ok      ')).length).toBeGreaterThan(70);
  expect(lines.at(-1)).toMatch(
    /^(\d+) of \1 cases hold; \d+ more do not apply to \{.*"takeOver":false,"damageRecord":false,"swapLogs":false,"loseAnswer":false,"delayWrite":false,"goAway":false,"requests":false\}$/,
  );
  expect(code).toBe(0);
});

test('a store that breaks it is told which case and why, with exit code 1', async () => {
  const { code, output } = await check(broken, '--only', 'reads back as it was appended');
  expect(output).toMatch(/^FAILED {2}a commit reads back as it was appended[^\n]*\n {8}\S/);
  expect(output).toMatch(/\n0 of 1 cases hold\n$/);
  expect(code).toBe(1);
});

test('each case and the sum are a line of JSON with --json', async () => {
  const { output } = await check(broken, '--only', 'reads back as it was appended', '--json');
  const lines = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toEqual([
    { case: expect.any(String), ok: false, milliseconds: expect.any(Number), reason: expect.any(String) },
    expect.objectContaining({ cases: 1, passed: 0, failed: 1 }),
  ]);
});

test('a store with parameter properties is checked when Node transforms its types', async () => {
  vi.stubEnv('NODE_OPTIONS', '--experimental-transform-types --no-warnings');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { code, output } = await check(PROPERTY, '--only', 'reads back as it was appended');
  expect([code, output]).toEqual([0, expect.stringContaining('ok      a commit reads back as it was appended')]);
});

test('an unhandled rejection of the store fails the case in which it happens', async () => {
  const stray = `import { MemoryStore } from '${STORE}';
class Stray extends MemoryStore {
  async open(id: string, options: { owner: string }) {
    void Promise.reject(new Error('stray'));
    return super.open(id, options);
  }
}
export default () => new Stray();`;
  const { code, output } = await check(stray, '--only', 'create ifMissing opens an existing conversation');
  expect(output).toContain('a rejection without a handler: Error: stray');
  expect(code).toBe(1);
});

test.each([
  ['export const other = 1;', [], /exports neither harness nor createStore, but other/],
  [sound, ['--only', 'what no case says'], /no case that applies contains "what no case says"/],
  [sound, ['second.ts'], /expected one module/],
  [sound, ['--fast'], /--fast/],
  ['throw new Error("it does not load");', [], /it does not load/],
  ['this is no program', [], /^\S*my-store\.ts:1: .*; correct this line\n$/],
  [
    'export default class Store {}',
    [],
    /^\.\/my-store\.ts: default: expected a function such as \(directory\) => new Store\(directory\), found the class Store\n$/,
  ],
  ['export async function createStore() {}', [], /createStore: its result: expected a store, found nothing\n$/],
  ['export const harness = { make: 3 };', [], /harness: expected an object such as \{ make: .* \}, found an object\n$/],
  [
    PROPERTY,
    [],
    /^\S*my-store\.ts:2: TypeScript parameter property is not supported .*--experimental-transform-types\n$/,
  ],
])('P13: the command says why nothing can be checked, with exit code 2 (%#)', async (text, options, message) => {
  const { code, errors } = await check(text, ...options);
  expect(errors).toMatch(message);
  expect(code).toBe(2);
});

test('P13: the command says that a module is not there, with exit code 2', async () => {
  const { code, errors } = await new Promise<Ran>((resolve) => {
    const child = execFile(process.execPath, [COMMAND, './no-store.ts'], (_error, output, said) =>
      resolve({ code: child.exitCode, output, errors: said }),
    );
  });
  expect([code, errors]).toEqual([2, './no-store.ts: there is no such file\n']);
});
