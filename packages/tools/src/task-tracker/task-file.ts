import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { Platform } from '@conv/core/platform';
import { z } from 'zod';

const tasksSchema = z.array(
  z.object({
    title: z.string(),
    notes: z.string().default(''),
    status: z.enum(['todo', 'in_progress', 'done']).catch('todo'),
  }),
);

/** An entry of a task list. */
export type Task = Readonly<z.infer<typeof tasksSchema>[number]>;

/** Loads the list in a file, a copy of the events: an empty list if there is no file or it cannot be parsed. */
export async function loadTasks(path: string): Promise<readonly Task[]> {
  try {
    return tasksSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return [];
  }
}

/** Writes the list; a reader sees the old list or the new one, never a part. */
export async function saveTasks({ id }: Pick<Platform, 'id'>, path: string, tasks: readonly Task[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${id()}.tmp`;
  try {
    await writeFile(temporary, JSON.stringify(tasks, null, 2));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
