import { ConversationState, type AnswerDelta } from '@conv/core';
import { agentMessage, drafts, userMessage, type ActionEvent, type EventDraft } from '@conv/core/events';

import { turns, type FollowedConversation, type TurnChange, type TurnsOptions } from '../../src/index.ts';

/** A log in memory and what is said of it, as a runtime does it. */
export class Followed {
  readonly state: ConversationState = new ConversationState();

  get conversation(): FollowedConversation {
    const { state } = this;
    return { events: state.events, state, subscribe: (...given) => state.subscribe(...given) };
  }

  append(...added: readonly EventDraft[]): ReturnType<ConversationState['append']> {
    return this.state.append(added);
  }

  /** Says a piece of an answer. */
  say(text: string, piece: Partial<AnswerDelta> = {}): void {
    const delta = { kind: 'text', text, attempt: 1, eventId: 'answer', order: 0, ...piece } as const;
    this.state.subscriptions.tell((cursor) => cursor.give((subscriber) => subscriber.onToken?.(delta)));
  }

  abort(reason: 'cancelled' | 'failed', eventId = 'answer'): void {
    this.state.subscriptions.tell((cursor) =>
      cursor.give((subscriber) => subscriber.onAnswerAborted?.(eventId, reason)),
    );
  }

  /** Appends a call and resolves with its action. */
  async call(id: string, more: Partial<ReturnType<typeof toolCall>> = {}): Promise<ActionEvent> {
    const [event] = await this.append({ ...toolCall(id), ...more });
    return event as ActionEvent;
  }

  follow(options?: TurnsOptions): AsyncIterableIterator<TurnChange> {
    return turns(this.conversation, options);
  }
}

export function toolCall(id: string): ReturnType<typeof drafts.action> {
  return drafts.action({
    action: { kind: 'MCPToolAction', data: { id } },
    tool_name: 'lookup',
    tool_call_id: id,
    tool_call: { id, name: 'lookup', arguments: `{"id":"${id}"}`, origin: 'completion' },
    llm_response_id: id,
  });
}

export function answer(content: string, id = 'answer'): EventDraft {
  return { ...agentMessage({ content, llm_response_id: id }), id };
}

export function ask(text: string): EventDraft {
  return userMessage(text);
}

/** Takes changes until one is as wanted, which is the last. */
export async function until(
  changes: AsyncIterableIterator<TurnChange>,
  wanted: (change: TurnChange) => boolean,
): Promise<readonly TurnChange[]> {
  const taken: TurnChange[] = [];
  for (;;) {
    const { value, done } = await changes.next();
    if (done === true) throw new Error(`the changes ended after ${JSON.stringify(taken)}`);
    taken.push(value);
    if (wanted(value)) return taken;
  }
}

/** A change in few words. */
export function told(change: TurnChange): string {
  const { cursor } = change;
  switch (change.type) {
    case 'item': {
      const { item, streamed } = change;
      const seen = streamed.text > 0 ? `, ${streamed.text} told` : '';
      if (item.kind === 'answer') return `${cursor}: answer ${item.text}${seen}`;
      if (item.kind === 'call') return `${cursor}: call ${item.toolCallId} ${item.result?.outcome ?? item.phase}`;
      return `${cursor}: ${item.kind}`;
    }
    case 'piece':
      return `${cursor}: piece ${change.text}`;
    case 'withdrawn':
      return `${cursor}: withdrawn, ${change.reason}`;
    case 'output':
      return `${cursor}: output ${change.text}`;
    case 'state':
      return `${cursor}: ${change.status}`;
  }
}

export const isState = ({ type }: TurnChange): boolean => type === 'state';
