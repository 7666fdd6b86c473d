import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Figure } from '../figure.ts';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, '..', 'append-conversations-worker.js');

/** Threads of Node that flush at once: by default, and in a process that our server starts. */
const THREADS = [4, 16] as const;

/** Sizes of a measurement. */
export interface ManyConversations {
  readonly conversations: number;
  /** Appends of each conversation in a round, one at a time. */
  readonly appends: number;
  readonly rounds: number;
}

/** Commits a second of many conversations in folders that append one commit at a time each, beside those of one in the same process. */
export async function appendInConversations(sizes: ManyConversations): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const threads of THREADS) {
    const env = { ...process.env, UV_THREADPOOL_SIZE: String(threads) };
    const { stdout } = await run(process.execPath, [PROGRAM, JSON.stringify(sizes)], { env });
    for (const { name, one, many } of JSON.parse(stdout) as readonly Rates[])
      figures.push({
        name: `fs.append.conversations${sizes.conversations}.${name}.threads${threads}`,
        value: many,
        unit: 'per second',
        baseline: one,
        ratio: many / one,
        ...(threads > 4 ? { target: { of: 'ratio', is: 'at least', limit: 4 } as const } : {}),
      });
  }
  return figures;
}

/** Commits a second that a process of the measurement prints, as JSON. */
export interface Rates {
  readonly name: string;
  readonly one: number;
  readonly many: number;
}
