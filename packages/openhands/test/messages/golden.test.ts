import { describe, expect, test } from 'vitest';
import { type Event, parseEvent } from '@conv/core/events';
import { eventsToMessages, toChatMessages, toResponsesInput } from '../../src/messages/index.ts';
import { type StoredConversation, storedConversations } from './stored-conversations.ts';

function viewOf({ eventTexts, golden }: StoredConversation): Event[] {
  const events = new Map(eventTexts.map((text) => [JSON.parse(text).id, parseEvent(JSON.parse(text))]));
  return golden.view.flatMap((id) => events.get(id) ?? []);
}

describe.each(storedConversations())('the view of conversation $id', (conversation) => {
  const view = viewOf(conversation);

  test('the view of a golden conversation is complete', () => {
    expect(view.length).toBe(conversation.golden.view.length);
    expect(view.length).toBeGreaterThan(1);
  });

  test('the view becomes the Chat Completions messages that the reference would send', () => {
    expect(toChatMessages(eventsToMessages(view))).toEqual(conversation.golden.messages);
  });

  test('the view becomes the Responses input that the reference would send', () => {
    expect(toResponsesInput(eventsToMessages(view))).toEqual(conversation.golden.responses);
  });
});
