import type { Conversation, pastViews } from '@conv/core';
import { visibleText } from '@conv/visualize/text';
import type { ReactElement, ReactNode } from 'react';
import { useLoaded } from '../conversation/use-loaded.ts';
import { amounts } from '../design/amounts.ts';
import { MARK_WORDS } from '../time/marks.ts';
import { ReadingNote } from '../time/reading-note.tsx';
import { useOutline } from '../time/use-outline.ts';
import { outlineTree, type TreeRun } from './outline-tree.ts';
import { readStarts } from './read-starts.ts';
import { placeRelatives, type PlacedRelative, type Relative } from './relatives.ts';

/** Marks that are listed in a part of the tree, and relatives in all of it. */
const LISTED = 50;

/** Properties of {@link BranchTree}. */
export interface BranchTreeProps {
  readonly conversation: Conversation;
  /** Forks and sub-agents. */
  readonly relatives: readonly Relative[];
  /** Goes to a path of this page. */
  readonly go: (path: string) => void;
}

/** Shows the branches of a log as a tree, with approvals, sub-agents and forks where they stand. It reads the outline, not the log. */
export function BranchTree({ conversation, relatives, go }: BranchTreeProps): ReactElement {
  const { id, state, events } = conversation;
  const { outline, covers } = useOutline(conversation, { total: events.length });
  const key = `${id} ${covers === 'whole' ? outline.events : ''} ${covers} ${state.leafEventId} ${relatives.map((each) => each.id).join(' ')}`;
  const { value, failure } = useLoaded(key, async () => {
    const shown = relatives.slice(0, LISTED);
    const head = state.leafEventId === null ? undefined : await events.indexOf(state.leafEventId);
    const runs = covers === 'whole' ? outlineTree(outline, await readStarts(outline, events), head) : [];
    return { runs, placed: await placeRelatives(shown, events) };
  });
  const { runs = [], placed = [] } = value ?? {};
  const { forkedFrom, parentId } = state;
  const unplaced = placed.filter(({ event }) => !runs.some((run) => isIn(run, event)));
  return (
    <section>
      <h2>Branches, forks and sub-agents</h2>
      {failure && <p role="alert">The branches cannot be read: {failure}</p>}
      {covers === 'part' && (
        <p>
          <ReadingNote what="marks" events={outline.events} total={events.length} />
        </p>
      )}
      {covers === 'missing' && (
        <p className="quiet">This server gives no outline of the log, so branches are not shown.</p>
      )}
      <ul className="un-tree" aria-label="Branches">
        {forkedFrom && (
          <li>
            Forked from{' '}
            <LinkButton onClick={() => go(`/c/${forkedFrom.conversationId}`)}>{forkedFrom.conversationId}</LinkButton>
            <LinkButton onClick={() => go(`/compare?a=${id}&b=${forkedFrom.conversationId}`)}>compare</LinkButton>
          </li>
        )}
        {parentId !== null && (
          <li>
            Sub-agent of <LinkButton onClick={() => go(`/c/${parentId}`)}>{parentId}</LinkButton>
          </li>
        )}
        {runs.map((run) => (
          <Run key={run.first} run={run} id={id} go={go}>
            {placed.map(
              (relative) => isIn(run, relative.event) && <Kin key={relative.id} relative={relative} go={go} />,
            )}
          </Run>
        ))}
        {unplaced.map((relative) => (
          <Kin key={relative.id} relative={relative} go={go} />
        ))}
        {relatives.length > LISTED && <li className="quiet">{amounts.count(relatives.length - LISTED)} more</li>}
      </ul>
    </section>
  );
}

interface RunProps {
  readonly run: TreeRun;
  readonly id: string;
  readonly go: BranchTreeProps['go'];
  readonly children: ReactNode;
}

function Run({ run: { first, last, from, depth, live, marks }, id, go, children }: RunProps): ReactElement {
  const count = last - first + 1;
  return (
    <li data-live={live || undefined} style={{ marginInlineStart: `${Math.min(depth, 10) * 16}px` }}>
      <LinkButton onClick={() => go(`/c/${id}?e=${last}`)}>
        {first === last ? `event ${first}` : `events ${first}–${last}`}
      </LinkButton>
      <span className="quiet numbers">
        {from !== undefined && `after event ${from}, `}
        {amounts.of(count, 'event')}
        {live ? ', live' : ''}
      </span>
      {!live && (
        <LinkButton onClick={() => go(`/compare?a=${id}&b=${id}:${last}`)}>compare with the live branch</LinkButton>
      )}
      <ul>
        {marks.slice(-LISTED).map((mark) => (
          <Mark key={`${mark.kind} ${mark.event}`} mark={mark} onOpen={() => go(`/c/${id}?e=${mark.event}`)} />
        ))}
        {children}
      </ul>
    </li>
  );
}

function Mark({ mark, onOpen }: { readonly mark: pastViews.OutlineMark; readonly onOpen: () => void }): ReactElement {
  const { kind, event, last, count, label } = mark;
  return (
    <li data-kind={kind}>
      <span>{MARK_WORDS[kind]}</span>
      <LinkButton onClick={onOpen}>{count === 1 ? `event ${event}` : `${count} at events ${event}–${last}`}</LinkButton>
      <span className="quiet">{visibleText(label)}</span>
    </li>
  );
}

function Kin({
  relative,
  go,
}: {
  readonly relative: PlacedRelative;
  readonly go: BranchTreeProps['go'];
}): ReactElement {
  const { id, name, kind, event } = relative;
  return (
    <li data-kind={kind}>
      <span>
        {kind === 'fork' ? 'Fork' : 'Sub-agent'}
        {event !== undefined && ` after event ${event}`}
      </span>
      <LinkButton onClick={() => go(`/c/${id}`)}>{visibleText(name)}</LinkButton>
    </li>
  );
}

function isIn({ first, last }: TreeRun, event: number | undefined): boolean {
  return event !== undefined && first <= event && event <= last;
}

function LinkButton({ onClick, children }: { readonly onClick: () => void; readonly children: string }): ReactElement {
  return (
    <button type="button" className="button un-link" data-look="plain" data-size="small" onClick={onClick}>
      {children}
    </button>
  );
}
