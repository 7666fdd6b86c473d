import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { summarise, WORKS, type Cell, type Work } from './cell.ts';
import type { Databases } from './databases.ts';
import { lostAndRepeated } from './measure-runs.ts';
import type { Peer, PeerPlace } from './peer.ts';
import { isOfServers } from './result.ts';
import type { WorkerNews, WorkerTask } from './peer-worker.ts';
import { WRITES, type PeerPlan } from './plan.ts';
import { KILLED, WorkerFailedError, WorkerProcess } from './worker-process.ts';

const GONE = 'gone with its process';

/** Size and means of a measurement. */
export interface Measuring {
  readonly size: number;
  readonly plan: PeerPlan;
  readonly databases: Databases | undefined;
  /** Reason why the program cannot be measured here, which all its cells then have. */
  readonly missing?: string | undefined;
}

/** Measures every work of a program at one size, in processes of their own. A work that fails has the reason in its cell. */
export async function measurePeer(peer: Peer, { size, plan, databases, missing }: Measuring): Promise<readonly Cell[]> {
  if (missing !== undefined) return missingCells(peer, { size, plan, missing });
  const places: PeerPlace[] = [];
  const newPlace = async (): Promise<PeerPlace> => {
    const database = peer.kind === 'postgres' ? await databases?.make() : undefined;
    const place = {
      directory: mkdtempSync(join(tmpdir(), 'conv-bench-peer-')),
      ...(database !== undefined && { database }),
    };
    places.push(place);
    return place;
  };
  try {
    return await new Measurement({ peer, size, plan, place: await newPlace(), newPlace }).run();
  } finally {
    for (const { directory, database } of places) {
      rmSync(directory, { recursive: true, force: true });
      if (database !== undefined) await databases?.remove(database);
    }
  }
}

interface MeasurementDeps {
  readonly peer: Peer;
  readonly size: number;
  readonly plan: PeerPlan;
  readonly place: PeerPlace;
  /** Resolves with another empty place. */
  readonly newPlace: () => Promise<PeerPlace>;
}

class Measurement {
  readonly #deps: MeasurementDeps;
  readonly #id: string = crypto.randomUUID();
  readonly #cells = new Map<Work, Cell>();

  constructor(deps: MeasurementDeps) {
    this.#deps = deps;
  }

  async run(): Promise<readonly Cell[]> {
    const { peer, size, plan } = this.#deps;
    if (peer.kind === 'memory') {
      for (const work of ['disk', 'growth'] as const) this.#put(work, { cannot: 'no disk' });
    } else {
      await this.#cellsOf('prepare', ['open', 'read', 'memory', 'fork', 'step', 'append', 'many', 'disk', 'growth']);
      if (!this.#cells.has('append')) {
        await this.#read();
        await this.#cellsOf('growth', ['growth']);
        await this.#cellsOf('forks', ['fork']);
        await this.#cellsOf('steps', ['step']);
      }
    }
    if (!this.#cells.has('append'))
      await this.#cellsOf('write', ['fork', 'step', 'append', 'many', 'open', 'read', 'memory']);
    if (size === plan.sizes[0]) {
      await this.#writers();
      await this.#crash();
      await this.#list();
    }
    return (Object.keys(WORKS) as Work[]).flatMap((work) => this.#cells.get(work) ?? []);
  }

  #put(work: Work, rest: Partial<Cell>): void {
    const { peer, size } = this.#deps;
    if (!this.#cells.has(work)) this.#cells.set(work, { work, peer: peer.key, size, ...rest });
  }

  #process(
    action: WorkerTask['action'],
    rest: { readonly id?: string; readonly writer?: string; readonly place?: PeerPlace; readonly limit?: number } = {},
  ): WorkerProcess {
    const { peer, size } = this.#deps;
    const { id = this.#id, place = this.#deps.place, limit = this.#deps.plan.limit, ...more } = rest;
    const plan = { ...this.#deps.plan, limit };
    return new WorkerProcess({ action, key: peer.key, plan, subject: { place, id, size }, ...more });
  }

  /** Keeps the cells that a process reports; the works that it owes get the reason why it failed. */
  async #cellsOf(action: WorkerTask['action'], owed: readonly Work[]): Promise<void> {
    const worker = this.#process(action);
    const failure = await failureOf(worker.done());
    for (const { cell } of worker.news) if (cell) this.#cells.set(cell.work, cell);
    if (failure) for (const work of owed) this.#put(work, { cannot: failure });
  }

  /** Reads in as many processes as the plan says; what one of them did not come to has the reason in its cell. */
  async #read(): Promise<void> {
    const { peer, plan } = this.#deps;
    const readings: NonNullable<WorkerNews['reading']>[] = [];
    let failure: string | undefined;
    for (let round = 0; round < plan.readers && !failure; round++) {
      const worker = this.#process('read');
      failure = await failureOf(worker.done());
      readings.push(...worker.news.flatMap(({ reading }) => reading ?? []));
    }
    for (const work of ['open', 'read', 'memory'] as const) {
      const values = readings.filter((reading) => reading.work === work).map(({ value }) => value);
      if (values.length === 0) this.#put(work, { cannot: failure ?? 'nothing was read' });
      else this.#put(work, { measured: summarise(values), ...(work === 'open' && remarkOf(peer)) });
    }
  }

  async #writers(): Promise<void> {
    const { peer } = this.#deps;
    if (peer.kind === 'memory') return this.#put('writers', { cannot: 'one process alone has the conversation' });
    const id = crypto.randomUUID();
    const failure = await failureOf(this.#twoWriters(id));
    if (failure) this.#put('writers', { cannot: failure });
  }

  /** Ends a process in an effect of a tool, has another go on, and counts the effects. */
  async #crash(): Promise<void> {
    const { peer, newPlace } = this.#deps;
    if (peer.kind === 'memory') return this.#put('resume', { cannot: GONE });
    if (peer.lacks?.resume) return this.#put('resume', { cannot: peer.lacks.resume });
    const place = await newPlace();
    const id = crypto.randomUUID();
    const end = await failureOf(this.#process('crash', { id, place }).done());
    if (end !== KILLED) return this.#put('resume', { cannot: end ?? 'the tool was never called' });
    const failure = await failureOf(this.#process('go-on', { id, place }).done());
    const { lost, repeated } = lostAndRepeated(place.directory);
    const note = [`${repeated} repeated`, failure, peer.remarks?.resume]
      .filter((text) => text !== undefined)
      .join(', ');
    this.#put('resume', { measured: summarise([lost]), note });
  }

  async #list(): Promise<void> {
    const { peer, plan, newPlace } = this.#deps;
    const put = (rest: Partial<Cell>): void => this.#put('list', { size: plan.listed, ...rest });
    if (peer.kind === 'memory') return put({ cannot: GONE });
    if (peer.lacks?.list) return put({ cannot: peer.lacks.list });
    const place = await newPlace();
    // to make them is no work that is measured
    const full = await failureOf(this.#process('make-listed', { place, limit: plan.limit * 5 }).done());
    if (full) return put({ cannot: `making them ${full}` });
    const values: number[] = [];
    let failure: string | undefined;
    for (let round = 0; round < plan.readers && !failure; round++) {
      const worker = this.#process('list', { place });
      failure = await failureOf(worker.done());
      values.push(...worker.news.flatMap(({ listed }) => listed ?? []));
    }
    if (values.length === 0) return put({ cannot: failure ?? 'nothing was listed' });
    put({ measured: summarise(values), ...(peer.remarks?.list && { note: peer.remarks.list }) });
  }

  async #twoWriters(id: string): Promise<void> {
    await this.#process('shared', { id }).done();
    const workers = ['a', 'b'].map((writer) => this.#process('writer', { id, writer }));
    for (const worker of workers) await worker.ready();
    for (const worker of workers) worker.go();
    const reports = (await Promise.all(workers.map((worker) => worker.done()))).flat();
    const written = reports.flatMap((news) => news.written ?? []);
    const stored = new Set((await this.#process('names', { id }).done()).flatMap(({ names = [] }) => names));
    const acknowledged = written.flatMap((each) => each.acknowledged);
    const lost = acknowledged.filter((name) => !stored.has(name)).length;
    const refused = written.reduce((sum, each) => sum + each.refused, 0);
    const note = `${refused} of ${2 * WRITES} refused`;
    this.#put('writers', { measured: summarise([lost]), note });
  }
}

/** Returns a cell with the reason for each work that would be measured at a size. */
function missingCells(
  { key }: Peer,
  { size, plan, missing }: { readonly size: number; readonly plan: PeerPlan; readonly missing: string },
): readonly Cell[] {
  const works = (Object.keys(WORKS) as Work[]).filter(
    (work) => !isOfServers(work) && (WORKS[work].sizes === 'each' || size === plan.sizes[0]),
  );
  return works.map((work) => ({
    work,
    peer: key,
    size: WORKS[work].sizes === 'list' ? plan.listed : size,
    cannot: missing,
  }));
}

function remarkOf({ remarks }: Peer): { readonly note?: string } {
  return remarks?.open === undefined ? {} : { note: remarks.open };
}

/** Resolves with the words of a process's failure; `undefined` if it ended well. */
async function failureOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof WorkerFailedError) return error.message;
    throw error;
  }
}
