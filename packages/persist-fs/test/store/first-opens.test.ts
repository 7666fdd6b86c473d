import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { freshFolder } from '../support/fresh-folder.ts';

const PROGRAM = join(import.meta.dirname, '../support/opener-process.ts');

interface Opener {
  readonly go: () => void;
  /** Resolves with the results of its openings. */
  readonly answers: Promise<readonly string[]>;
}

/** Resolves when the process is ready to open conversations. */
async function startOpener(directory: string, count: number): Promise<Opener> {
  const { promise: ready, resolve: isReady } = Promise.withResolvers<boolean>();
  const opener = spawn(process.execPath, [PROGRAM, directory, String(count)], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void opener.kill('SIGKILL'));
  const answers = (async () => {
    const lines: string[] = [];
    for await (const line of createInterface({ input: opener.stdout }))
      if (line === 'ready') isReady(true);
      else lines.push(line);
    isReady(false);
    return lines;
  })();
  expect(await ready).toBe(true);
  return { go: () => void opener.stdin.end('go'), answers };
}

test.each([
  [1, 100],
  [10, 10],
])(
  'P2: processes (%i) that each open %i new conversations at once in a missing folder get them all',
  async (processes, count) => {
    const directory = join(await freshFolder(), 'not', 'there', 'yet');
    const openers = await Promise.all(Array.from({ length: processes }, () => startOpener(directory, count)));
    for (const { go } of openers) go();
    const answers = (await Promise.all(openers.map((opener) => opener.answers))).flat();
    expect(answers.filter((answer) => answer !== 'opened')).toEqual([]);
    expect(answers).toHaveLength(100);
    expect(readdirSync(directory).filter((name) => /^[0-9a-f]{32}$/.test(name))).toHaveLength(100);
  },
);
