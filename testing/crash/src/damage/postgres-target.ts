import { PostgresStore } from '@conv/persist-postgres';
import { PostgresServer } from '@conv/testing-postgres-server';
import { Client } from 'pg';

import { harmed, isGone } from './harm.ts';
import { ENDINGS, playLife } from './lives.ts';
import { COLUMNS, decode, encode, keptRows, type Kept, type Table } from './postgres-rows.ts';
import { destroyedInRows, provenInRows } from './postgres-oracle.ts';
import type { DamageTarget, Harm, Recording } from './target.ts';

const SCHEMA = 'damage';
const TABLES = Object.keys(COLUMNS) as Table[];

/** Rows of a server of its own. A unit is a column of a row; a row is gone when one of its units is. */
export async function postgresTarget(): Promise<DamageTarget> {
  const server = await PostgresServer.start();
  const admin = new Client({ connectionString: server.url() });
  await admin.connect();
  // As damage does: no trigger sees it. Nothing here is about power.
  await admin.query('SET session_replication_role = replica; SET synchronous_commit = off');
  const kept = new Map<Recording, Kept>();
  let store: PostgresStore | undefined;
  const open = (): PostgresStore => {
    store = new PostgresStore({ connectionString: server.url(), schema: SCHEMA, listen: false });
    return store;
  };
  const clear = [...TABLES, 'owners'].map((table) => `DELETE FROM ${SCHEMA}.${table};`).join(' ');
  return {
    kind: 'postgres',
    record: async (random) => {
      for (const ending of ENDINGS) {
        await playLife(ending, open(), random, async (life) => {
          const rows = await keptRows(admin, SCHEMA);
          kept.set({ name: ending, life, units: unitsOf(rows), losesUnits: true }, rows);
        });
        await admin.query(clear);
      }
      return [...kept.keys()];
    },
    restore: async (recording, harms) => {
      await store?.close();
      await admin.query(clear + insertions(admin, kept.get(recording) as Kept, harms));
      return open();
    },
    destroyed: (recording, harms) => destroyedInRows(recording, kept.get(recording) as Kept, harms),
    provenLost: (recording, harms) => provenInRows(recording, kept.get(recording) as Kept, harms),
    dispose: async () => {
      await store?.close();
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

/** Statements that put the rows back, those that are harmed last: where they take the place of others they are lost. */
function insertions(admin: Client, rows: Kept, harms: readonly Harm[]): string {
  const statements: { readonly text: string; readonly isHarmed: boolean }[] = [];
  for (const table of TABLES) {
    for (const [at, row] of rows[table].entries()) {
      const own = harms.filter(({ unit }) => unit.startsWith(`${table}/${at}/`));
      const changed: Record<string, string | null> = { ...row };
      let gone = false;
      for (const { unit } of own) {
        const column = unit.slice(`${table}/${at}/`.length);
        const type = (COLUMNS[table] as Record<string, string>)[column] ?? 'text';
        const value = decode(harmed(unit, encode(row[column] ?? '', type), harms), type);
        if (isGone(unit, harms) || value === undefined) gone = true;
        else changed[column] = value;
      }
      if (gone) continue;
      const columns = Object.keys(changed).map((name) => `"${name}"`);
      const values = Object.values(changed).map((value) => (value === null ? 'NULL' : admin.escapeLiteral(value)));
      const overriding = table === 'heads' ? 'OVERRIDING SYSTEM VALUE' : '';
      const text = `INSERT INTO ${SCHEMA}.${table} (${columns.join(', ')}) ${overriding} VALUES (${values.join(', ')}) ON CONFLICT DO NOTHING;`;
      statements.push({ text, isHarmed: own.length > 0 });
    }
  }
  return statements
    .toSorted((a, b) => Number(a.isHarmed) - Number(b.isHarmed))
    .map(({ text }) => text)
    .join(' ');
}
