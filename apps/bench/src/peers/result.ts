import { WORKS, type Cell, type Work } from './cell.ts';
import type { Peer, StorageKind } from './peer.ts';
import type { AgentServer } from './servers/agent-server.ts';

/** Works whose value is no multiple of a bare one. */
const WITHOUT_RATIO: ReadonlySet<Work> = new Set(['writers', 'memory', 'resume']);

/** A run of the comparison. */
export interface PeerResult {
  readonly peers: readonly Pick<Peer, 'key' | 'title' | 'kind' | 'synced'>[];
  readonly servers: readonly Pick<AgentServer, 'key' | 'title'>[];
  readonly sizes: readonly number[];
  /** Number of the conversations that were listed. */
  readonly listed: number;
  /** Versions of the packages that were measured, and of Node, by their names. */
  readonly versions: Readonly<Record<string, string>>;
  readonly cells: readonly Cell[];
}

/** Row of a table: one program doing one work. */
export interface PeerRow {
  readonly key: string;
  readonly title: string;
  readonly cells: readonly PeerTableCell[];
  /** Reasons and facts of its cells, each one once. */
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
    const remarks = cells.flatMap(({ cell }) => [cell?.cannot, cell?.note].filter((text) => text !== undefined));
    return { key: peer.key, title: peer.title, cells, remarks: [...new Set(remarks)] };
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
