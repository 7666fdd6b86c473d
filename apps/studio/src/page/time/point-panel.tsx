import type { ReactElement } from 'react';
import { PointActions, type PointActionsProps } from './point-actions.tsx';
import { ReadingNote } from './reading-note.tsx';
import { TimePanel } from './time-panel.tsx';

/** Properties of {@link PointPanel}. */
export interface PointPanelProps extends PointActionsProps {
  readonly total: number;
  /** The number of events that a server has read that still reads up to the point; `undefined` once it has passed it. */
  readonly unpassed: number | undefined;
  readonly onPoint: (event: number) => void;
}

/**
 * Shows what can be done at a point of the log, and what holds there. A server that still reads the log is asked once it has passed the
 * point, because it would have to read all events before it a second time.
 */
export function PointPanel({ total, unpassed, onPoint, ...actions }: PointPanelProps): ReactElement {
  const { conversation, event } = actions;
  return (
    <>
      <PointActions {...actions} />
      {unpassed === undefined ? (
        <TimePanel conversation={conversation} event={event} total={total} onPoint={onPoint} />
      ) : (
        <p className="tm-waiting">
          The server reads the log up to this event once.{' '}
          <ReadingNote what="events" events={unpassed} total={event + 1} />
        </p>
      )}
    </>
  );
}
