import type { Client } from 'pg';

/** The columns that say something of a conversation, with how their bytes are. */
export const COLUMNS = {
  heads: {
    key: 'int8',
    id: 'uuid',
    epoch: 'int8',
    next_seq: 'int8',
    next_event: 'int8',
    own_from: 'int8',
    seal: 'text',
  },
  summaries: { key: 'int8', id: 'uuid', title: 'text', status: 'text', created_at: 'text', tags: 'text' },
  commits: {
    log: 'int8',
    seq: 'int8',
    epoch: 'int8',
    first_event: 'int8',
    events: 'int4',
    crc: 'int4',
    body: 'text',
  },
  event_ids: { log: 'int8', id: 'uuid', event: 'int8' },
  inherited: { key: 'int8', first_seq: 'int8', end_seq: 'int8', end_event: 'int8', log: 'int8', seal: 'text' },
  snapshots: { key: 'int8', seq: 'int8', version: 'int4', data: 'text', crc: 'int4' },
} as const;

/** A table that is harmed. */
export type Table = keyof typeof COLUMNS;

/** A row by its columns, each as text. */
export type TextRow = Readonly<Record<string, string | null>>;

/** All rows as they were recorded. */
export type Kept = Readonly<Record<Table, readonly TextRow[]>>;

/** Keeps all rows in a schema of their own, each with its number `at`, and reads them. */
export async function keepRows(admin: Client, from: string, to: string): Promise<Kept> {
  await admin.query(`CREATE SCHEMA ${to}`);
  const entries: [string, readonly TextRow[]][] = [];
  for (const table of Object.keys(COLUMNS)) {
    await admin.query(
      `CREATE TABLE ${to}.${table} AS SELECT row_number() OVER () - 1 AS at, t.* FROM ${from}.${table} t`,
    );
    const { rows } = await admin.query<{ row: Record<string, string | number | null> }>(
      `SELECT to_jsonb(t) - 'at' AS row FROM ${to}.${table} t ORDER BY at`,
    );
    entries.push([table, rows.map(({ row }) => mapText(row))]);
  }
  return Object.fromEntries(entries) as unknown as Kept;
}

function mapText(row: Record<string, string | number | null>): TextRow {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]));
}

/** A value as the bytes that are harmed. */
export function encode(value: string, type: string): Buffer {
  if (type === 'text') return Buffer.from(value);
  if (type === 'uuid') return Buffer.from(value.replaceAll('-', ''), 'hex');
  const bytes = Buffer.alloc(type === 'int8' ? 8 : 4);
  if (type === 'int8') bytes.writeBigInt64BE(BigInt(value));
  else bytes.writeInt32BE(Number(value));
  return bytes;
}

/** The value of harmed bytes; `undefined` where they were cut so that no value is left: then the row is gone. */
export function decode(bytes: Buffer, type: string): string | undefined {
  if (type === 'text') return bytes.toString().replaceAll('\0', '\u{FFFD}');
  if (type === 'uuid') return bytes.length === 16 ? bytes.toString('hex') : undefined;
  if (type === 'int8') return bytes.length === 8 ? String(bytes.readBigInt64BE()) : undefined;
  return bytes.length === 4 ? String(bytes.readInt32BE()) : undefined;
}
