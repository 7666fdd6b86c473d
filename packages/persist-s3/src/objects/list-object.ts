import { toConversationId, type ConversationSummary } from '@conv/core/store';
import type { Platform } from '@conv/core/platform';
import { checkValue } from '@conv/store-kit/system';

/** Number of lines that are read or written before other work of the process has its turn. */
const LINES_AT_ONCE = 1000;
const NEWLINE = 10;

/** Entry of a conversation. */
export interface ListEntry {
  /** Tag of the version of the manifest that says so. */
  readonly etag: string;
  /** Summary; `undefined` if the conversation was deleted. */
  readonly summary: ConversationSummary | undefined;
}

/** The shared list: the summaries of all conversations of a bucket, and the tags of the tombstones of deleted ones. */
export interface ListContent {
  /** Bucket and prefix that it was written for. A copy elsewhere does not count. */
  readonly place: string;
  /** Time of the service, in epoch milliseconds, at which it was last compared with all manifests. */
  readonly compared: number;
  /** Entries by the ids of their conversations. */
  readonly entries: ReadonlyMap<string, ListEntry>;
}

interface Head extends Omit<ListContent, 'entries'> {
  readonly v: 1;
  /** Makes each version differ from all others, so that none has the tag of an earlier one. */
  readonly nonce: string;
  /** Check value of the lines that follow. */
  readonly check: string;
}

type Line = { readonly etag: string } & (
  | { readonly summary: ConversationSummary }
  | { readonly summary?: undefined; readonly id: string }
);

/** Encodes a list: a line with its head, and a line for each conversation. */
export async function encodeList({ entries, ...head }: ListContent, platform: Platform): Promise<Buffer> {
  const parts: Buffer[] = [];
  let lines: string[] = [];
  for (const [id, { etag, summary }] of entries) {
    const line: Line = summary ? { etag, summary } : { etag, id };
    lines.push(`${JSON.stringify(line)}\n`);
    if (lines.length < LINES_AT_ONCE) continue;
    parts.push(Buffer.from(lines.join('')));
    lines = [];
    await platform.nextTurn();
  }
  const body = Buffer.concat([...parts, Buffer.from(lines.join(''))]);
  const written: Head = { v: 1, ...head, nonce: platform.id(), check: checkValue(body) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(written)}\n`), body]);
}

/** Decodes a list; resolves `undefined` if it is damaged, of another version or of another place. */
export async function decodeList(bytes: Buffer, place: string, platform: Platform): Promise<ListContent | undefined> {
  const body = bytes.subarray(bytes.indexOf(NEWLINE) + 1);
  const head = headIn(bytes.toString('utf8', 0, bytes.length - body.length));
  if (head?.v !== 1 || head.place !== place || head.check !== checkValue(body)) return undefined;
  const entries = new Map<string, ListEntry>();
  for (let [at, read] = [0, 1]; at < body.length; read++) {
    const end = body.indexOf(NEWLINE, at);
    const line = JSON.parse(body.toString('utf8', at, end)) as Line;
    const { etag, summary } = line;
    entries.set(toConversationId(summary ? summary.id : line.id), { etag, summary });
    at = end + 1;
    if (read % LINES_AT_ONCE === 0) await platform.nextTurn();
  }
  return { place, compared: head.compared ?? -Infinity, entries };
}

function headIn(text: string): Partial<Head> | undefined {
  try {
    return (JSON.parse(text) as Partial<Head> | null) ?? undefined;
  } catch {
    return undefined;
  }
}
