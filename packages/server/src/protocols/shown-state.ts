import {
  projections,
  ReadonlyState,
  type ConversationView,
  type PendingAction,
  type StateFields,
  type SubscriberInput,
  type Task,
} from '@conv/core';

import { shownFields } from '../conversations/shown-fields.ts';
import type { HostedConversation } from '../hosting/hosted-conversation.ts';
import type { LiveSubscriber } from '../hosting/live-conversation.ts';

/** Members that hold numbers and phases alone, and grow with the log. */
const PLAIN: ReadonlySet<string> = new Set(['stats', 'calls']);

/** Shown values by the name and the value of a member. A value never changes. */
const shownValues = new Map<string, WeakMap<object, unknown>>();

/** The same for whole states. */
const shownStates = new WeakMap<StateFields, StateFields>();

/**
 * Returns a state as the routes show it: without secrets. The same object for the same state. A member is looked through when it is read, because
 * a state changes with each event, and few of its members are read.
 */
function shownState(fields: StateFields): StateFields {
  const known = shownStates.get(fields);
  if (known) return known;
  const shown = new Proxy({ ...fields }, SHOWN);
  shownStates.set(fields, shown);
  return shown;
}

const SHOWN: ProxyHandler<StateFields> = {
  get: (fields, name) => shownMember(name, Reflect.get(fields, name)),
  getOwnPropertyDescriptor: (fields, name) => {
    const member = Reflect.getOwnPropertyDescriptor(fields, name);
    return member && { ...member, value: shownMember(name, member.value) };
  },
};

function shownMember(name: string | symbol, value: unknown): unknown {
  if (typeof name === 'symbol' || PLAIN.has(name)) return value;
  const show = (): unknown => shownFields({ [name]: value } as Partial<StateFields>)[name];
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? show() : value;
  const known = shownValues.get(name) ?? new WeakMap<object, unknown>();
  shownValues.set(name, known);
  if (!known.has(value)) known.set(value, show());
  return known.get(value);
}

/** The state of a conversation of this process as a client of its routes has it: without secrets, with the status that readers see. */
export class ShownState extends ReadonlyState {
  readonly #hosted: Pick<HostedConversation, 'fields' | 'conversation'>;

  constructor(hosted: Pick<HostedConversation, 'fields' | 'conversation'>) {
    super(
      () => projections.empty,
      (leaf) => hosted.conversation.state.events.messages(leaf),
    );
    this.#hosted = hosted;
  }

  override get fields(): StateFields {
    return shownState(this.#hosted.fields);
  }

  override get pendingActions(): readonly PendingAction[] {
    return this.#hosted.conversation.state.pendingActions;
  }

  override get iteration(): number {
    return this.#hosted.conversation.state.iteration;
  }

  override get taskList(): readonly Task[] {
    return this.#hosted.conversation.state.taskList;
  }

  override get metrics(): ConversationView['metrics'] {
    return this.#hosted.conversation.state.metrics;
  }
}

/** Returns a subscriber that is given states as they are shown. It wants pieces of answers only if the given one does. */
export function shownTo(input: SubscriberInput): LiveSubscriber {
  if (typeof input === 'function') return { onEvent: (event) => input(event) };
  return {
    onEvent: (event, index) => input.onEvent?.(event, index),
    onStateChange: (state, before) => input.onStateChange?.(shownState(state), shownState(before)),
    ...(input.onToken ? { onToken: (delta) => input.onToken?.(delta) } : {}),
    onOutput: (output) => input.onOutput?.(output),
    onAnswerAborted: (eventId, reason) => input.onAnswerAborted?.(eventId, reason),
    ...(input.onError ? { onError: (error) => input.onError?.(error) } : {}),
  };
}
