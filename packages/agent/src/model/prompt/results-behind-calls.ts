import type { LlmMessage } from '@conv/openhands/messages';

/**
 * Messages in which every result follows its call at once, as providers demand. Logs of OpenHands have messages in between:
 * there a user may say something while calls wait for approval, and running then approves them.
 */
export function resultsBehindCalls(messages: readonly LlmMessage[]): readonly LlmMessage[] {
  const groups: LlmMessage[][] = [];
  const groupOf = new Map<string, LlmMessage[]>();
  for (const message of messages) {
    const called = message.role === 'tool' ? groupOf.get(message.tool_call_id ?? '') : undefined;
    if (called) {
      called.push(message);
      continue;
    }
    const group = [message];
    groups.push(group);
    for (const { id } of message.tool_calls ?? []) groupOf.set(id, group);
  }
  return groups.flat();
}
