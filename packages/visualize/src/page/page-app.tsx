import { type Event, readEvent } from '@conv/core/events';
import { type ReactElement, useDeferredValue, useMemo, useRef, useState } from 'react';
import { TimelineList } from '../react/timeline-list.tsx';
import { amount, dollars, tokens } from '../text/amounts.ts';
import { plainLine, visibleText } from '../text/plain-text.ts';
import { branches } from '../timeline/branches.ts';
import { timeline } from '../timeline/timeline.ts';
import type { TimelineBlock } from '../timeline/timeline-block.ts';
import type { PageContent } from './page-content.ts';
import { BranchList } from './branch-list.tsx';
import { Scrubber } from './scrubber.tsx';
import { UsageTable } from './usage-table.tsx';

/** Shows the conversation of an exported page. */
export function PageApp({ content }: { readonly content: PageContent }): ReactElement {
  const { events, all, tree, texts } = useMemo(() => readContent(content), [content]);
  const [chosen, setChosen] = useState<number>();
  const point = chosen ?? events.length;
  const [words, setWords] = useState('');
  const [isLiveOnly, setLiveOnly] = useState(false);
  const [details, setDetails] = useState<TimelineBlock>();
  const dialog = useRef<HTMLDialogElement>(null);

  const wanted = useDeferredValue(words.trim().toLowerCase());
  const blocks = useMemo(
    () =>
      all.filter(
        (block) =>
          (!isLiveOnly || tree.live.has(block.index)) &&
          (wanted === '' || block.events.some(({ index }) => texts(index).includes(wanted))),
      ),
    [all, isLiveOnly, texts, tree, wanted],
  );
  const future = firstAfter(blocks, point);
  const spent = content.spending.findLast(({ events: at }) => at <= point);
  const showDetails = (block: TimelineBlock): void => {
    setDetails(block);
    dialog.current?.showModal();
  };

  return (
    <div className="conv-page">
      <header className="conv-head">
        <h1>{plainLine(content.title ?? 'Conversation')}</h1>
        <p>
          <span className="conv-status" data-status={content.status}>
            {plainLine(content.status).replaceAll('_', ' ')}
          </span>
          <span>{amount(events.length, 'event')}</span>
          {content.usage.length > 0 && <span>{dollars(content.usage.reduce((sum, { cost }) => sum + cost, 0))}</span>}
          <span>{content.createdAt.slice(0, 16).replace('T', ' ')} UTC</span>
          <code>{visibleText(content.workingDir)}</code>
        </p>
        {content.lostSpans > 0 && (
          <p role="alert" className="conv-alert">
            {amount(content.lostSpans, 'part')} of the log could not be read. What is shown is not complete.
          </p>
        )}
        <div className="conv-tools">
          <label>
            <span className="conv-hidden">Search the events</span>
            <input type="search" placeholder="Search" value={words} onChange={({ target }) => setWords(target.value)} />
          </label>
          <span role="status">{wanted === '' ? '' : amount(blocks.length, 'block')}</span>
          {tree.parts.length > 1 && (
            <label>
              <input type="checkbox" checked={isLiveOnly} onChange={({ target }) => setLiveOnly(target.checked)} /> live
              branch only
            </label>
          )}
        </div>
      </header>

      <main>
        <h2 className="conv-hidden">Timeline</h2>
        <TimelineList
          blocks={blocks}
          {...(chosen === undefined ? {} : { chosen: Math.max(0, future - 1) })}
          future={future}
          onChoose={(place) => setChosen(endOf(blocks[place]) ?? point)}
          onDetails={showDetails}
        />
      </main>

      <aside aria-label="About the conversation">
        <UsageTable usage={content.usage} />
        <BranchList parts={tree.parts} onChoose={(index) => setChosen(index + 1)} />
      </aside>

      <footer>
        <Scrubber blocks={all} count={events.length} point={point} onPoint={setChosen} />
        <p role="status">
          {point === events.length ? 'At the end' : `After ${amount(point, 'event')} of ${events.length}`}
          {spent && ` · ${dollars(spent.cost)} · ${tokens(spent.tokens)}`}
        </p>
      </footer>

      <dialog ref={dialog} aria-label="Stored events" className="conv-dialog">
        <form method="dialog">
          <h2>Stored events</h2>
          <button>Close</button>
        </form>
        {details?.events.map(({ index, event }) => (
          <section key={index}>
            <h3>Event {index}</h3>
            <pre className="conv-output">{visibleText(JSON.stringify(event, null, 2))}</pre>
          </section>
        ))}
      </dialog>
    </div>
  );
}

function readContent({ events: stored, head }: PageContent): {
  readonly events: readonly Event[];
  readonly all: readonly TimelineBlock[];
  readonly tree: ReturnType<typeof branches>;
  /** Returns the text of an event, in lower case. */
  readonly texts: (index: number) => string;
} {
  const events = stored.map((event) => readEvent(event));
  const known = new Map<number, string>();
  const texts = (index: number): string => {
    const text = known.get(index) ?? JSON.stringify(events[index] ?? null).toLowerCase();
    known.set(index, text);
    return text;
  };
  return {
    events,
    all: timeline(events.map((event, index) => ({ index, event }))),
    tree: branches(events, head),
    texts,
  };
}

/** Returns the place of the first block that lies after a point. */
function firstAfter(blocks: readonly TimelineBlock[], point: number): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.index ?? 0) < point) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the first point at which a block exists. */
function endOf(block: TimelineBlock | undefined): number | undefined {
  return block && block.index + 1;
}
