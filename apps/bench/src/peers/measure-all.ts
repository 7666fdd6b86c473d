import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';

import { inLanes } from '../lanes.ts';
import { short } from '../table.ts';
import { PythonForks } from './adapters/python-process.ts';
import type { Cell } from './cell.ts';
import { Databases } from './databases.ts';
import type { Peer } from './peer.ts';
import { PREPARED_AT_ONCE, type PeerPlan } from './plan.ts';
import { MeasuredPeer, measurePeer, type Measurement, type Measuring } from './run.ts';
import type { SavedRun } from './saved-run.ts';
import type { AgentServer } from './servers/agent-server.ts';
import { measureServer, missingServerCells } from './servers/measure-server.ts';

const run = promisify(execFile);

/** All that is measured, and how. */
export interface Comparison {
  readonly peers: readonly Peer[];
  readonly servers: readonly AgentServer[];
  readonly plan: PeerPlan;
  /** Reason why nothing of Python can be measured here. */
  readonly python: string | undefined;
  readonly saved: SavedRun;
  readonly log: (line: string) => void;
}

/** Measures all programs and agent servers, except for what the saved run has, and saves each result as soon as it is there. */
export async function measureAll(comparison: Comparison): Promise<readonly Cell[]> {
  const all = new Progress(comparison);
  return [...(await measurePeers(comparison, all)), ...(await measureServers(comparison, all))];
}

/** Says on each line how much is done, and how long it took. */
class Progress {
  readonly #log: (line: string) => void;
  readonly #all: number;
  readonly #start: number = performance.now();
  #done = 0;

  constructor({ peers, servers, plan, log }: Comparison) {
    this.#log = log;
    this.#all = peers.length * plan.sizes.length + servers.length;
  }

  /** Logs that something is measured, or taken from the saved run. */
  next(what: string): void {
    const minutes = ((performance.now() - this.#start) / 60_000).toFixed(1);
    this.#log(`${String(++this.#done).padStart(2)} of ${this.#all}, ${minutes} min: ${what}`);
  }
}

async function measurePeers(comparison: Comparison, progress: Progress): Promise<readonly Cell[]> {
  const { peers, plan, python, saved, log } = comparison;
  const isLeft = (peer: Peer, size: number): boolean => saved.entry(nameOf(peer, size)) === undefined;
  const left = peers.filter((peer) => plan.sizes.some((size) => isLeft(peer, size)));
  await using databases = left.some(({ kind }) => kind === 'postgres') ? await startDatabases(log) : undefined;
  const isPythonAsked = python === undefined && left.some(({ needs }) => needs === 'python');
  await using _forks = isPythonAsked ? await PythonForks.start() : undefined;
  const missingFor = ({ kind, needs }: Peer): string | undefined => {
    if (kind === 'postgres' && !databases) return 'no PostgreSQL on this machine';
    return needs === 'python' ? python : undefined;
  };
  const before = new Map<string, readonly Measurement[]>();
  for (const size of plan.sizes) {
    const measuringOf = (peer: Peer): Measuring => {
      return { size, plan, databases, missing: missingFor(peer), before: before.get(peer.key) ?? [] };
    };
    const results = await measureAtSize(comparison, progress, { size, measuringOf, databases });
    for (const [key, result] of results) before.set(key, [...(before.get(key) ?? []), result]);
  }
  return plan.sizes.flatMap((_, at) => peers.flatMap(({ key }) => before.get(key)?.[at]?.cells ?? []));
}

interface AtSize {
  readonly size: number;
  readonly measuringOf: (peer: Peer) => Measuring;
  readonly databases: Databases | undefined;
}

/** Prepares all programs at a size, a few at the same time, and then times one after the other. */
async function measureAtSize(
  { peers, saved, log }: Comparison,
  progress: Progress,
  { size, measuringOf, databases }: AtSize,
): Promise<ReadonlyMap<string, Measurement>> {
  const left = peers.filter((peer) => saved.entry(nameOf(peer, size)) === undefined);
  if (left.length > 0) log(`preparing ${left.length} programs at ${short(size)}`);
  const prepared = new Map<Peer, MeasuredPeer>();
  const seconds = new Map<Peer, number>();
  const timed = async <T>(peer: Peer, work: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await work();
    seconds.set(peer, (seconds.get(peer) ?? 0) + (performance.now() - start) / 1000);
    return result;
  };
  const results = new Map<string, Measurement>();
  try {
    await inLanes(left, Math.min(PREPARED_AT_ONCE, availableParallelism()), async (peer) => {
      prepared.set(peer, await timed(peer, () => prepareOrSay(peer, measuringOf(peer), log)));
    });
    for (const peer of peers) {
      const entry = saved.entry(nameOf(peer, size));
      const measured = prepared.get(peer);
      progress.next(`${peer.title} at ${short(size)}${entry ? ', as it was measured before' : ''}`);
      if (entry) results.set(peer.key, { size, ...entry });
      if (!measured) continue;
      await settle(databases);
      const result = await timed(peer, () => timeOrSay(measured, measuringOf(peer), log));
      await measured[Symbol.asyncDispose]();
      // what is missing may be there when the run goes on
      if (measuringOf(peer).missing === undefined)
        saved.add({ name: nameOf(peer, size), ...result, seconds: Math.round(seconds.get(peer) ?? 0) });
      results.set(peer.key, result);
    }
  } finally {
    for (const measured of prepared.values()) await measured[Symbol.asyncDispose]();
  }
  return results;
}

const nameOf = ({ key }: Peer, size: number): string => `${key} at ${size}`;

/** Prepares a program. An error that none of its works accounts for is the reason in all its cells: it ends no run of half an hour. */
async function prepareOrSay(peer: Peer, measuring: Measuring, log: (line: string) => void): Promise<MeasuredPeer> {
  try {
    return await MeasuredPeer.prepare(peer, measuring);
  } catch (error) {
    return MeasuredPeer.prepare(peer, { ...measuring, missing: reasonOf(error, log) });
  }
}

/** Times a program, with the same care as {@link prepareOrSay}. */
async function timeOrSay(
  measured: MeasuredPeer,
  measuring: Measuring,
  log: (line: string) => void,
): Promise<Measurement> {
  try {
    return await measured.time();
  } catch (error) {
    const cells = await measurePeer(measured.peer, { ...measuring, missing: reasonOf(error, log) });
    return { size: measuring.size, cells };
  }
}

function reasonOf(error: unknown, log: (line: string) => void): string {
  const reason = `failed: ${error instanceof Error ? error.message : String(error)}`.slice(0, 160);
  log(reason);
  return reason;
}

async function measureServers(
  { servers, plan, python, saved }: Comparison,
  progress: Progress,
): Promise<readonly Cell[]> {
  const cells: Cell[] = [];
  for (const server of servers) {
    const entry = saved.entry(server.key);
    progress.next(`${server.title}${entry ? ', as it was measured before' : ''}`);
    const missing = server.needs === 'python' ? python : undefined;
    const start = performance.now();
    const measure = (): Promise<readonly Cell[]> | readonly Cell[] =>
      missing === undefined ? measureServer(server, plan) : missingServerCells(server, plan, missing);
    const measured = entry?.cells ?? (await measure());
    if (!entry && missing === undefined)
      saved.add({ name: server.key, cells: measured, seconds: Math.round((performance.now() - start) / 1000) });
    cells.push(...measured);
  }
  return cells;
}

/** Has the machine write what waits, so that no measurement pays for what was prepared, or measured before. */
async function settle(databases: Databases | undefined): Promise<void> {
  await databases?.settle();
  if (process.platform !== 'win32') await run('sync');
}

/** Resolves with `undefined`, after it said why, where no server can be started. */
async function startDatabases(log: (line: string) => void): Promise<Databases | undefined> {
  try {
    return await Databases.start();
  } catch (error) {
    log(`no PostgreSQL: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
