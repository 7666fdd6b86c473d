import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Event, parseEvent } from '@conv/core/events';
import { eventsToMessages, toChatMessages, toResponsesInput } from '../../src/messages/index.ts';

const FIXTURES = new URL('../../../../testing/fixtures/', import.meta.url);

/** A conversation that the reference wrote, and what the reference itself makes of it. */
interface StoredConversation {
  readonly id: string;
  /** The texts of the event files, in order. */
  readonly eventTexts: readonly string[];
  readonly golden: { readonly view: readonly string[]; readonly messages: unknown; readonly responses: unknown };
}

function storedConversations(): StoredConversation[] {
  return readdirSync(new URL('conversations/', FIXTURES)).map((id) => {
    const folder = new URL(`conversations/${id}/events/`, FIXTURES);
    const names = readdirSync(folder).filter((name) => /^event-\d{5,}-[0-9a-fA-F-]{8,}\.json$/.test(name));
    const eventTexts = names.toSorted().map((name) => readFileSync(new URL(name, folder), 'utf8'));
    return { id, eventTexts, golden: JSON.parse(readFileSync(new URL(`golden/${id}.json`, FIXTURES), 'utf8')) };
  });
}

function viewOf({ eventTexts, golden }: StoredConversation): Event[] {
  const events = new Map(eventTexts.map((text) => [JSON.parse(text).id, parseEvent(JSON.parse(text))]));
  return golden.view.flatMap((id) => events.get(id) ?? []);
}

describe.each(storedConversations())('the view of conversation $id', (conversation) => {
  const view = viewOf(conversation);

  test('is complete', () => {
    expect(view.length).toBe(conversation.golden.view.length);
    expect(view.length).toBeGreaterThan(1);
  });

  test('becomes the Chat Completions messages that the reference would send', () => {
    expect(toChatMessages(eventsToMessages(view))).toEqual(conversation.golden.messages);
  });

  test('becomes the Responses input that the reference would send', () => {
    expect(toResponsesInput(eventsToMessages(view))).toEqual(conversation.golden.responses);
  });
});
