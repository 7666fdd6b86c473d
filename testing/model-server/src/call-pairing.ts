import type { ModelMessage } from './model-request.ts';
import { ensure } from './rules.ts';

/** Checks that every tool call is answered exactly once, directly after the message that made it. */
export function checkCallPairing(messages: readonly ModelMessage[], paramOf: (index: number) => string): void {
  const seen = new Set<string>();
  let open = new Set<string>();
  let answered = new Set<string>();
  messages.forEach((message, index) => {
    const param = paramOf(index);
    if (message.role === 'tool') {
      answer(message.toolCallId, open, answered, param);
      return;
    }
    ensureAnswered(open, param);
    open = new Set();
    answered = new Set();
    for (const { id } of message.toolCalls) {
      ensure(!seen.has(id), 'tool-call-id-unique', param, `the tool call id '${id}' was used before`);
      seen.add(id);
      open.add(id);
    }
  });
  ensureAnswered(open, paramOf(messages.length - 1));
}

function answer(id: string | undefined, open: Set<string>, answered: Set<string>, param: string): void {
  ensure(id === undefined || !answered.has(id), 'tool-result-twice', param, `the tool call '${id}' is answered twice`);
  const known = id !== undefined && open.delete(id);
  ensure(known, 'tool-result-orphan', param, `answers '${id}', which the preceding assistant message did not call`);
  answered.add(id);
}

function ensureAnswered(open: ReadonlySet<string>, param: string): void {
  const missing = [...open].join(', ');
  ensure(open.size === 0, 'tool-call-unanswered', param, `these tool calls have no result before it: ${missing}`);
}
