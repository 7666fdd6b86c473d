import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An event in a file. */
export interface EventInFile {
  readonly index: number;
  readonly id: string;
  readonly event: unknown;
}

const NAME = /^event-(\d{5,})-(.+)\.json$/;

/**
 * Reads the events of a conversation's folder from their files, as any other program would: without the store, without this
 * project's packages.
 */
export function readEventFiles(conversationFolder: string): readonly EventInFile[] {
  const folder = join(conversationFolder, 'events');
  return readdirSync(folder)
    .flatMap((name) => {
      const [, index, id] = NAME.exec(name) ?? [];
      if (index === undefined || id === undefined) return [];
      return [{ index: Number(index), id, event: JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown }];
    })
    .toSorted((a, b) => a.index - b.index);
}
