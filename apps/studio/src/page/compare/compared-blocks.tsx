import { BlockView } from '@conv/visualize/react';
import type { TimelineBlock } from '@conv/visualize/timeline';
import { type ReactElement, useState } from 'react';

/** Blocks of each side that are shown at first, and that each request adds. */
const SOME = 60;

/** Number of common blocks before the fork that are shown at first. */
const FEW = 2;

/** Shows the end of what two paths have in common, and then their own blocks side by side. */
export function ComparedBlocks({
  common,
  a,
  b,
}: {
  readonly common: readonly TimelineBlock[];
  readonly a: readonly TimelineBlock[];
  readonly b: readonly TimelineBlock[];
}): ReactElement {
  const [before, setBefore] = useState(FEW);
  const [after, setAfter] = useState(SOME);
  const rows = Math.min(after, Math.max(a.length, b.length));
  return (
    <>
      {common.length > before && (
        <button type="button" className="button" data-size="small" onClick={() => setBefore(before + SOME)}>
          Show earlier common blocks
        </button>
      )}
      <div className="cmp-common">
        {common.slice(-before).map((block) => (
          <BlockView key={block.id} block={block} />
        ))}
      </div>
      <div className="cmp-grid">
        <h3>Only in A</h3>
        <h3>Only in B</h3>
        {Array.from({ length: rows }, (_, place) => (
          <Row key={place} a={a[place]} b={b[place]} />
        ))}
      </div>
      {Math.max(a.length, b.length) > rows && (
        <button type="button" className="button" data-size="small" onClick={() => setAfter(after + SOME)}>
          Show more
        </button>
      )}
    </>
  );
}

function Row({ a, b }: { readonly a: TimelineBlock | undefined; readonly b: TimelineBlock | undefined }): ReactElement {
  return (
    <>
      <div data-side="a">{a && <BlockView block={a} />}</div>
      <div data-side="b">{b && <BlockView block={b} />}</div>
    </>
  );
}
