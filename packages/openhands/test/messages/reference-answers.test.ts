import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Event, type MessageEvent, parseEvent } from '@conv/core/events';
import {
  eventsToMessages,
  toChatMessages,
  toLlmMessage,
  toResponsesInput,
  type LlmMessage,
} from '../../src/messages/index.ts';

/** Events or messages, and the requests that the reference (openhands-sdk 1.43.1) makes of them. */
interface ReferenceAnswer {
  readonly events?: readonly unknown[];
  readonly messages?: readonly MessageEvent['llm_message'][];
  readonly options: NonNullable<Parameters<typeof toChatMessages>[1]>;
  readonly chat: unknown;
  /** Absent where the reference was asked for single messages only. */
  readonly instructions?: string | null;
  readonly input: unknown;
}

const answers: ReferenceAnswer[] = readFileSync(new URL('reference-answers.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));

function messagesOf({ events, messages = [] }: ReferenceAnswer): LlmMessage[] {
  if (events !== undefined) return eventsToMessages(events.map(parseEvent));
  return messages.flatMap((message) => toLlmMessage(messageEvent(message)) ?? []);
}

function messageEvent(message: MessageEvent['llm_message']): Event {
  return parseEvent({ id: 'm', timestamp: '', source: 'user', llm_message: message, kind: 'MessageEvent' });
}

describe('the reference, asked with', () => {
  test.each(answers.map((answer) => [JSON.stringify(answer.events ?? answer.messages).slice(0, 120), answer] as const))(
    '%s, sends the same',
    (_name, answer) => {
      const messages = messagesOf(answer);
      expect(toChatMessages(messages, answer.options)).toEqual(answer.chat);
      const { instructions = null, input } = toResponsesInput(messages, answer.options);
      expect(input).toEqual(answer.input);
      expect([undefined, instructions]).toContain(answer.instructions);
    },
  );
});
