import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { loadPlugin } from '@conv/agent';
import type { PluginContents } from '@conv/server';

/** The most files of a plugin that are listed. */
const MAX_FILES = 2_000;

/** Reads the content of a plugin for people. Resolves `undefined` for a folder that is no plugin. */
export async function contentsOf(directory: string): Promise<PluginContents | undefined> {
  try {
    const { skills } = await loadPlugin(directory);
    const files = await filesIn(directory);
    return {
      skills: skills.map(({ name, description = null }) => ({ name, description })),
      files: files.toSorted().slice(0, MAX_FILES),
    };
  } catch {
    return undefined;
  }
}

/** Resolves with the paths of files, without those of a repository. Links are listed and not followed. */
async function filesIn(directory: string, inside = ''): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(directory, inside), { withFileTypes: true })) {
    const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
    if (!entry.isDirectory()) found.push(path);
    else if (entry.name !== '.git' && found.length < MAX_FILES) found.push(...(await filesIn(directory, path)));
  }
  return found;
}
