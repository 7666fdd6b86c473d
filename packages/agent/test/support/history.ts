import { viewOf, type CondensableView } from '@conv/core';
import {
  drafts,
  agentMessage,
  createClock,
  type Event,
  type EventDraft,
  stampEvent,
  userMessage,
} from '@conv/core/events';

const clock = createClock();

/** The calls of one response of a model. */
export interface Called {
  readonly calls?: number;
  readonly thinking?: boolean;
  /** Characters of each result. */
  readonly result?: number;
  /** The number of its calls that get a result. Default all. */
  readonly answered?: number;
}

/** A branch that is written down by hand. */
export class History {
  readonly events: Event[] = [];
  #number = 0;

  constructor() {
    this.add(drafts.systemPrompt('You work.', []));
  }

  add(draft: EventDraft): Event {
    const id = `event-${++this.#number}`;
    const event = stampEvent(draft, { id, timestamp: clock.next(), parentId: this.events.at(-1)?.id ?? null });
    this.events.push(event);
    return event;
  }

  say(text = 'say'): this {
    this.add(userMessage(text));
    return this;
  }

  reply(text = 'reply'): this {
    this.add(agentMessage({ content: text, llm_response_id: `reply-${this.#number}` }));
    return this;
  }

  work({ calls = 1, thinking = false, result = 4, answered = calls }: Called = {}): this {
    const response = `response-${this.#number}`;
    const actions = Array.from({ length: calls }, (_, at) => {
      const [name, id] = ['look', `${response}-call-${at}`];
      const draft = drafts.action({
        action: { kind: 'MCPToolAction', data: {} },
        tool_name: name,
        tool_call_id: id,
        tool_call: { id, name, arguments: '{}', origin: 'completion' },
        llm_response_id: response,
        ...(thinking && at === 0 ? { thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 's' }] } : {}),
      });
      return { ...draft, id: this.add(draft).id };
    });
    for (const draft of actions.slice(0, answered))
      this.add(
        drafts.observation(draft, {
          kind: 'MCPToolObservation',
          content: [{ type: 'text', text: 'x'.repeat(result) }],
          tool_name: 'look',
        }),
      );
    return this;
  }

  condense(fields: Parameters<typeof drafts.condensation>[0]): this {
    this.add(drafts.condensation(fields));
    return this;
  }

  get view(): CondensableView {
    return viewOf(this.events);
  }

  get ids(): readonly string[] {
    return this.view.events.map(({ id }) => id);
  }
}
