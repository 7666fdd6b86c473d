import { PostgresStore } from '@conv/persist-postgres';
import { PostgresServer } from '@conv/testing-postgres-server';
import { Client, Pool } from 'pg';

import { harmed, isGone } from './harm.ts';
import { inMemory } from './in-memory.ts';
import { LIVES, playLife } from './lives.ts';
import { COLUMNS, decode, encode, keepRows, type Kept, type Table, type TextRow } from './postgres-rows.ts';
import { destroyedInRows, provenInRows } from './postgres-oracle.ts';
import type { DamageTarget, Harm, Recording } from './target.ts';

const SCHEMA = 'damage';
const TABLES = Object.keys(COLUMNS) as Table[];

/** Number of cases after which the tables are vacuumed. */
const SWEEP = 10;

/** No durability is needed here, and the tables are vacuumed between cases. */
const SETTINGS = [
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'autovacuum=off',
  'jit=off',
];

/** The rows of a recording, and the schema that has them. */
interface Place {
  readonly schema: string;
  readonly rows: Kept;
}

/** Rows of a server of its own. A unit is a column of a row; a row is gone when one of its units is. */
export async function postgresTarget(): Promise<DamageTarget> {
  const server = await PostgresServer.startIn(inMemory(), ...SETTINGS);
  const admin = new Client({ connectionString: server.url() });
  await admin.connect();
  // As damage does: no trigger sees it.
  await admin.query('SET session_replication_role = replica; SET synchronous_commit = off');
  const pool = new Pool({ connectionString: server.url(), idleTimeoutMillis: 0 });
  const places = new Map<Recording, Place>();
  let store: PostgresStore | undefined;
  const open = (): PostgresStore => (store = new PostgresStore({ pool, schema: SCHEMA, listen: false }));
  const tables = [...TABLES, 'owners'].map((table) => `${SCHEMA}.${table}`);
  const clear = tables.map((table) => `DELETE FROM ${table};`).join(' ');
  const placeOf = (recording: Recording): Place => places.get(recording) as Place;
  let restored = 0;
  return {
    kind: 'postgres',
    record: async (random) => {
      for (const { name, ending, steps } of LIVES) {
        const schema = `kept_${places.size}`;
        await playLife({ ending, steps }, open(), random, async (life) => {
          const rows = await keepRows(admin, SCHEMA, schema);
          places.set({ name, life, units: unitsOf(rows), losesUnits: true }, { schema, rows });
        });
        await admin.query(clear);
      }
      return [...places.keys()];
    },
    restore: async (recording, harms) => {
      await store?.close();
      await admin.query(clear + restoring(admin, placeOf(recording), harms));
      if (++restored % SWEEP === 0) await admin.query(`VACUUM ${tables.join(', ')}`);
      return open();
    },
    destroyed: (recording, harms) => destroyedInRows(recording, placeOf(recording).rows, harms),
    provenLost: (recording, harms) => provenInRows(recording, placeOf(recording).rows, harms),
    dispose: async () => {
      await store?.close();
      await pool.end();
      await admin.end();
      await server.stop();
    },
  };
}

function unitsOf(rows: Kept): Map<string, Buffer> {
  const units = new Map<string, Buffer>();
  for (const table of TABLES)
    for (const [at, row] of rows[table].entries())
      for (const [column, type] of Object.entries(COLUMNS[table]))
        if (row[column] !== null && row[column] !== undefined)
          units.set(`${table}/${at}/${column}`, encode(row[column], type));
  return units;
}

/** Returns statements that restore the rows, the harmed rows last: where they take the place of others, they are lost. */
function restoring(admin: Client, { schema, rows }: Place, harms: readonly Harm[]): string {
  const copies: string[] = [];
  const changes: string[] = [];
  for (const table of TABLES) {
    const [first] = rows[table];
    if (!first) continue;
    const columns = Object.keys(first).map((name) => `"${name}"`);
    const into = `INSERT INTO ${SCHEMA}.${table} (${columns.join(', ')}) ${table === 'heads' ? 'OVERRIDING SYSTEM VALUE' : ''}`;
    const hit = rows[table].flatMap((row, at) =>
      harms.some(({ unit }) => unit.startsWith(`${table}/${at}/`)) ? [{ row, at }] : [],
    );
    const others = hit.length > 0 ? `WHERE at NOT IN (${hit.map(({ at }) => at).join(', ')})` : '';
    copies.push(`${into} SELECT ${columns.join(', ')} FROM ${schema}.${table} ${others};`);
    for (const { row, at } of hit) {
      const changed = changedRow(table, at, row, harms);
      if (!changed) continue;
      const values = Object.values(changed).map((value) => (value === null ? 'NULL' : admin.escapeLiteral(value)));
      changes.push(`${into} VALUES (${values.join(', ')}) ON CONFLICT DO NOTHING;`);
    }
  }
  return [...copies, ...changes].join(' ');
}

/** A row with its harms done; `undefined` when it is gone. */
function changedRow(table: Table, at: number, row: TextRow, harms: readonly Harm[]): TextRow | undefined {
  const changed: Record<string, string | null> = { ...row };
  for (const { unit } of harms.filter((harm) => harm.unit.startsWith(`${table}/${at}/`))) {
    const column = unit.slice(`${table}/${at}/`.length);
    const type = (COLUMNS[table] as Record<string, string>)[column] ?? 'text';
    const value = decode(harmed(unit, encode(row[column] ?? '', type), harms), type);
    if (isGone(unit, harms) || value === undefined) return undefined;
    changed[column] = value;
  }
  return changed;
}
