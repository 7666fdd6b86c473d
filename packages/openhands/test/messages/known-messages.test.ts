import { expect, test } from 'vitest';
import { drafts, type Event, type EventDraft, stampEvent, textContent, userMessage } from '@conv/core/events';
import { eventsToMessages, toChatMessages, toLlmMessage } from '../../src/messages/index.ts';

let next = 0;

function event(draft: EventDraft): Event {
  next += 1;
  return stampEvent(draft, { id: `e-${next}`, timestamp: '2026-01-01T00:00:00.000000' });
}

const tool_call = { id: 'c', name: 'think', arguments: '{}', origin: 'completion' } as const;
const named = { tool_name: 'think', tool_call_id: 'c' };
const call = (): Event => event(drafts.action({ ...named, tool_call, llm_response_id: 'r' }));
const failure = (): Event => event(drafts.agentError(named, 'failed'));

test('an event gives the same frozen message each time', () => {
  const events = [call(), failure(), event(userMessage('hi'))];
  const messages = eventsToMessages(events);
  for (const [index, message] of eventsToMessages(events).entries()) {
    expect(message).toBe(messages[index]);
    expect(() => Reflect.apply(Array.prototype.push, message.content, [textContent('more')])).toThrow(TypeError);
    expect(() => Object.assign(message, { role: 'system' })).toThrow(TypeError);
  }
  expect(() => Object.assign(messages[1]?.content[0] ?? {}, { text: 'other' })).toThrow(TypeError);
});

test('a user message that another one follows stays as it was', () => {
  const [one, other] = [event(userMessage('a')), event(userMessage('b'))];
  const [alone] = eventsToMessages([one]);
  expect(eventsToMessages([one, other])[0]?.content).toEqual([textContent('a'), textContent('b')]);
  expect(eventsToMessages([one])[0]).toBe(alone);
  expect(alone?.content).toEqual([textContent('a')]);
});

test('an event that can still change is read each time, and stays changeable', () => {
  const content = [textContent('a')];
  const open = { ...event(userMessage('')), llm_message: { role: 'user', content } } as unknown as Event;
  expect(toLlmMessage(open)?.content).toEqual([textContent('a')]);
  content.push(textContent('b'));
  expect(toLlmMessage(open)?.content).toEqual([textContent('a'), textContent('b')]);
});

test('each form of a message is made once, and differs with the options', () => {
  const image = { type: 'image' as const, image_urls: ['data:image/png;base64,AAAA'] };
  const seen = event({ ...userMessage('look'), llm_message: { role: 'user', content: [textContent('look'), image] } });
  const messages = eventsToMessages([seen, call(), failure()]);
  const forms = [{}, { vision: true }, { forceString: true }, { reasoningContent: true }].map((options) => ({
    options,
    made: toChatMessages(messages, options),
  }));
  for (const { options, made } of forms)
    for (const [index, form] of toChatMessages(messages, options).entries()) {
      expect(form).toBe(made[index]);
      expect(Object.isFrozen(form.content)).toBe(true);
    }
  expect(forms.map(({ made }) => made[0]?.content?.length)).toEqual([1, 2, 4, 1]);
});

const observed = (observation: object): Event => event(drafts.observation(call() as never, observation as never));
const long = 'x'.repeat(2000);
const output = (text: string): Event =>
  observed({ kind: 'TerminalObservation', command: 'x', content: [textContent(text)] });

test('a text that is made for a message is kept only if it is short', () => {
  const screenshot = observed({ kind: 'BrowserObservation', content: [], screenshot_data: long });
  for (const made of [output(long), screenshot]) {
    const message = toLlmMessage(made);
    expect(toLlmMessage(made)).not.toBe(message);
    expect(toLlmMessage(made)).toEqual(message);
    expect(Object.isFrozen(message)).toBe(true);
  }
  const short = output('x');
  expect(toLlmMessage(short)).toBe(toLlmMessage(short));
  const own = observed({ kind: 'OtherObservation', content: [textContent(long)] });
  expect(toLlmMessage(own)).toBe(toLlmMessage(own));
});

test('a form whose text is put together or shortened is kept only if it is short', () => {
  const twice = eventsToMessages([
    event({ ...userMessage(''), llm_message: { role: 'user', content: [textContent(long), textContent(long)] } }),
  ]);
  const cut = eventsToMessages([
    call(),
    observed({ kind: 'OtherObservation', content: [textContent(long.repeat(30))] }),
  ]).slice(1);
  for (const [messages, options] of [
    [twice, { forceString: true }],
    [cut, {}],
  ] as const) {
    const [form] = toChatMessages(messages, options);
    expect(toChatMessages(messages, options)[0]).not.toBe(form);
    expect(toChatMessages(messages, options)[0]).toEqual(form);
    expect(Object.isFrozen(form)).toBe(true);
  }
  expect(toChatMessages(twice)[0]).toBe(toChatMessages(twice)[0]);
});

test('a message that can still change is formed each time', () => {
  const message = { role: 'user' as const, content: [textContent('a')], thinking_blocks: [] };
  toChatMessages([message]);
  message.content.push(textContent('b'));
  const [form] = toChatMessages([message]);
  expect(form?.content).toHaveLength(2);
  expect(Object.isFrozen(form)).toBe(false);
});

test('marks of the cache are of one request', () => {
  const messages = eventsToMessages([event(userMessage('a'))]);
  expect(toChatMessages(messages, { cachePrompt: true })[0]?.content).toHaveProperty('0.cache_control');
  expect(toChatMessages(messages)[0]?.content).not.toHaveProperty('0.cache_control');
});
