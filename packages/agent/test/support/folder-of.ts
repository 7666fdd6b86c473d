import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder of its own with these files. */
export async function folderOf(
  files: Readonly<Record<string, string>>,
): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'conv-skills-'));
  for (const [name, text] of Object.entries(files)) {
    const file = join(path, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
