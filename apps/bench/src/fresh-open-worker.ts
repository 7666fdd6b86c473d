import { join } from 'node:path';

/** Events of the end that are read. */
const TAIL = 50;

const [way = '', directory = '', id = ''] = process.argv.slice(2);

/** Opens and reads; resolves with the number of events, and what gives everything back. */
type Open = () => Promise<{ readonly events: number; readonly close: () => Promise<void> }>;

// Opens one conversation in this process, which has done nothing else, and prints the milliseconds and those of the processor, imports apart.
const open = await load();
const [start, used] = [performance.now(), process.cpuUsage()];
const { events, close } = await open();
const elapsed = performance.now() - start;
const { user, system } = process.cpuUsage(used);
if (events !== TAIL) throw new Error(`expected the last ${TAIL} events, found ${events}`);
process.stdout.write(JSON.stringify({ elapsed, processor: (user + system) / 1000 }));
await close();

async function load(): Promise<Open> {
  if (way === 'bare') return loadBare();
  const [kind, use] = way.split('-');
  const { ConversationState, projections } = await import('@conv/core');
  const { readEvents } = await import('@conv/core/store');
  const makeStore = kind === 'sqlite' ? await loadSqlite() : await loadFiles();
  if (use === 'own')
    return async () => {
      const store = makeStore();
      const state = await ConversationState.open(await store.open(id, { owner: 'bench', create: 'never' }));
      const tail = await state.events.slice(-TAIL);
      return { events: tail.length, close: () => state.close().then(() => store.close()) };
    };
  return async () => {
    const store = makeStore();
    const reader = await store.read(id);
    if (!reader) throw new Error('the conversation is not there');
    const { end } = await projections.readState(reader);
    const tail = await Array.fromAsync(readEvents(reader, end.event - TAIL));
    return { events: tail.length, close: () => store.close() };
  };
}

async function loadFiles() {
  const { FsStore } = await import('@conv/persist-fs');
  return () => new FsStore({ directory, mirror: 'deferred' });
}

async function loadSqlite() {
  const { SqliteStore } = await import('@conv/persist-sqlite');
  return () => new SqliteStore({ file: join(directory, 'conversations.db') });
}

async function loadBare(): Promise<Open> {
  const { DatabaseSync } = await import('node:sqlite');
  return async () => {
    const database = new DatabaseSync(join(directory, 'bare.db'));
    const rows = database.prepare('SELECT body FROM rows WHERE log = ? ORDER BY number DESC LIMIT ?').all(id, TAIL);
    const tail = rows.map(({ body }) => JSON.parse(String(body)) as unknown);
    return { events: tail.length, close: async () => database.close() };
  };
}
