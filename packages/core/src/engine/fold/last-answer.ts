import { joinedText } from '../../events/content.ts';
import { contentParts, isEvent, type Event } from '../../events/index.ts';
import { isFinishCall, isFinishResult } from '../../events/finish.ts';

/**
 * Resolves with the newest answer among events that come newest first: the words of the agent, or the message of a finish call
 * that went through. A finish call counts only with its result, so a call that was rejected, blocked, failed or still waits
 * does not. An answer of either form that a Stop hook sent back does not count either. `''` without an answer.
 */
export async function newestAnswer(events: AsyncIterable<Event>): Promise<string> {
  const finished = new Set<string>();
  let sentBack = false;
  for await (const event of events) {
    if (isEvent(event, 'HookExecutionEvent')) sentBack ||= event.hook_event_type === 'Stop' && event.blocked === true;
    else if (isFinishResult(event)) finished.add(event.action_id);
    else if (isFinishCall(event) && finished.has(event.id)) {
      if (!sentBack) return event.action.message;
      sentBack = false;
    } else if (isEvent(event, 'MessageEvent') && event.source === 'agent') {
      const said = joinedText(contentParts(event.llm_message));
      if (!sentBack && said.trim() !== '') return said;
      sentBack = false;
    }
  }
  return '';
}
