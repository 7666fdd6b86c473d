import { summarise, type Cell } from './cell.ts';
import type { WorkerTask } from './peer-worker.ts';
import { WRITES } from './plan.ts';
import { failureOf, type WorkerProcess } from './worker-process.ts';

/** Starts a process for an action of a program. */
type Start = (action: WorkerTask['action'], rest: { readonly id: string; readonly writer?: string }) => WorkerProcess;

/** Has two processes append to one conversation, and counts the messages that were acknowledged and are not there. */
export async function writersCell(start: Start): Promise<Pick<Cell, 'measured' | 'cannot' | 'note'>> {
  let cell = {};
  const failure = await failureOf(twoWriters(start).then((result) => (cell = result)));
  return failure === undefined ? cell : { cannot: failure };
}

async function twoWriters(start: Start): Promise<Pick<Cell, 'measured' | 'note'>> {
  const id = crypto.randomUUID();
  await start('shared', { id }).done();
  const workers = ['a', 'b'].map((writer) => start('writer', { id, writer }));
  for (const worker of workers) await worker.ready();
  for (const worker of workers) worker.go();
  const reports = (await Promise.all(workers.map((worker) => worker.done()))).flat();
  const written = reports.flatMap((news) => news.written ?? []);
  const stored = new Set((await start('names', { id }).done()).flatMap(({ names = [] }) => names));
  const acknowledged = written.flatMap((each) => each.acknowledged);
  const lost = acknowledged.filter((name) => !stored.has(name)).length;
  const refused = written.reduce((sum, each) => sum + each.refused, 0);
  return { measured: summarise([lost]), note: `${refused} of ${2 * WRITES} refused` };
}
