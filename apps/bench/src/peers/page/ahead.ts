import { WORKS, type Cell, type Work } from '../cell.ts';
import { groupOf } from '../peer.ts';
import { isOfServers, rowsOf, sizesOf, type PeerResult } from '../result.ts';

/** Works whose larger value is the better one. */
const LARGER_IS_BETTER: ReadonlySet<Work> = new Set(['runs']);

/** A result in which another program does better than ours. */
export interface Ahead {
  readonly work: Work;
  readonly size: number;
  readonly ours: Cell;
  readonly theirs: Cell;
  /** Our value as a multiple of theirs, or theirs of ours where the larger value is the better one; `Infinity` beside zero. */
  readonly factor: number;
}

/** Returns all results in which another program is ahead of ours on the same kind of storage, or of our server, in the order of the tables. */
export function whereOthersAreAhead(result: PeerResult): readonly Ahead[] {
  return (Object.keys(WORKS) as Work[]).flatMap((work) =>
    sizesOf(work, result).flatMap((size) => aheadAt(work, size, result)),
  );
}

function aheadAt(work: Work, size: number, result: PeerResult): readonly Ahead[] {
  const measured = rowsOf(work, result).flatMap(({ cells }) =>
    cells.flatMap(({ cell }) => (cell?.measured && cell.size === size ? [cell] : [])),
  );
  const kindOf = (key: string): string =>
    isOfServers(work) ? 'server' : (result.peers.find((peer) => peer.key === key)?.kind ?? '');
  const ours = measured.filter(({ peer }) => groupOf(peer) === 'ours');
  return ours.flatMap((our) =>
    measured
      .filter(({ peer }) => groupOf(peer) === 'others' && kindOf(peer) === kindOf(our.peer))
      .flatMap((their) => {
        const [large, small] = LARGER_IS_BETTER.has(work) ? [their, our] : [our, their];
        const [more, less] = [large.measured?.value ?? 0, small.measured?.value ?? 0];
        const factor = less > 0 ? more / less : Infinity;
        return more > less ? [{ work, size, ours: our, theirs: their, factor }] : [];
      }),
  );
}
