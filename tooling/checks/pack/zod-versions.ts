import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, TIMED_OUT } from '../command.ts';
import { compileWith, WORKSPACE } from './compilers.ts';
import { pnpmInstall } from './pnpm-install.ts';

/** The zod that users have beside ours: the first with tools, one between, and the newest. */
const taken = ['4.1', '4.3', '4'];

/** Has no JSON Schema, so that a tool cannot be made with it. */
const refused = '3';

/** Compilers under which each is tried beside the workspace's own. In CI the oldest zod and the refused one are tried, and the oldest of these. */
export const compilers = ['5.9', '6.0'];

/** Seconds, bytes and type instantiations that the compiler may take: a comparison of two copies of zod takes all there are. */
const limits = { seconds: 120, kilobytes: 1_500_000, instantiations: 1_500_000 };

const tool = `import { defineTool } from '@conv/core/tool';
import { createAgent } from '@conv/agent';
import { z } from 'zod';

export const weather = defineTool({
  name: 'weather',
  description: 'Reports the weather of a city.',
  input: z.object({ city: z.string().describe('In English.'), days: z.number().int().default(1) }),
  output: z.object({ sky: z.string() }),
  execute: async ({ city, days }) => ({ sky: city.toUpperCase().repeat(days) }),
});
export const make = createAgent;
`;

const use = `import { weather } from './tool.mjs';
const input = weather.parse({ city: 'Rome' });
const { content } = await weather.execute(input, { signal: new AbortController().signal });
const said = JSON.stringify([input, content[0].text, weather.inputSchema.properties.city.description]);
if (said !== '[{"city":"Rome","days":1},"{\\\\"sky\\\\":\\\\"ROME\\\\"}","In English."]') throw new Error(said);
`;

/**
 * Defines, compiles and runs a tool beside each version of zod, under {@link compilers}, which `work` holds; `compiled` counts what the
 * compilers were asked.
 */
export async function tryZodVersions(
  work: string,
  needed: readonly string[],
  tarballs: ReadonlyMap<string, string>,
): Promise<{ readonly compiled: number; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  let compiled = 0;
  const isShort = process.env['CONV_CI'] !== undefined;
  for (const version of [...(isShort ? taken.slice(0, 1) : taken), refused]) {
    const dir = join(work, `zod-${version}`);
    const found = (problem: string): number => problems.push(`@conv/core beside zod ${version} ${problem}`);
    const installed = await install(dir, version, needed, tarballs);
    if (installed !== undefined) {
      found(`does not install\n${installed}`);
      continue;
    }
    const isRefused = version === refused;
    const ran = await run(process.execPath, ['use.mjs'], dir);
    if (isRefused !== /found one of zod 3: install zod 4/.test(ran.output) || isRefused === (ran.status === 0))
      found(`${isRefused ? 'is not refused by name' : 'does not run'}\n${ran.output.trim()}`);
    const others = isShort ? compilers.slice(0, version === taken[0] ? 1 : 0) : compilers;
    for (const compiler of [WORKSPACE, ...others]) {
      compiled += 1;
      const problem = await compile(work, dir, compiler, isRefused);
      if (problem !== undefined) found(`${problem}, under TypeScript ${compiler}`);
    }
  }
  return { compiled, problems };
}

async function install(
  dir: string,
  version: string,
  needed: readonly string[],
  tarballs: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  mkdirSync(dir);
  const own = Object.fromEntries(needed.map((name) => [name, `file:${tarballs.get(name)}`]));
  const manifest = { name: 'zod-user', type: 'module', dependencies: { ...own, zod: version } };
  writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(dir, 'tool.mts'), tool);
  writeFileSync(join(dir, 'tool.mjs'), tool);
  writeFileSync(join(dir, 'use.mjs'), use);
  const { status, output } = await pnpmInstall(dir, tarballs);
  return status === 0 ? undefined : output.trim();
}

async function compile(work: string, dir: string, compiler: string, isRefused: boolean): Promise<string | undefined> {
  const file = { dir, name: 'tool.mts', more: ['--extendedDiagnostics'] };
  const { status, output } = await compileWith(work, compiler, file, limits.seconds * 1000);
  if (status === TIMED_OUT) return `does not compile within ${limits.seconds} s`;
  if (isRefused) return status === 0 ? 'compiles' : undefined;
  if (status !== 0) return `does not compile\n${output.trim()}`;
  return tooMuch(output, 'Memory used', limits.kilobytes) ?? tooMuch(output, 'Instantiations', limits.instantiations);
}

function tooMuch(output: string, name: string, most: number): string | undefined {
  const amount = Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(output)?.[1]);
  if (Number.isNaN(amount)) return `compiles without saying "${name}"`;
  return amount > most ? `takes the compiler ${name.toLowerCase()} of ${amount}, more than ${most}` : undefined;
}
