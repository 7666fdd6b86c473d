import type { ReactElement } from 'react';
import { PointActions, type PointActionsProps } from './point-actions.tsx';
import { TimePanel } from './time-panel.tsx';

/** Properties of {@link PointPanel}. */
export interface PointPanelProps extends PointActionsProps {
  readonly total: number;
  readonly onPoint: (event: number) => void;
}

/** Shows what can be done at a point of the log, and what holds there. */
export function PointPanel({ total, onPoint, ...actions }: PointPanelProps): ReactElement {
  const { conversation, event } = actions;
  return (
    <>
      <PointActions {...actions} />
      <TimePanel conversation={conversation} event={event} total={total} onPoint={onPoint} />
    </>
  );
}
