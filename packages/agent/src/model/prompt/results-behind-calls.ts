import type { LlmMessage } from '@conv/openhands/messages';

/**
 * Returns messages in which every result directly follows its call, as providers demand. Logs of OpenHands may have messages in
 * between, because there a user can write while calls wait, and running then approves the calls.
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
