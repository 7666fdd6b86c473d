import { contentParts, type Event, isEvent, joinedText } from '@conv/core/events';

/** Returns the words of an answer and its calls, as the conventions write output messages: JSON text. */
export function outputMessages(answer: readonly Event[]): string {
  const parts = answer.flatMap((event): readonly object[] => {
    if (isEvent(event, 'ActionEvent')) {
      const { tool_call_id: id, tool_name: name, tool_call: call, thought } = event;
      return [...text(joinedText(thought)), { type: 'tool_call', id, name, arguments: call.arguments }];
    }
    return isEvent(event, 'MessageEvent') ? text(joinedText(contentParts(event.llm_message))) : [];
  });
  return JSON.stringify([{ role: 'assistant', parts }]);
}

/** Returns what the model reads of a result. */
export function resultText(result: Event): string {
  if (isEvent(result, 'ObservationEvent')) return joinedText(contentParts(result.observation));
  if (isEvent(result, 'AgentErrorEvent')) return result.error;
  return isEvent(result, 'UserRejectObservation') ? (result.rejection_reason ?? '') : '';
}

function text(content: string): readonly object[] {
  return content === '' ? [] : [{ type: 'text', content }];
}
