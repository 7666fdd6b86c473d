import '@conv/visualize/react/style.css';
import '../conversation/conversation.css';
import '../time/time.css';
import './compare.css';
import type { Conversation } from '@conv/core';
import { plainLine } from '@conv/visualize/text';
import { timeline } from '@conv/visualize/timeline';
import { type ReactElement, useMemo } from 'react';
import { useLoaded } from '../conversation/use-loaded.ts';
import { amounts } from '../design/amounts.ts';
import { alignPaths, type AlignedPaths } from './align-paths.ts';
import { ComparedBlocks } from './compared-blocks.tsx';
import type { ComparedSide } from './compared-side.ts';
import { ComparedStates } from './compared-states.tsx';
import { type ComparedPoint, formatPoint, parsePoint } from './parse-point.ts';
import { readPath } from './read-path.ts';

/** Events of each path that are read. */
const MOST = 3_000;

/** Properties of {@link CompareView}. */
export interface CompareViewProps {
  /** The points that are compared, as `ID:EVENT` or `ID`. */
  readonly a: string;
  readonly b: string;
  /** Resolves with a conversation that stays open while this page needs it. */
  readonly open: (id: string) => Promise<Conversation>;
  /** Goes to a path of this page. */
  readonly go: (path: string) => void;
}

/** Shows two points side by side, aligned at the last event that both have: two branches, or a conversation and its fork. */
export function CompareView({ a, b, open, go }: CompareViewProps): ReactElement {
  const [pointA, pointB] = [parsePoint(a), parsePoint(b)];
  const { value, failure, loading } = useLoaded(`${a} ${b}`, async () => {
    if (!pointA || !pointB) throw new Error('expected two points as ID:EVENT, such as /compare?a=ID:120&b=ID:80');
    const [one, two] = await Promise.all([sideOf(pointA, open), sideOf(pointB, open)]);
    const [pathA, pathB] = await Promise.all([
      readPath(one.conversation.events, one.event, MOST),
      readPath(two.conversation.events, two.event, MOST),
    ]);
    return { one, two, paths: alignPaths(pathA.events, pathB.events), whole: pathA.whole && pathB.whole };
  });
  if (failure)
    return (
      <p role="alert" className="notice" data-tone="bad">
        These points cannot be compared. {failure}
      </p>
    );
  if (!value) return <p className="cv-empty quiet">{loading ? 'Reading both paths …' : 'Nothing to compare.'}</p>;
  const { one, two, paths, whole } = value;
  const swap = (): void => go(`/compare?a=${encodeURIComponent(b)}&b=${encodeURIComponent(a)}`);
  return (
    <div className="cmp" aria-busy={loading}>
      <header className="cmp-head">
        <Side label="A" side={one} own={paths.a.length} go={go} />
        <Side label="B" side={two} own={paths.b.length} go={go} />
      </header>
      <div className="cmp-body" tabIndex={0} role="group" aria-label="Comparison">
        <div className="cmp-summary">
          <span>{summaryOf(paths, whole)}</span>
          <button type="button" className="button" data-size="small" onClick={swap}>
            Swap sides
          </button>
        </div>
        <ComparedStates one={one} two={two} />
        <Blocks paths={paths} />
      </div>
    </div>
  );
}

function Blocks({ paths }: { readonly paths: AlignedPaths }): ReactElement {
  const [common, a, b] = useMemo(
    () => [timeline(paths.common.map((pair) => pair.a)), timeline(paths.a), timeline(paths.b)],
    [paths],
  );
  return <ComparedBlocks common={common} a={a} b={b} />;
}

function Side({
  label,
  side,
  own,
  go,
}: {
  readonly label: string;
  readonly side: ComparedSide;
  readonly own: number;
  readonly go: (path: string) => void;
}): ReactElement {
  const { conversation, event } = side;
  return (
    <div>
      <h2>
        <span className="badge" data-tone="accent">
          {label}
        </span>{' '}
        {plainLine(conversation.state.title ?? 'Conversation')}
      </h2>
      <p className="quiet numbers">
        Event {amounts.count(event)} · {amounts.of(own, 'event')} of its own{' '}
        <button
          type="button"
          className="button"
          data-size="small"
          onClick={() => go(`/c/${conversation.id}?e=${event}`)}
        >
          Open {label}
        </button>
      </p>
    </div>
  );
}

async function sideOf({ id, event }: ComparedPoint, open: CompareViewProps['open']): Promise<ComparedSide> {
  const conversation = await open(id);
  const end = conversation.events.length - 1;
  if (end < 0) throw new Error(`conversation ${id} has no events yet; choose another one`);
  if (event !== undefined && event > end)
    throw new Error(`expected an event up to ${end} of conversation ${id}, found ${formatPoint({ id, event })}`);
  return { conversation, event: event ?? end };
}

function summaryOf({ common }: AlignedPaths, whole: boolean): string {
  const last = common.at(-1);
  if (!last)
    return whole ? 'They have no event in common.' : `They have no event in common in the last ${amounts.count(MOST)}.`;
  const count = `${amounts.count(common.length)}${whole ? '' : ' or more'} ${common.length === 1 ? 'event' : 'events'}`;
  const place =
    last.a.index === last.b.index ? `event ${last.a.index}` : `event ${last.a.index} of A, ${last.b.index} of B`;
  return `${count} in common, up to ${place}.`;
}
