import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

/** The built page; `src` has no built files. */
const ASSETS = new URL('../../dist/page/assets/', import.meta.url).pathname;
const MOST = 300_000;

/** Resolves with the names of a script, and of the scripts that it imports at once. */
async function loadedWith(name: string, found = new Set<string>()): Promise<ReadonlySet<string>> {
  if (found.has(name)) return found;
  found.add(name);
  const text = await readFile(join(ASSETS, name), 'utf8');
  for (const [, other = ''] of text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) await loadedWith(other, found);
  return found;
}

async function compressed(names: Iterable<string>): Promise<number> {
  const sizes = [...names].map(async (name) => gzipSync(await readFile(join(ASSETS, name)), { level: 6 }).length);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test.each(['index', 'conversation-page', 'start-page'])(
  'the first load of the view in %s takes at most 300 KB compressed, with styles and client',
  async (view) => {
    const names = await readdir(ASSETS);
    const named = (prefix: string, ending: string): readonly string[] =>
      names.filter((name) => name.startsWith(`${prefix}-`) && name.endsWith(ending));
    const scripts = [...named('index', '.js'), ...named(view, '.js')];
    expect(scripts.length).toBeGreaterThan(0);
    const loaded = new Set<string>();
    for (const name of scripts) for (const each of await loadedWith(name)) loaded.add(each);
    // the client is loaded with the first conversation, when the view itself is there
    const client = named('browser', '.js');
    expect(client.length).toBe(1);
    const styles = names.filter((name) => name.endsWith('.css'));
    const size = await compressed([...loaded, ...(view === 'conversation-page' ? client : []), ...styles]);
    expect(size).toBeGreaterThan(50_000);
    expect(size).toBeLessThanOrEqual(MOST);
  },
);
