import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { execa } from 'execa';

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Variables of this machine that would change the job. */
const SETTINGS = /^(LLM_|OH_|NO_COLOR|FORCE_COLOR|npm_)/;

/** Folder and variables of a demo, and the milliseconds after which it is given up. */
interface Setting {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeout?: number;
}

/** Starts the built demo without a terminal; the process resolves when it has ended, however that was. */
export function demo({ cwd, env, timeout = 240_000 }: Setting, ...args: string[]) {
  const kept = Object.entries(process.env).filter(([name]) => !SETTINGS.test(name));
  const given = { reject: false, extendEnv: false, stdin: 'ignore', timeout } as const;
  return execa(process.execPath, [program, ...args], { ...given, cwd, env: { ...Object.fromEntries(kept), ...env } });
}
