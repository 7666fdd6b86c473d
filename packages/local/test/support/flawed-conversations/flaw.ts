import type { Conversation, ConversationHistory, ConversationSettings, EventsList, Subscriber } from '@conv/core';
import type { Event } from '@conv/core/events';
import { alter } from '@conv/testing-harness';

/** A conversation that an implementer would believe to be right. */
export interface Flaw {
  readonly flaw: string;
  /** The case of the suite that catches it. */
  readonly caughtBy: string;
  /** Puts the flaw around a conversation that has none. Called at each opening. */
  readonly change: (conversation: Conversation) => Conversation;
}

/** Members that take the place of those of the conversation. */
export interface Changes extends Partial<Omit<Conversation, 'settings' | 'history' | 'events' | 'state'>> {
  readonly settings?: Partial<ConversationSettings>;
  readonly history?: Partial<ConversationHistory>;
  readonly events?: Partial<EventsList>;
  readonly state?: Partial<Conversation['state']>;
}

/** Describes a flaw; `changes` is asked at each opening, so that a flaw may remember things. */
export function flaw(description: string, caughtBy: string, changes: (conversation: Conversation) => Changes): Flaw {
  const change = (conversation: Conversation): Conversation => {
    const { settings, history, events, state, ...rest } = changes(conversation);
    return alter(conversation, {
      ...rest,
      ...(settings ? { settings: alter(conversation.settings, settings) } : {}),
      ...(history ? { history: alter(conversation.history, history) } : {}),
      ...(events ? { events: alter(conversation.events, events) } : {}),
      ...(state ? { state: alter(conversation.state, state) } : {}),
    });
  };
  return { flaw: description, caughtBy, change };
}

/** Returns the options without the option that a flaw loses. */
export function without<Options extends object>(options: Options | undefined, name: keyof Options): Options {
  return Object.fromEntries(Object.entries(options ?? {}).filter(([key]) => key !== name)) as Options;
}

/** A flaw of what subscribers are told. */
export function following(
  description: string,
  caughtBy: string,
  change: (subscriber: Subscriber) => Partial<Subscriber>,
): Flaw {
  return flaw(description, caughtBy, (conversation) => ({
    subscribe: (given, options) => {
      const subscriber = typeof given === 'function' ? { onEvent: given } : given;
      return conversation.subscribe(alter(subscriber, change(subscriber)), options);
    },
  }));
}

/** A flaw of every event that is read. */
export function reading(description: string, caughtBy: string, change: (event: Event) => Event): Flaw {
  return flaw(description, caughtBy, ({ events }) => ({
    events: {
      at: async (index) => changed(await events.at(index), change),
      get: async (id) => changed(await events.get(id), change),
      slice: async (...range) => (await events.slice(...range)).map(change),
    },
  }));
}

function changed(event: Event | undefined, change: (event: Event) => Event): Event | undefined {
  return event && change(event);
}
