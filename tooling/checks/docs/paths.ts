import { existsSync, globSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { allPackages } from '../packages.ts';
import { proseLines } from './markdown.ts';

/** Number of names in a document, and the problems: names of things that are not there. */
export interface Named {
  readonly saw: number;
  readonly problems: readonly string[];
}

/**
 * Checks the targets of relative links and the paths in `code` of a document. Code counts as a path when it starts with a folder of
 * the root, or of the package the document belongs to; `<name>` in it stands for anything. Build results and other generated files
 * are not checked, because a fresh clone lacks them.
 */
export function missingPaths(root: string, file: string, text: string): Named {
  const bases = ['', packageOf(root, file)].filter((base) => base !== undefined);
  const problems: string[] = [];
  let saw = 0;
  for (const { line, text: prose } of proseLines(text)) {
    for (const [, target = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(?:[a-z]+:|#)/i.test(target)) continue;
      saw += 1;
      const path = decodeURI(target.replace(/#.*$/, ''));
      if (!exists(root, join(dirname(file), path)))
        problems.push(`${file}:${line} links to ${target}, which is not there`);
    }
    for (const [, code = ''] of prose.matchAll(/`([^`\s]+)`/g)) {
      const candidates = bases.filter((base) => namesPath(root, base, code)).map((base) => join(base, code));
      if (candidates.length === 0) continue;
      saw += 1;
      if (!candidates.some((path) => exists(root, path)))
        problems.push(`${file}:${line} names ${code}, which is not there`);
    }
  }
  return { saw, problems };
}

/** `packages/core/src` does, `events/event-00000.json` does not: its first part is no folder here. */
function namesPath(root: string, base: string, code: string): boolean {
  const [first = '', second] = code.replace(/^\.\//, '').split('/');
  if (
    second === undefined ||
    !/^[\w.@<>*{},/-]+$/.test(code) ||
    /^(?:dist|node_modules|workspace|\.cache|\.turbo)$/.test(first)
  )
    return false;
  if (code.startsWith('docs/api')) return false;
  const known = readdirSync(join(root, base), { withFileTypes: true });
  return known.some((entry) => entry.isDirectory() && entry.name === first);
}

function exists(root: string, path: string): boolean {
  const pattern = normalize(path)
    .replace(/<[^>]*>/g, '*')
    .replace(/:\d+$/, '');
  if (!/[*{]/.test(pattern)) return existsSync(join(root, pattern));
  return globSync(pattern, { cwd: root }).length > 0;
}

function packageOf(root: string, file: string): string | undefined {
  return allPackages(root).find(({ dir }) => file.startsWith(`${dir}/`))?.dir;
}
