import { BlockView } from '@conv/visualize/react';
import type { TimelineBlock } from '@conv/visualize/timeline';
import { type ReactElement, useState } from 'react';

/** Blocks of each side that are shown at first, and that each request adds. */
const SOME = 60;

/** Number of common blocks before the fork that are shown at first. */
const FEW = 2;

/** Shows the end of what two paths have in common, and then their own blocks: side by side, or one below the other on a phone. */
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
        <Side name="a" title="Only in A" blocks={a.slice(0, rows)} />
        <Side name="b" title="Only in B" blocks={b.slice(0, rows)} />
      </div>
      {Math.max(a.length, b.length) > rows && (
        <button type="button" className="button" data-size="small" onClick={() => setAfter(after + SOME)}>
          Show more
        </button>
      )}
    </>
  );
}

function Side({
  name,
  title,
  blocks,
}: {
  readonly name: 'a' | 'b';
  readonly title: string;
  readonly blocks: readonly TimelineBlock[];
}): ReactElement {
  return (
    <section data-side={name}>
      <h3>{title}</h3>
      {blocks.map((block) => (
        <BlockView key={block.id} block={block} />
      ))}
    </section>
  );
}
