import type { Conversation } from '@conv/core';
import { branches } from '@conv/visualize/timeline';
import type { ReactElement } from 'react';
import { useLoaded } from '../conversation/use-loaded.ts';
import { amounts } from '../time/amounts.ts';

/** Events up to which the tree of branches is made; a longer log is not read for it. */
const MOST = 20_000;

/** Branches that are listed. */
const LISTED = 100;

/** Properties of {@link BranchTree}. */
export interface BranchTreeProps {
  readonly conversation: Conversation;
  /** Ids of child conversations. */
  readonly childIds: readonly string[];
  /** Goes to a path of this page. */
  readonly go: (path: string) => void;
}

/** Shows the branches of a log as a tree, where the conversation was forked from, and its sub-agents. */
export function BranchTree({ conversation, childIds, go }: BranchTreeProps): ReactElement {
  const { id, state, events } = conversation;
  const isLong = events.length > MOST;
  const { value, failure } = useLoaded(`${id} ${events.length} ${state.leafEventId}`, async () =>
    isLong ? undefined : branches(await events.slice(), state.leafEventId).parts,
  );
  const { forkedFrom, parentId } = state;
  return (
    <section>
      <h2>Branches, forks and sub-agents</h2>
      {failure && <p role="alert">The branches cannot be read: {failure.message}</p>}
      {isLong && <p className="quiet">The tree of branches is shown for logs of up to {amounts.count(MOST)} events.</p>}
      <ul className="un-tree">
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
        {value?.slice(0, LISTED).map(({ first, last, count, depth, live }) => (
          <li key={first} style={{ marginInlineStart: `${Math.min(depth, 10) * 16}px` }} data-live={live || undefined}>
            <LinkButton onClick={() => go(`/c/${id}?e=${last}`)}>
              {first === last ? `event ${first}` : `events ${first}–${last}`}
            </LinkButton>
            <span className="quiet numbers">
              {amounts.count(count)} {count === 1 ? 'event' : 'events'}
              {live ? ', live' : ''}
            </span>
            {!live && (
              <LinkButton onClick={() => go(`/compare?a=${id}&b=${id}:${last}`)}>
                compare with the live branch
              </LinkButton>
            )}
          </li>
        ))}
        {childIds.map((child) => (
          <li key={child}>
            Sub-agent <LinkButton onClick={() => go(`/c/${child}`)}>{child}</LinkButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

function LinkButton({ onClick, children }: { readonly onClick: () => void; readonly children: string }): ReactElement {
  return (
    <button type="button" className="button un-link" data-look="plain" data-size="small" onClick={onClick}>
      {children}
    </button>
  );
}
