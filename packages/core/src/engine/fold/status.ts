import { joinedText } from '../../events/content.ts';
import { contentParts, isEvent, type Event, type MessageEvent } from '../../events/index.ts';
import { isFinishResult } from '../../events/finish.ts';
import { isObservationLike } from '../../events/guards.ts';
import type { ExecutionStatus } from '../../contract/state/fields.ts';

/** The facts about the branch after the event that the status rules need. */
export interface OpenCalls {
  /** Executable actions of the live branch without a result. */
  readonly pending: number;
}

/**
 * The status after an event. Together with the table in `docs/state.md` this is the only place that derives one.
 *
 * While a run is on (`running`, which only a patch sets) an action or a result changes nothing; ends of a run always do.
 */
export function statusAfter(status: ExecutionStatus, event: Event, open: OpenCalls): ExecutionStatus {
  if (isEvent(event, 'MessageEvent')) return afterMessage(status, event);
  if (isEvent(event, 'ActionEvent'))
    return status !== 'running' && open.pending > 0 ? 'waiting_for_confirmation' : status;
  if (isFinishResult(event)) return 'finished';
  if (isObservationLike(event)) return settle(status, open);
  if (isEvent(event, 'PauseEvent') || isEvent(event, 'InterruptEvent')) return 'paused';
  if (isEvent(event, 'ConversationErrorEvent')) return event.code === STUCK_CODE ? 'stuck' : 'error';
  return status;
}

/** The status after HEAD moved to another branch without an event. */
export function statusAfterMove(status: ExecutionStatus, open: OpenCalls): ExecutionStatus {
  if (status === 'running' || status === 'deleting') return status;
  return open.pending > 0 ? 'waiting_for_confirmation' : settle(status, open);
}

/** The code of the ConversationErrorEvent that stuck detection ends a run with. */
export const STUCK_CODE = 'StuckDetected';

function settle(status: ExecutionStatus, open: OpenCalls): ExecutionStatus {
  return status === 'waiting_for_confirmation' && open.pending === 0 ? 'idle' : status;
}

function afterMessage(status: ExecutionStatus, { source, llm_message: message }: MessageEvent): ExecutionStatus {
  if (source === 'agent') return joinedText(contentParts(message)).trim() === '' ? status : 'finished';
  return status === 'finished' || status === 'stuck' ? 'idle' : status;
}
