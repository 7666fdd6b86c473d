import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import type { Sandbox } from '@conv/core/tool';
import { sandbox, sandboxProblem } from '@conv/sandbox';
import { fileEditor, terminal } from '@conv/tools';

import { median, time, timeBeside, type Figure } from '../figure.ts';

/** Calls that are not counted: files are in memory then. */
const WARM_UP = 10;

/** Milliseconds that a call may take. */
const LONGEST = 30_000;

/** Calls of a tool, one after the other, with and without a sandbox. */
interface Called {
  readonly name: string;
  readonly create: (sandbox: Sandbox | undefined) => ReturnType<typeof fileEditor>;
  /** `file`: a file of its own, with a line of each number from 0. `call`: the number of the call. */
  readonly input: (file: string, call: number) => Readonly<Record<string, unknown>>;
}

const CALLED: readonly Called[] = [
  {
    name: 'sandbox.editor',
    create: (box) => fileEditor(box ? { sandbox: box } : {}),
    input: (path) => ({ command: 'view', path }),
  },
  {
    name: 'sandbox.editor.edit',
    create: (box) => fileEditor(box ? { sandbox: box } : {}),
    input: (path, call) => {
      const [now, then] = call % 2 === 0 ? ['0', 'zero'] : ['zero', '0'];
      return { command: 'str_replace', path, old_str: `line = ${now};`, new_str: `line = ${then};` };
    },
  },
  {
    name: 'sandbox.terminal',
    create: (box) => terminal(box ? { sandbox: box } : {}),
    input: () => ({ command: '/bin/true' }),
  },
];

/**
 * Measures a file that the editor views, a file that it edits, and a command in a shell that runs, in the default sandbox beside the same without. Both are taken in
 * turns. There are no figures where programs cannot be confined.
 */
export async function sandboxedTools(samples: number): Promise<readonly Figure[]> {
  if ((await sandboxProblem()) !== undefined) return [];
  // not a folder of temporary files, which is another one inside
  const cwd = mkdtempSync(join(homedir(), '.conv-bench-'));
  try {
    execFileSync('git', ['init', '--quiet', cwd]);
    const figures: Figure[] = [];
    for (const called of CALLED) figures.push(await figureOf(called, cwd, samples));
    return figures;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

async function figureOf({ name, create, input }: Called, cwd: string, samples: number): Promise<Figure> {
  const kinds = await Promise.all(
    [undefined, sandbox()].map(async (box, at) => {
      const session = { conversationId: `bench-${at}`, workingDirectory: cwd };
      const file = join(cwd, `${name}-${at}.ts`);
      writeFileSync(file, Array.from({ length: 200 }, (_, line) => `export const line = ${line};\n`).join(''));
      return { session, file, tool: await create(box).create(session), times: [] as number[] };
    }),
  );
  try {
    for (let call = 0; call < WARM_UP + samples; call++)
      // they come first in turns, because the first call finds colder caches
      for (const { session, file, tool, times } of call % 2 === 0 ? kinds : kinds.toReversed()) {
        const context = { ...session, toolCallId: `call-${call}`, signal: AbortSignal.timeout(LONGEST) };
        const taken = await time(async () => {
          const { isError } = await tool.execute(tool.parse(input(file, call)), context);
          if (isError === true) throw new Error(`${name}: a call was refused`);
        });
        if (call >= WARM_UP) times.push(taken);
      }
  } finally {
    for (const { tool } of kinds) await tool.close?.();
  }
  const [baseline, value] = kinds.map(({ times }) => median(times)) as [number, number];
  return timeBeside({ name, value, baseline, limit: 1.1 });
}
