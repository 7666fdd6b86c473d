import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test } from 'vitest';

import { examplesIn, runExample, runExamples } from '../src/support/run-examples.ts';

/** A folder with these programs. */
async function folderWith(programs: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-examples-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(programs)) await writeFile(join(folder, name), text);
  return folder;
}

async function told(programs: Readonly<Record<string, string>>): Promise<{ ok: boolean; lines: readonly string[] }> {
  const lines: string[] = [];
  const ok = await runExamples({ folder: await folderWith(programs), print: (line) => void lines.push(line) });
  return { ok, lines };
}

test('each example has its line, in the order of their names', async () => {
  const { ok, lines } = await told({ 'b.js': 'console.log("unseen")', 'a.js': '', 'a.d.ts': '', 'a.js.map': '' });
  expect(ok).toBe(true);
  expect(lines).toEqual([
    expect.stringMatching(/^✓ a  [\d.]+ s$/),
    expect.stringMatching(/^✓ b  [\d.]+ s$/),
    '2 of 2 examples hold',
  ]);
});

test.each([
  ['a claim that does not hold', "require('node:assert').equal(1, 2)", /1 == 2/],
  ['an exit code', 'console.error("why"); process.exitCode = 3', /why/],
  ['a kill', 'console.log("so far"); process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)', /^/],
])('%s fails the whole run, and what the example wrote is shown', async (_, text, shown) => {
  const { ok, lines } = await told({ 'bad.js': text, 'good.js': '' });
  expect(ok).toBe(false);
  expect(lines[0]).toMatch(/^✗ bad {2}exit (1|3|SIGKILL), [\d.]+ s$/);
  expect(lines[1]).toMatch(shown);
  expect(lines.slice(2)).toEqual([expect.stringMatching(/^✓ good/), '1 of 2 examples hold']);
});

test('a run that saw no example is a failure', async () => {
  expect(await told({})).toEqual({ ok: false, lines: ['there are no examples'] });
});

test('one example alone ends as it ends', async () => {
  const folder = await folderWith({ 'bad.js': 'process.exit(4)', 'good.js': '' });
  expect(await runExample('bad', { folder })).toBe(4);
  expect(await runExample('good', { folder })).toBe(0);
});

test('the README lists every example with its command', async () => {
  const examples = examplesIn({ folder: fileURLToPath(new URL('../dist', import.meta.url)), except: ['main'] });
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const listed = [...readme.matchAll(/npm run examples -- ([\w-]+)/g)].map(([, name = '']) => name);
  expect(listed.toSorted()).toEqual(examples);
  expect(examples.length).toBeGreaterThan(4);
});
