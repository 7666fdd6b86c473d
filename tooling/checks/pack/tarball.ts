import { globSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.ts';
import type { Package } from '../packages.ts';
import { problemsOfTypes } from './types-of-tarball.ts';

/** A packed package. */
export interface Tarball {
  readonly name: string;
  /** The path of the tarball. */
  readonly file: string;
  /** Number of files in it. */
  readonly count: number;
  readonly problems: readonly string[];
}

/** Packs a package and looks at what went in, also with publint and attw. */
export async function pack(root: string, each: Package, destination: string): Promise<Tarball> {
  const dir = join(root, each.dir);
  const packed = await run('pnpm', ['pack', '--json', '--pack-destination', destination], dir);
  if (packed.status !== 0) {
    return { name: each.name, file: '', count: 0, problems: [`${each.name} cannot be packed: ${packed.output}`] };
  }
  const parsed = JSON.parse(packed.stdout) as { filename: string } | [{ filename: string }];
  const file = join(destination, basename((Array.isArray(parsed) ? parsed[0] : parsed).filename));
  const listed = (await run('tar', ['-tzf', file], destination)).stdout.split('\n').filter(Boolean);
  const contents = listed.map((path) => path.replace(/^package\//, ''));
  const publint = await run('publint', ['run', file, '--strict'], destination);
  // styles have no types
  const styles = Object.keys(each.manifest.exports ?? {}).filter((entry) => entry.endsWith('.css'));
  const types = await problemsOfTypes(file, styles);
  return {
    name: each.name,
    file,
    count: contents.length,
    problems: [
      ...['README.md', 'LICENSE'].filter((path) => !contents.includes(path)).map((path) => `${each.name}: no ${path}`),
      ...unexpected(contents).map((path) => `${each.name}: the tarball holds ${path}`),
      ...leftBehind(dir, contents).map((path) => `${each.name}: ${path} has no source; remove dist and build again`),
      ...(publint.status === 0 ? [] : [`${each.name}: publint\n${publint.output}`]),
      ...types.map((problem) => `${each.name}: attw\n${problem}`),
    ],
  };
}

/** Returns the files that are neither build results, sources, nor files that every package has. */
function unexpected(contents: readonly string[]): readonly string[] {
  const always = ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE'];
  return contents.filter(
    (path) =>
      !always.includes(path) &&
      !/^(?:dist\/.+\.(?:js|d\.ts)(?:\.map)?|dist\/.+\.css|dist\/page\/.+|src\/.+\.(?:tsx?|css)|src\/page\/.+)$/.test(
        path,
      ),
  );
}

/**
 * Lists build results whose source was removed or renamed, because the compiler never deletes. Parts of a bundle (`part-…`) and a built page (`page/…`) have no
 * source of their name, and the build for browsers (`browser/…`) is made of the same sources.
 */
function leftBehind(dir: string, contents: readonly string[]): readonly string[] {
  return contents.filter((path) => {
    const source = /^dist\/(?:browser\/)?(?!part-|page\/assets\/)(.+?)(?:\.d)?\.[jt]s$/.exec(path)?.[1];
    return source !== undefined && globSync(`src/${source}.{ts,tsx,d.ts}`, { cwd: dir }).length === 0;
  });
}

function basename(path: string): string {
  return path.split('/').at(-1) ?? path;
}
