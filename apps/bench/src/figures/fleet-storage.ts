import { randomUUID } from 'node:crypto';

import { initialFields } from '@conv/core';
import { eventToJson, type Event } from '@conv/core/events';
import { PostgresStore } from '@conv/persist-postgres';

import type { Figure } from '../figure.ts';
import { Fleet } from '../load/fleet.ts';
import { kilobyteEvent } from '../place.ts';

/** Appends that are under way at the same time. */
const IN_FLIGHT = 16;

/** Measures the bytes of an event of 1 KB, one in a commit, in the tables of a database and in its write-ahead log. */
export async function fleetStorage(events: number): Promise<readonly Figure[]> {
  await using fleet = await Fleet.start(0);
  const store = new PostgresStore({ connectionString: fleet.connectionString });
  const journal = await store.open(randomUUID(), { owner: 'bench' });
  await journal.append({ id: randomUUID(), events: [] }, initialFields);
  const before = await sizes(fleet);
  let [bytes, parent]: [number, string | null] = [0, null];
  for (let appended = 0; appended < events; appended += IN_FLIGHT) {
    const group: Event[] = Array.from({ length: IN_FLIGHT }, () => kilobyteEvent(parent));
    parent = group.at(-1)?.id ?? null;
    for (const event of group) bytes += Buffer.byteLength(eventToJson(event));
    await Promise.all(
      group.map((event) =>
        journal.append({ id: randomUUID(), events: [event] }, { ...initialFields, leafEventId: event.id }),
      ),
    );
  }
  const after = await sizes(fleet);
  await journal.close();
  await store.close();
  const many = Math.ceil(events / IN_FLIGHT) * IN_FLIGHT;
  const baseline = bytes / many;
  const inform = (name: string, grown: number): Figure => {
    const value = grown / many;
    return { name: `fleet.storage.${name}`, value, unit: 'bytes', baseline, ratio: value / baseline };
  };
  return [inform('tables', after.tables - before.tables), inform('wal', after.wal - before.wal)];
}

/** Bytes of all tables with their indexes, and bytes that were ever written ahead. */
async function sizes({ client }: Fleet): Promise<{ readonly tables: number; readonly wal: number }> {
  const { rows } = await client.query<{ tables: string; wal: string }>(
    `SELECT sum(pg_total_relation_size(c.oid)) AS tables, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal
     FROM pg_class c WHERE c.relnamespace = 'conv'::regnamespace AND c.relkind = 'r'`,
  );
  return { tables: Number(rows[0]?.tables), wal: Number(rows[0]?.wal) };
}
