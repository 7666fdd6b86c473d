import type { ReactElement } from 'react';
import { amount } from '../text/amounts.ts';
import type { Branch } from '../timeline/branches.ts';

/** Maximum number of listed branches. */
const MOST = 200;

/** Shows the tree of branches as an indented list; nothing when there is one branch. */
export function BranchList({
  parts,
  onChoose,
}: {
  readonly parts: readonly Branch[];
  /** Called with the number of the last event of a branch. */
  readonly onChoose: (index: number) => void;
}): ReactElement | null {
  if (parts.length < 2) return null;
  return (
    <section>
      <h2>Branches</h2>
      <ul className="conv-branches">
        {parts.slice(0, MOST).map(({ first, last, count, depth, live }) => (
          <li key={first} data-live={live || undefined} style={{ marginInlineStart: `${Math.min(depth, 8) * 12}px` }}>
            <button type="button" onClick={() => onChoose(last)}>
              {first === last ? `event ${first}` : `events ${first}–${last}`}
              <small>
                {' '}
                {amount(count, 'event')}
                {live && ', live'}
              </small>
            </button>
          </li>
        ))}
      </ul>
      {parts.length > MOST && <p className="conv-quiet">and {parts.length - MOST} more</p>}
    </section>
  );
}
