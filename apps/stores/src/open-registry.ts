import type { FsRegistry } from '@conv/persist-fs';

/** Opens the registry in a folder: records that are no conversations, such as keys of clients. The first change makes the folder. */
export async function openRegistry(directory: string): Promise<FsRegistry> {
  const { FsRegistry: Registry } = await import('@conv/persist-fs');
  return new Registry({ directory });
}
