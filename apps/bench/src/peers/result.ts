import { short } from '../table.ts';
import { WORKS, type Cell, type Work } from './cell.ts';
import type { Peer, StorageKind } from './peer.ts';
import type { AgentServer } from './servers/agent-server.ts';

/** Works whose value is no multiple of a bare one. */
const WITHOUT_RATIO: ReadonlySet<Work> = new Set(['writers', 'memory', 'resume']);

/** Where a comparison ran. */
export interface Machine {
  readonly processor: string;
  readonly memory: string;
  readonly system: string;
  /** File system of the folder that everything was written to. */
  readonly disk: string;
}

/** Part of a run; a run has several if it was stopped and went on. */
export interface Part {
  /** Day on which it began, such as `2026-11-30`. */
  readonly date: string;
  /** Commit of ours. */
  readonly commit: string;
}

/** A run of the comparison. */
export interface PeerResult {
  readonly peers: readonly Pick<Peer, 'key' | 'title' | 'kind' | 'synced'>[];
  readonly servers: readonly Pick<AgentServer, 'key' | 'title'>[];
  readonly sizes: readonly number[];
  /** Number of the conversations that were listed. */
  readonly listed: number;
  /** Versions of the packages that were measured, and of Node, by their names. */
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: Machine;
  readonly parts: readonly Part[];
  readonly cells: readonly Cell[];
}

/** Row of a table: one program doing one work. */
export interface PeerRow {
  readonly key: string;
  readonly title: string;
  readonly cells: readonly PeerTableCell[];
  /** Reasons and facts of its cells, each one once, with its sizes unless all have it. */
  readonly remarks: readonly string[];
}

/** Cell of a table. */
export interface PeerTableCell {
  readonly cell: Cell | undefined;
  /** Multiple of the bare baseline for the same storage; `null` where there is none. */
  readonly ratio: number | null;
}

interface Program {
  readonly key: string;
  readonly title: string;
  readonly kind?: StorageKind;
}

/** Returns what a reader has to know of machine and time: names and their values. */
export function factsOf({ machine, parts }: PeerResult): readonly (readonly [string, string])[] {
  const distinct = (values: readonly string[]): string => [...new Set(values)].join(', ');
  return [
    ['date', distinct(parts.map(({ date }) => date))],
    ['commit of ours', distinct(parts.map(({ commit }) => commit))],
    ...(parts.length > 1 ? [['run', `stopped and resumed ${parts.length - 1}×`] as const] : []),
    ['processor', machine.processor],
    ['memory', machine.memory],
    ['system', machine.system],
    ['file system', machine.disk],
  ];
}

/** Returns the sizes at which a work is measured. */
export function sizesOf(work: Work, { sizes, listed, cells }: PeerResult): readonly number[] {
  if (isOfServers(work)) return [...new Set(cells.filter((cell) => cell.work === work).map(({ size }) => size))];
  if (WORKS[work].sizes === 'list') return [listed];
  return WORKS[work].sizes === 'first' ? sizes.slice(0, 1) : sizes;
}

/** True if agent servers do the work, and programs that keep conversations do not. */
export const isOfServers = (work: Work): boolean => WORKS[work].sizes === 'servers';

/** Returns the rows of a work, in the order of the programs. */
export function rowsOf(work: Work, result: PeerResult): readonly PeerRow[] {
  const programs: readonly Program[] = isOfServers(work) ? result.servers : result.peers;
  return programs.map((peer) => {
    const cells = sizesOf(work, result).map((size) => {
      const cell = result.cells.find((each) => each.peer === peer.key && each.work === work && each.size === size);
      return { cell, ratio: ratioOf(cell, peer, result) };
    });
    return { key: peer.key, title: peer.title, cells, remarks: remarksOf(cells.flatMap(({ cell }) => cell ?? [])) };
  });
}

/** Returns the reasons and facts of a row. A text that is not about each of its cells begins with their sizes. */
function remarksOf(cells: readonly Cell[]): readonly string[] {
  const textsOf = ({ cannot, note }: Cell): readonly string[] => [cannot, note].filter((text) => text !== undefined);
  return [...new Set(cells.flatMap(textsOf))].map((text) => {
    const about = cells.filter((cell) => textsOf(cell).includes(text));
    if (about.length === cells.length) return text;
    return `at ${about.map(({ size }) => short(size)).join(' and ')}: ${text}`;
  });
}

/** Returns the multiple of the baseline that alternated with the measurement, else of the bare program in the same run. */
function ratioOf(cell: Cell | undefined, { kind, key }: Program, result: PeerResult): number | null {
  if (!cell?.measured || kind === undefined || WITHOUT_RATIO.has(cell.work)) return null;
  if (cell.measured.bare !== null) return cell.measured.value / cell.measured.bare;
  const bareKey = `bare-${kind === 'files' ? 'file' : kind}`;
  if (key === bareKey) return null;
  const bare = result.cells.find(
    (each) => each.peer === bareKey && each.work === cell.work && each.size === cell.size,
  )?.measured;
  return bare && bare.value > 0 ? cell.measured.value / bare.value : null;
}
