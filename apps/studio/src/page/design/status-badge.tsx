import type { ExecutionStatus } from '@conv/core';
import type { ReactElement } from 'react';
import { Badge, type Tone } from './badge.tsx';

/** A status as the page shows it. */
export type ShownStatus = ExecutionStatus | 'waiting_for_answer';

/** Words and colour of each status. */
const STATUSES: Readonly<Record<ShownStatus, { readonly words: string; readonly tone: Tone }>> = {
  waiting_for_confirmation: { words: 'Waits for you', tone: 'careful' },
  waiting_for_answer: { words: 'Asks you', tone: 'careful' },
  running: { words: 'Running', tone: 'info' },
  paused: { words: 'Paused', tone: 'quiet' },
  idle: { words: 'Idle', tone: 'quiet' },
  finished: { words: 'Finished', tone: 'good' },
  error: { words: 'Failed', tone: 'bad' },
  stuck: { words: 'Stuck in a loop', tone: 'bad' },
  deleting: { words: 'Being deleted', tone: 'quiet' },
};

/** All statuses, in the order in which people look for them. */
export const STATUS_NAMES: readonly ShownStatus[] = Object.keys(STATUSES) as ShownStatus[];

/** Returns the words for a status; a status of a newer server is shown as it is. */
export function statusWords(status: string): string {
  return Object.hasOwn(STATUSES, status) ? STATUSES[status as ShownStatus].words : status;
}

/** Shows the status of a conversation. */
export function StatusBadge({ status }: { readonly status: string }): ReactElement {
  const { tone }: { readonly tone: Tone } = Object.hasOwn(STATUSES, status)
    ? STATUSES[status as ShownStatus]
    : { tone: 'quiet' };
  return (
    <Badge tone={tone} dot={status === 'running' ? 'live' : true}>
      {statusWords(status)}
    </Badge>
  );
}
