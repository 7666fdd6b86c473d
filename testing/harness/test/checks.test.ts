import { agentMessage, stampEvent, userMessage, type Event, type EventDraft } from '@conv/core/events';
import { expect, test } from 'vitest';

import { Findings, type DeliveryCounter } from '../src/findings.ts';
import { checkMessages } from '../src/check-messages.ts';
import { checkRecorder } from '../src/check-recorder.ts';
import { Recorder } from '../src/recorder.ts';

const stamped = (draft: EventDraft, id: string): Event =>
  stampEvent(draft, { id, timestamp: '2026-01-01T00:00:00.000000', parentId: null });
const log = ['a', 'b', 'c', 'd'].map((id) => stamped(agentMessage({ content: id, llm_response_id: id }), id));

function found(from: number, given: readonly (readonly [number, Event | undefined])[]): readonly string[] {
  const findings = new Findings<DeliveryCounter>();
  const recorder = new Recorder('r', from);
  for (const [index, event] of given) recorder.onEvent(event as Event, index);
  checkRecorder(recorder, log, findings);
  return findings.lines.map((line) => line.replaceAll(/ \(MessageEvent (\w+)\)/g, ' $1'));
}

test('a subscriber that was given everything from its first event on is content', () => {
  expect(
    found(
      1,
      [1, 2, 3].map((index) => [index, log[index]]),
    ),
  ).toEqual([]);
});

test('events that a subscriber was not given, was given twice, or elsewhere are found', () => {
  expect(found(2, [[2, log[2]]])).toEqual(['missing: r: event 3 d never came']);
  expect(
    found(
      2,
      [2, 2, 3].map((index) => [index, log[index]]),
    ),
  ).toEqual(['duplicated: r: event 2 c came before']);
  expect(
    found(2, [
      [2, log[3]],
      [3, log[2]],
    ]),
  ).toEqual(['misordered: r: event 2 d is 3 there, after 1', 'misordered: r: event 3 c is 2 there, after 3']);
  const other = stamped(agentMessage({ content: 'other', llm_response_id: 'd' }), 'd');
  expect(found(3, [[3, other]])).toEqual(['missing: r: event 3 d is another one there']);
});

test('messages that were acknowledged are there once, under their id and in order', () => {
  const said = ['x', 'y', 'y'].map((text, at) => stamped(userMessage(text), `${text}${at}`));
  const check = (...sent: readonly (readonly [string, string | undefined])[]): readonly string[] => {
    const findings = new Findings<DeliveryCounter>();
    const all = sent.map(([text, id]) => ({ text, client: 'one', id }));
    checkMessages(all, said, findings);
    return findings.lines;
  };
  expect(check(['x', 'x0'], ['z', undefined])).toEqual([]);
  expect(check(['z', 'z9'])).toEqual(['missing: message z of one was acknowledged']);
  expect(check(['x', 'x1'])).toEqual(['misordered: message x of one was acknowledged as x1']);
  expect(check(['y', undefined])).toEqual(['duplicated: message y of one is there 2 times']);
  const twisted = check(['y', 'y1'], ['x', 'x0']);
  expect(twisted).toContain('misordered: message x of one is before an earlier one');
});
