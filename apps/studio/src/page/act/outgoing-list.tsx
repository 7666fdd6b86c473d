import type { ReactElement } from 'react';
import type { StateFields } from '@conv/core';
import { Button } from '../design/button.tsx';
import { Spinner } from '../design/spinner.tsx';
import { AttachmentList } from './attachment-list.tsx';
import type { Outgoing } from './outbox.ts';

/** Properties of {@link OutgoingList}. */
export interface OutgoingListProps {
  readonly outgoing: readonly Outgoing[];
  /** Messages that are durable and wait until the calls under way have ended. */
  readonly queue: StateFields['queue'];
  readonly onAgain: (id: string) => void;
  readonly onDiscard: (id: string) => void;
}

/** Messages that are not in the log yet, so that the timeline shows durable ones alone. */
export function OutgoingList({ outgoing, queue, onAgain, onDiscard }: OutgoingListProps): ReactElement | null {
  if (outgoing.length === 0 && queue.length === 0) return null;
  return (
    <ul className="outgoing" aria-label="Messages on their way">
      {queue.map(({ id, draft }) => (
        <li key={id} className="outgoing-message">
          <p dir="auto">{textOf(draft)}</p>
          <span className="quiet small">Stored. The agent reads it when its calls have ended.</span>
        </li>
      ))}
      {outgoing.map(({ id, draft, failed }) => (
        <li key={id} className="outgoing-message" data-failed={failed !== undefined || undefined}>
          <p dir="auto">{draft.text}</p>
          <AttachmentList attachments={draft.attachments} />
          {failed === undefined ? (
            <Spinner label="Sending. Not stored yet." />
          ) : (
            <div className="row" role="alert" data-wrap>
              <span className="field-wrong grow">Not sent. {failed}</span>
              <Button size="small" onClick={() => onAgain(id)}>
                Send again
              </Button>
              <Button size="small" look="plain" onClick={() => onDiscard(id)}>
                Edit
              </Button>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function textOf(draft: StateFields['queue'][number]['draft']): string {
  const message = draft['llm_message'] as { readonly content?: unknown } | undefined;
  const content = Array.isArray(message?.content) ? message.content : [];
  return content.map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : '[image]')).join('\n');
}
