import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { eventGuards } from '@conv/core/events';
import { describe, expect, test } from 'vitest';
import { knownAgentSchema } from '../src/descriptions/agent.ts';
import { eventSchema } from '../src/rest/conversations/event-schema.ts';
import { conversationInfoSchema, conversationRoutes } from '../src/rest/index.ts';
import { eventsSocket } from '../src/sockets/index.ts';

const fixtures = new URL('../../../testing/fixtures/', import.meta.url);
const conversations = readdirSync(new URL('conversations/', fixtures)).filter((name) => /^[0-9a-f]{32}$/.test(name));

function json(path: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(new URL(path, fixtures), 'utf8')) as Readonly<Record<string, unknown>>;
}

describe("what OpenHands' server wrote", () => {
  test("socket frames of OpenHands' server are read as they are, each of a known kind", () => {
    const lines = readFileSync(new URL('socket-frames.jsonl', fixtures), 'utf8').split('\n').filter(Boolean);
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) {
      const event = eventsSocket.serverFrame.parse(JSON.parse(line));
      expect(event).toEqual(JSON.parse(line));
      expect(eventGuards.unreadableReason(event)).toBeUndefined();
    }
  });

  test.each(conversations)('the events of %s are read as they are', (id) => {
    const names = readdirSync(new URL(`conversations/${id}/events/`, fixtures)).filter((name) =>
      name.endsWith('.json'),
    );
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      const written = json(`conversations/${id}/events/${name}`);
      expect(eventSchema.parse(structuredClone(written))).toEqual(written);
    }
  });

  test.each(conversations)('the agent of %s is taken and handed back unchanged', (id) => {
    const { agent } = json(`conversations/${id}/base_state.json`);
    expect(isDeepStrictEqual(knownAgentSchema.parse(agent), agent)).toBe(true);
  });

  test.each(conversations)('%s as a server tells of it keeps every member', (id) => {
    const state = json(`conversations/${id}/base_state.json`);
    const meta = json(`conversations/${id}/meta.json`);
    const told = { ...state, title: meta['title'], created_at: meta['created_at'], updated_at: meta['updated_at'] };
    expect(conversationRoutes.get.answer).toBe(conversationInfoSchema);
    const info = conversationInfoSchema.parse(told);
    expect(info).toMatchObject(told);
    expect(info.sub_conversation_ids).toEqual([]);
  });
});
