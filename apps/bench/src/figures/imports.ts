import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { serverProgram } from '@conv/agent-server';
import { type Figure, median, time, timeBeside } from '../figure.ts';

const run = promisify(execFile);

/** Arguments of Node for a process that imports these modules and ends. */
function importing(...urls: readonly string[]): readonly string[] {
  return ['--input-type=module', '--eval', urls.map((url) => `await import(${JSON.stringify(url)});`).join('')];
}

const zod = importing(import.meta.resolve('zod'));
const emptyProgram = [
  '--input-type=module',
  '--eval',
  `import { Command } from ${JSON.stringify(import.meta.resolve('commander'))};
  new Command('empty').parse(['node', 'empty', '--help']);`,
];

interface Start {
  readonly name: string;
  readonly args: readonly string[];
  /** The start that it is compared with. */
  readonly plain: readonly string[];
  readonly limit: number;
}

const starts: readonly Start[] = [
  { name: 'core', args: importing(import.meta.resolve('@conv/core')), plain: zod, limit: 1.4 },
  {
    name: 'local-fs',
    args: importing(import.meta.resolve('@conv/local'), import.meta.resolve('@conv/persist-fs')),
    plain: zod,
    limit: 1.7,
  },
  { name: 'agent', args: importing(import.meta.resolve('@conv/agent')), plain: zod, limit: 2 },
  {
    name: 'server',
    args: importing(import.meta.resolve('@conv/server')),
    plain: importing(import.meta.resolve('fastify')),
    limit: 2,
  },
  {
    name: 'help.conv',
    args: [fileURLToPath(new URL('dist/main.js', import.meta.resolve('@conv/cli/package.json'))), '--help'],
    plain: emptyProgram,
    limit: 2.5,
  },
  {
    name: 'help.agent-server',
    args: [serverProgram, '--help'],
    plain: emptyProgram,
    limit: 2.5,
  },
];

/** Milliseconds from the start of Node to its end: importing a package beside its largest dependency, help beside that of an empty program. */
export async function imports(rounds: number): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { name, args, plain, limit } of starts) {
    const values: number[] = [];
    const baselines: number[] = [];
    // the first round fills the caches of the disk
    for (let round = 0; round <= rounds; round += 1) {
      const value = await time(() => start(args));
      const baseline = await time(() => start(plain));
      if (round > 0) {
        values.push(value);
        baselines.push(baseline);
      }
    }
    const [value, baseline] = [median(values), median(baselines)];
    figures.push(timeBeside({ name: `imports.${name}`, value, baseline, limit }));
  }
  return figures;
}

async function start(args: readonly string[]): Promise<void> {
  // everything is compiled anew, as in a container that was just made
  const environment = { ...process.env, NODE_COMPILE_CACHE: '' };
  await run(process.execPath, args, { env: environment });
}
