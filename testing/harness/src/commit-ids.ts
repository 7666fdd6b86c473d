import { toCommitSeq, type Commit, type JournalReader } from '@conv/core/store';

/** Resolves with the ids of the readable commits, in order; with none if there is no reader. */
export async function commitIds(reader: { commits(): AsyncIterable<Commit> } | undefined): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of reader?.commits() ?? []) ids.push(id);
  return ids;
}

/** Watches a conversation from its beginning, and resolves with the ids of the first commits, in order. */
export async function watchIds(reader: Pick<JournalReader, 'watch'> | undefined, count: number): Promise<string[]> {
  const ids: string[] = [];
  const stop = new AbortController();
  for await (const { id } of reader?.watch(toCommitSeq(0), stop.signal) ?? []) {
    ids.push(id);
    if (ids.length === count) stop.abort();
  }
  return ids;
}
