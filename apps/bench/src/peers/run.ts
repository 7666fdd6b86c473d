import { rmSync } from 'node:fs';

import { short } from '../table.ts';
import { benchFolder } from './bench-folder.ts';
import { summarise, tooSlowAt, WORKS, type Cell, type Work } from './cell.ts';
import type { Databases } from './databases.ts';
import { lostAndRepeated } from './measure-runs.ts';
import type { Peer, PeerPlace } from './peer.ts';
import type { WorkerTask } from './peer-worker.ts';
import { SHORT, type PeerPlan } from './plan.ts';
import { isOfServers } from './result.ts';
import { isTight, repeat } from './sample.ts';
import { failureOf, KILLED, WorkerProcess } from './worker-process.ts';
import type { WorkerNews } from './worker-news.ts';
import { writersCell } from './two-writers.ts';

const GONE = 'gone with its process';
/** Works that need a conversation that was filled by another process. */
const OF_FILLED: readonly Work[] = ['open', 'read', 'memory', 'fork', 'step', 'append', 'many', 'disk', 'growth'];
/** Multiple of a plan's budget for all processes that read a conversation: most of their time is the start of Node. */
const READING = 5;
/** Multiple of a plan's limit for making the conversations that are listed, which is no work that is measured. */
const MAKING = 5;

/** Size and means of a measurement. */
export interface Measuring {
  readonly size: number;
  readonly plan: PeerPlan;
  readonly databases: Databases | undefined;
  /** Reason why the program cannot be measured here, which all its cells then have. */
  readonly missing?: string | undefined;
  /** Results of the program at smaller sizes: a work that took too long there is not tried. */
  readonly before?: readonly Measurement[];
}

/** Results of a program at a size. */
export interface Measurement {
  readonly size: number;
  readonly cells: readonly Cell[];
  /** Milliseconds that filling its conversation took. */
  readonly filled?: number;
}

/** Measures every work of a program at one size, in processes of their own. A work that fails has the reason in its cell. */
export async function measurePeer(peer: Peer, measuring: Measuring): Promise<readonly Cell[]> {
  await using measured = await MeasuredPeer.prepare(peer, measuring);
  return (await measured.time()).cells;
}

/** A program at one size. Untimed work is done first, and may have another program beside it. */
export class MeasuredPeer implements AsyncDisposable {
  readonly peer: Peer;
  readonly #measuring: Measuring;
  readonly #id: string = crypto.randomUUID();
  readonly #cells = new Map<Work, Cell>();
  readonly #places: PeerPlace[] = [];
  #place: PeerPlace | undefined;
  #listed: PeerPlace | undefined;
  #filled: number | undefined;

  private constructor(peer: Peer, measuring: Measuring) {
    this.peer = peer;
    this.#measuring = measuring;
  }

  /** Fills what the program is measured with, and does the works whose time does not count. */
  static async prepare(peer: Peer, measuring: Measuring): Promise<MeasuredPeer> {
    const measured = new MeasuredPeer(peer, measuring);
    try {
      await measured.#prepare();
    } catch (error) {
      await measured[Symbol.asyncDispose]();
      throw error;
    }
    return measured;
  }

  /** Does the works whose time counts, one after the other. */
  async time(): Promise<Measurement> {
    const { size, plan, missing } = this.#measuring;
    if (missing !== undefined) return { size, cells: missingCells(this.peer, this.#measuring, missing) };
    if (this.peer.kind !== 'memory') {
      await this.#read();
      await this.#cellsOf('growth', ['growth']);
      await this.#cellsOf('forks', ['fork']);
      await this.#cellsOf('steps', ['step']);
      await this.#cellsOf('write', ['append', 'many']);
    } else await this.#cellsOf('write', ['append', 'many', 'read', 'open', 'memory', 'fork', 'step']);
    if (size === plan.sizes[0]) {
      await this.#crash();
      await this.#list();
    }
    const cells = (Object.keys(WORKS) as Work[]).flatMap((work) => this.#cells.get(work) ?? []);
    return { size, cells, ...(this.#filled !== undefined && { filled: this.#filled }) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { directory, database } of this.#places.splice(0)) {
      rmSync(directory, { recursive: true, force: true });
      if (database !== undefined) await this.#measuring.databases?.remove(database);
    }
  }

  async #prepare(): Promise<void> {
    const { peer } = this;
    const { size, plan, missing } = this.#measuring;
    if (missing !== undefined) return;
    this.#place = await this.#newPlace();
    if (peer.kind === 'memory') for (const work of ['disk', 'growth'] as const) this.#put(work, { cannot: 'no disk' });
    const hopeless = this.#hopeless();
    if (hopeless !== undefined) for (const work of OF_FILLED) this.#put(work, { cannot: hopeless });
    else if (peer.kind !== 'memory') await this.#cellsOf('prepare', ['disk'], OF_FILLED);
    if (size !== plan.sizes[0]) return;
    if (peer.kind === 'memory') this.#put('writers', { cannot: 'one process alone has the conversation' });
    else this.#put('writers', await writersCell((action, rest) => this.#process(action, rest)));
    await this.#makeListed();
  }

  async #newPlace(): Promise<PeerPlace> {
    const database = this.peer.kind === 'postgres' ? await this.#measuring.databases?.make() : undefined;
    const place = { directory: benchFolder(this.peer.key), ...(database !== undefined && { database }) };
    this.#places.push(place);
    return place;
  }

  /** Returns the reason why filling the conversation takes too long for certain, by what it took for a shorter one. */
  #hopeless(): string | undefined {
    const { size, plan, before = [] } = this.#measuring;
    const last = before.at(-1);
    if (last?.filled === undefined || last.size < SHORT) return undefined;
    // it takes the same for each message at least
    if (last.filled * (size / last.size) <= plan.filling) return undefined;
    return `not tried: to fill it took ${Math.round(last.filled / 1000)} s at ${short(last.size)}`;
  }

  #put(work: Work, rest: Partial<Cell>): void {
    const { size } = this.#measuring;
    if (!this.#cells.has(work)) this.#cells.set(work, { work, peer: this.peer.key, size, ...rest });
  }

  #process(
    action: WorkerTask['action'],
    rest: { readonly id?: string; readonly writer?: string; readonly place?: PeerPlace; readonly limit?: number } = {},
  ): WorkerProcess {
    const { size, plan } = this.#measuring;
    const { id = this.#id, place = this.#place, limit = plan.limit, ...more } = rest;
    if (!place) throw new TypeError('expected a prepared program, found one that cannot be measured');
    return new WorkerProcess({
      action,
      key: this.peer.key,
      plan: { ...plan, limit },
      subject: { place, id, size },
      ...more,
    });
  }

  /** True if a work has its cell already, also because it took too long at a smaller size. */
  #isSettled(work: Work): boolean {
    const { before = [] } = this.#measuring;
    const cells = before.flatMap((each) => each.cells.filter((cell) => cell.work === work));
    const reason = cells.map(tooSlowAt).findLast((each) => each !== undefined);
    if (reason !== undefined) this.#put(work, { cannot: reason });
    return this.#cells.has(work);
  }

  /**
   * Keeps the cells that a process reports, and does not start it if its first work is settled. Each work of `failing` that has no cell
   * then gets the reason why it failed.
   */
  async #cellsOf(
    action: WorkerTask['action'],
    works: readonly [Work, ...Work[]],
    failing: readonly Work[] = works,
  ): Promise<void> {
    if (this.#isSettled(works[0])) {
      const reason = this.#cells.get(works[0])?.cannot ?? 'nothing was measured';
      for (const work of failing) this.#put(work, { cannot: reason });
      return;
    }
    const { limit, filling } = this.#measuring.plan;
    const worker = this.#process(action, { limit: action === 'prepare' ? filling : limit });
    const failure = await failureOf(worker.done());
    for (const { cell, filled } of worker.news) {
      if (cell) this.#cells.set(cell.work, cell);
      if (filled !== undefined) this.#filled = filled;
    }
    if (failure === undefined) return;
    const cannot = action === 'prepare' ? `to fill it ${failure}` : failure;
    for (const work of failing) this.#put(work, { cannot });
  }

  /** Reads in new processes until their times hardly differ; what one of them did not come to has the reason in its cell. */
  async #read(): Promise<void> {
    const { plan } = this.#measuring;
    const { remarks } = this.peer;
    if (this.#isSettled('open')) {
      const cannot = this.#cells.get('open')?.cannot ?? 'nothing was measured';
      for (const work of ['read', 'memory'] as const) this.#put(work, { cannot });
      return;
    }
    const readings: NonNullable<WorkerNews['reading']>[] = [];
    const valuesOf = (work: Work): readonly number[] =>
      readings.filter((reading) => reading.work === work).map(({ value }) => value);
    let failure: string | undefined;
    await repeat({ most: plan.readers, budget: plan.budget * READING }, async () => {
      const worker = this.#process('read');
      failure = await failureOf(worker.done());
      readings.push(...worker.news.flatMap(({ reading }) => reading ?? []));
      return failure === undefined && !(isTight(valuesOf('open')) && isTight(valuesOf('read')));
    });
    for (const work of ['open', 'read', 'memory'] as const) {
      const values = valuesOf(work);
      if (values.length === 0) this.#put(work, { cannot: failure ?? 'nothing was read' });
      else
        this.#put(work, {
          measured: summarise(values),
          ...(work === 'open' && remarks?.open && { note: remarks.open }),
        });
    }
  }

  /** Ends a process in an effect of a tool, has another go on, and counts the effects. */
  async #crash(): Promise<void> {
    const { peer } = this;
    if (peer.kind === 'memory') return this.#put('resume', { cannot: GONE });
    if (peer.lacks?.resume) return this.#put('resume', { cannot: peer.lacks.resume });
    const place = await this.#newPlace();
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

  async #makeListed(): Promise<void> {
    const { peer } = this;
    const { plan } = this.#measuring;
    const put = (cannot: string): void => this.#put('list', { size: plan.listed, cannot });
    if (peer.kind === 'memory') return put(GONE);
    if (peer.lacks?.list) return put(peer.lacks.list);
    this.#listed = await this.#newPlace();
    const maker = this.#process('make-listed', { place: this.#listed, limit: plan.limit * MAKING });
    const failure = await failureOf(maker.done());
    if (failure !== undefined) put(`making them ${failure}`);
  }

  async #list(): Promise<void> {
    const { plan } = this.#measuring;
    const place = this.#listed;
    if (!place || this.#cells.has('list')) return;
    const values: number[] = [];
    let failure: string | undefined;
    await repeat({ most: plan.readers, budget: plan.budget * READING }, async () => {
      const worker = this.#process('list', { place });
      failure = await failureOf(worker.done());
      values.push(...worker.news.flatMap(({ listed }) => listed ?? []));
      return failure === undefined && !isTight(values);
    });
    const { remarks } = this.peer;
    if (values.length === 0) return this.#put('list', { size: plan.listed, cannot: failure ?? 'nothing was listed' });
    this.#put('list', {
      size: plan.listed,
      measured: summarise(values),
      ...(remarks?.list && { note: remarks.list }),
    });
  }
}

/** Returns a cell with the reason for each work that would be measured at a size. */
function missingCells({ key }: Peer, { size, plan }: Measuring, missing: string): readonly Cell[] {
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
