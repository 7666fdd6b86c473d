import { lstat, readlink } from 'node:fs/promises';

/** The most links that are followed on one path, as many as Linux follows. */
const MAX_LINKS = 40;

/**
 * Resolves the absolute path without links: every link that exists on this machine is followed, also a link to nothing.
 * Names that do not exist stay as they are. Resolves `undefined` for links that lead in a circle.
 */
export async function withoutLinks(path: string): Promise<string | undefined> {
  const left = path.split('/').reverse();
  const real: string[] = [];
  let links = 0;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === '..') real.pop();
    if (name === '' || name === '.' || name === '..') continue;
    const target = await linkAt(`/${[...real, name].join('/')}`);
    if (target === undefined) {
      real.push(name);
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) return undefined;
    if (target.startsWith('/')) real.length = 0;
    left.push(...target.split('/').reverse());
  }
  return `/${real.join('/')}`;
}

async function linkAt(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch {
    // the path does not exist, or may not be read, so it cannot be written either
    return undefined;
  }
}
