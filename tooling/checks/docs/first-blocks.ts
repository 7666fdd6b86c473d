import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createModelServer, say } from '@conv/testing-model-server';
import { ensureNodeOf, oldest } from '../../bootstrap/node.mjs';
import { run } from '../command.ts';
import { linkDependencies } from './compile-blocks.ts';
import type { CodeBlock } from './markdown.ts';
import type { Named } from './paths.ts';

/** Milliseconds after which a block hangs. */
const TIMEOUT = 120_000;

/** The answer that the scripted model gives to every first block that asks one. */
const ANSWER = 'The first block has its answer.';

/** Blocks that need a service of their own to run: they are parsed alone. */
const SERVICES: ReadonlySet<string> = new Set(['packages/persist-postgres/README.md', 'packages/persist-s3/README.md']);

/** Output of the first block in the root's README, which users run before they know anything. */
const SAID = /^finished The first block has its answer\. resume with id [0-9a-f-]{36}$/m;

/**
 * Runs the first block of the root's README, of each package's, and of the apps' that are imported, on the oldest Node unless told otherwise,
 * in an empty project as users have one, with a scripted model behind the variables of the environment. Blocks that only define something
 * are imported; blocks that need a database or a bucket are parsed alone.
 */
export async function runFirstBlocks(root: string, blocks: readonly CodeBlock[], version = oldest): Promise<Named> {
  const first = firstBlocks(blocks);
  if (!first.some(({ file }) => file === 'README.md')) return { saw: first.length, problems: [] };
  const parent = join(root, '.cache');
  mkdirSync(parent, { recursive: true });
  const dir = mkdtempSync(join(parent, 'first-blocks-'));
  try {
    linkDependencies(root, dir);
    const node = await ensureNodeOf(version);
    const problems: string[] = [];
    for (const [index, block] of first.entries())
      problems.push(...(await play(node, version, join(dir, String(index)), block)));
    return { saw: first.length, problems };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function firstBlocks(blocks: readonly CodeBlock[]): readonly CodeBlock[] {
  const files = new Set<string>();
  return blocks.filter(({ file }) => {
    const isFirst = /^(?:(?:packages\/[^/]+|apps\/(?:stores|studio))\/)?README\.md$/.test(file) && !files.has(file);
    files.add(file);
    return isFirst;
  });
}

async function play(
  node: string,
  version: string,
  dir: string,
  { file, line, code }: CodeBlock,
): Promise<readonly string[]> {
  mkdirSync(dir);
  writeFileSync(join(dir, 'package.json'), '{ "name": "first", "private": true, "type": "module" }\n');
  writeFileSync(join(dir, 'first.ts'), code);
  const server = await createModelServer({ script: [say(ANSWER)] });
  try {
    const variables = ['LLM_MODEL=openai/scripted-model', `LLM_BASE_URL=${server.url}`, 'LLM_API_KEY=scripted'];
    const args = [...(SERVICES.has(file) ? ['--check'] : []), 'first.ts'];
    const { status, output } = await run('env', [...variables, node, ...args], dir, TIMEOUT);
    const told = output.trim();
    if (status !== 0) return [`${file}:${line} does not run on Node ${version}\n${told}`];
    return file === 'README.md' && !SAID.test(output) ? [`${file}:${line} says something else\n${told}`] : [];
  } finally {
    await server.close();
  }
}
