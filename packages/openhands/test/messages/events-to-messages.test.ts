import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  drafts,
  type Event,
  type EventDraft,
  parseEvent,
  stampEvent,
  textContent,
  userMessage,
} from '@conv/core/events';
import { eventsToMessages, toLlmMessage } from '../../src/messages/index.ts';

let next = 0;

function event(draft: EventDraft): Event {
  next += 1;
  return stampEvent(draft, { id: `e-${next}`, timestamp: '2026-01-01T00:00:00.000000' });
}

function call(id: string, response = 'r-1', thought = ''): Event {
  return event(
    drafts.action({
      thought: thought === '' ? [] : [textContent(thought)],
      tool_name: 'think',
      tool_call_id: id,
      tool_call: { id, name: 'think', arguments: '{}', origin: 'completion' },
      llm_response_id: response,
    }),
  );
}

function result(id: string, kind = 0): Event {
  const answered = { id: `action-${id}`, tool_name: 'think', tool_call_id: id };
  if (kind === 1) return event(drafts.userReject(answered));
  if (kind === 2) return event(drafts.agentError(answered, 'failed'));
  return event(drafts.observation(answered, { content: [textContent(id)], kind: 'ThinkObservation' }));
}

function outline(events: readonly Event[]): string[] {
  return eventsToMessages(events).map(({ role, tool_calls = [], tool_call_id }) =>
    [role, ...tool_calls.map(({ id }) => id), ...(tool_call_id === undefined ? [] : [tool_call_id])].join(' '),
  );
}

describe('batches', () => {
  test('P5: results come in call order for any order in which they were stored', () => {
    const ids = fc.uniqueArray(fc.stringMatching(/^c\d{1,3}$/), { minLength: 1, maxLength: 8 });
    const shuffled = ids.chain((all) =>
      fc.record({
        all: fc.constant(all),
        stored: fc.shuffledSubarray(all, { minLength: all.length }),
        kinds: fc.array(fc.nat({ max: 2 }), { minLength: all.length, maxLength: all.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ all, stored, kinds }) => {
        const events = [...all.map((id) => call(id)), ...stored.map((id, index) => result(id, kinds[index]))];
        expect(outline(events)).toEqual([['assistant', ...all].join(' '), ...all.map((id) => `tool ${id}`)]);
      }),
    );
  });

  test('P5: a result between two calls of one response does not split their message', () => {
    expect(outline([call('a'), call('b'), result('b', 2), call('c'), result('c'), result('a')])).toEqual([
      'assistant a b c',
      'tool a',
      'tool b',
      'tool c',
    ]);
  });

  test('the calls of two responses are two messages', () => {
    expect(outline([call('a', 'r-1'), call('b', 'r-2')])).toEqual(['assistant a', 'assistant b']);
    expect(outline([call('a', 'r-1'), result('a'), call('b', 'r-2'), result('b')])).toEqual([
      'assistant a',
      'tool a',
      'assistant b',
      'tool b',
    ]);
  });

  test('a message ends a batch', () => {
    expect(outline([call('a'), event(userMessage('hi')), call('b')])).toEqual(['assistant a', 'user', 'assistant b']);
  });

  test('the message carries the thought of the first call', () => {
    const [message] = eventsToMessages([call('a', 'r', 'first'), call('b', 'r')]);
    expect(message?.content).toEqual([textContent('first')]);
  });

  test('a result of a call outside the batch comes after the results of the batch', () => {
    expect(outline([call('a'), result('z'), result('a')])).toEqual(['assistant a', 'tool a', 'tool z']);
  });
});

describe('messages', () => {
  test('adjacent plain user messages become one, environment messages included', () => {
    const messages = eventsToMessages([
      event(userMessage('a')),
      event(drafts.environmentMessage('b')),
      event(userMessage('c')),
    ]);
    expect(messages.map(({ content }) => content)).toEqual([['a', 'b', 'c'].map((text) => textContent(text))]);
  });

  test('user messages with a name are not merged', () => {
    const named = parseEvent({
      ...event(userMessage('a')),
      llm_message: { role: 'user', content: [textContent('a')], name: 'bob' },
    });
    expect(outline([event(userMessage('b')), named, event(userMessage('c'))])).toEqual(['user', 'user', 'user']);
  });

  test('events that the model never sees leave no trace, not even between merged messages', () => {
    const events = [
      event(userMessage('a')),
      event(drafts.pause()),
      event(drafts.condensationRequest()),
      event(userMessage('b')),
    ];
    expect(outline(events)).toEqual(['user']);
    expect(toLlmMessage(event(drafts.pause()))).toBeUndefined();
  });

  test('a text that was added to a message follows it', () => {
    const draft = userMessage('do it', { extended_content: [textContent('<skill/>')] });
    expect(eventsToMessages([event(draft)])[0]?.content).toEqual([textContent('do it'), textContent('<skill/>')]);
  });

  test('a rejection and a summary speak for themselves', () => {
    const summary = event({ source: 'environment', summary: 'so far', kind: 'CondensationSummaryEvent' });
    expect(eventsToMessages([summary, call('a'), result('a', 1)]).map(({ role, content }) => [role, content])).toEqual([
      ['user', [textContent('so far')]],
      ['assistant', []],
      ['tool', [textContent('Action rejected: User rejected the action')]],
    ]);
  });

  test('the input is not changed and can be converted again', () => {
    const events = [call('a'), call('b'), result('b'), result('a')];
    expect(eventsToMessages(events)).toEqual(eventsToMessages(events));
    expect(outline(events.toReversed())).toHaveLength(3);
  });
});
