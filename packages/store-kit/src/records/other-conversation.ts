import { toConversationId, type JournalReader, type Snapshot } from '@conv/core/store';

/** True if a stored id is the id of another conversation than this one, and not missing or of another form. */
export function isOtherId(named: unknown, id: string): boolean {
  const found = idIn(named);
  return found !== undefined && found !== id;
}

/**
 * True if a snapshot was made of another conversation (decision 81). A fork begins with a snapshot of its source: then the HEAD of the
 * snapshot is in this log, and a later commit states the id of this conversation. `reader.id` is a dashed UUID.
 */
export async function isOtherSnapshot(
  reader: Pick<JournalReader, 'commits' | 'locate'> & { readonly id: string },
  { seq, data }: Pick<Snapshot, 'seq' | 'data'>,
): Promise<boolean> {
  const { id, leafEventId } = (data['fields'] ?? {}) as { readonly id?: unknown; readonly leafEventId?: unknown };
  if (!isOtherId(id, reader.id)) return false;
  if (typeof leafEventId !== 'string' || (await reader.locate(leafEventId)) === undefined) return true;
  for await (const { patch } of reader.commits({ from: seq })) if (idIn(patch?.set?.id) === reader.id) return false;
  return true;
}

/** Returns a stored id as a dashed UUID; `undefined` for anything else. */
export function idIn(named: unknown): string | undefined {
  if (typeof named !== 'string') return undefined;
  try {
    return toConversationId(named);
  } catch {
    return undefined;
  }
}
