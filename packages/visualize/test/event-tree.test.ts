import { type Event, parseEvent } from '@conv/core/events';
import { expect, test } from 'vitest';
import { eventTree } from '../src/index.ts';
import { eventId, fixture, fixtureIds, Log } from './log.ts';
import { diagramType } from './mermaid.ts';

/** A first try, two more from its first message, one from nothing. */
function branches(): Event[] {
  return new Log()
    .user('Rename the function')
    .shell('c1', 'grep -rn greet')
    .printed('c1', 'src/greet.js:3')
    .agent('Renamed it to `hello`.')
    .user('No, to `welcome`', { parent_id: eventId(0) })
    .shell('c2', 'sed -i s/greet/welcome/ src/*.js')
    .printed('c2', '')
    .agent('Renamed it to `welcome`.')
    .user('Start over', { parent_id: '__root__' })
    .agent('Gladly.').events;
}

test('branches, the live one and HEAD can be told apart', async () => {
  const tree = eventTree(branches(), { head: eventId(7) });
  expect(tree).toMatchInlineSnapshot(`
    "flowchart TD
      e0(["#35;0 user#58; Rename the function"]):::live
      e1[["#35;1 terminal#58; #36; grep -rn greet"]]:::left
      e2["#35;2 terminal#58; exit 0"]:::left
      e3("#35;3 agent#58; Renamed it to #96;hello#96;."):::left
      e4(["#35;4 user#58; No, to #96;welcome#96;"]):::live
      e5[["#35;5 terminal#58; #36; sed -i s/greet/welcome/ src/#42;.js"]]:::live
      e6["#35;6 terminal#58; exit 0"]:::live
      e7("#35;7 agent#58; Renamed it to #96;welcome#96;. · HEAD"):::head
      e8(["#35;8 user#58; Start over"]):::left
      e9("#35;9 agent#58; Gladly."):::left
      e0 -.-> e1
      e1 -.-> e2
      e2 -.-> e3
      e0 ==> e4
      e4 ==> e5
      e5 ==> e6
      e6 ==> e7
      e8 -.-> e9
      classDef live stroke-width:2px
      classDef head stroke-width:4px
      classDef left stroke-dasharray:4 4
    "
  `);
  expect(await diagramType(tree)).toBe('flowchart-v2');
});

test('HEAD may be before the first event, at an unknown one, or left to the log', () => {
  expect(eventTree(branches(), { head: null })).not.toMatch(/HEAD|:::live|==>/);
  expect(eventTree(branches(), { head: 'gone' })).not.toMatch(/HEAD|:::live|==>/);
  expect(eventTree(branches())).toContain('· HEAD"):::head');
  expect(eventTree(branches())).toMatch(/e9\("#35;9 .* HEAD/);
});

test('long runs without a branch are one node; user messages and what touches a branch keep theirs', async () => {
  const log = new Log().user('one');
  for (let index = 0; index < 20; index += 1) log.shell(`c${index}`, `echo ${index}`).printed(`c${index}`, '');
  log
    .user('two')
    .agent('done')
    .user('other', { parent_id: eventId(30) });
  const tree = eventTree(log.events, { head: eventId(42) });
  expect(tree).toMatchInlineSnapshot(`
    "flowchart TD
      e0(["#35;0 user#58; one"]):::live
      e1["#35;1–#35;29 … 29 events"]:::live
      e30["#35;30 terminal#58; exit 0"]:::live
      e31[["#35;31 terminal#58; #36; echo 15"]]:::live
      e32["#35;32–#35;40 … 9 events"]:::live
      e41(["#35;41 user#58; two"]):::live
      e42("#35;42 agent#58; done · HEAD"):::head
      e43(["#35;43 user#58; other"]):::left
      e0 ==> e1
      e1 ==> e30
      e30 ==> e31
      e31 ==> e32
      e32 ==> e41
      e41 ==> e42
      e30 -.-> e43
      classDef live stroke-width:2px
      classDef head stroke-width:4px
      classDef left stroke-dasharray:4 4
    "
  `);
  expect(await diagramType(tree)).toBe('flowchart-v2');
  expect(eventTree(log.events, { foldFrom: Infinity })).not.toContain('…');
});

test('conversations of the Python reference are drawn as valid Mermaid, without state updates', async () => {
  for (const id of fixtureIds()) expect(await diagramType(eventTree(fixture(id)))).toBe('flowchart-v2');
  const tree = eventTree(fixture('c89c573ea48b4e17b8ecc4ca4fe3589c'));
  expect(tree).toMatchInlineSnapshot(`
    "flowchart TD
      e0["#35;0 system prompt, 5 tools"]:::live
      e1(["#35;1 user#58; SCRIPT #91;#123;#34;content#34;#58; #34;thinking about it#34;, …"]):::live
      e5["#35;5–#35;23 … 14 events"]:::live
      e27(["#35;27 user#58; #91;image#93;"]):::live
      e30["#35;30 paused · HEAD"]:::head
      e0 ==> e1
      e1 ==> e5
      e5 ==> e27
      e27 ==> e30
      classDef live stroke-width:2px
      classDef head stroke-width:4px
      classDef left stroke-dasharray:4 4
    "
  `);
  expect(tree).not.toContain('state');
});

test('a linear log of old is a chain, a state update in it no obstacle', () => {
  const base = { timestamp: '2026-11-20T09:00:00', source: 'user' };
  const events = [
    { ...base, id: 'a', kind: 'PauseEvent' },
    { ...base, id: 'b', key: 'x', value: 1, kind: 'ConversationStateUpdateEvent' },
    { ...base, id: 'c', kind: 'InterruptEvent' },
    { ...base, id: 'd', parent_id: 'b', kind: 'PauseEvent' },
  ].map(parseEvent);
  expect(eventTree(events)).toContain('e0 -.-> e2\n  e0 ==> e3');
});

test('a missing ancestor and a parent that is not older are bridged to the event before', () => {
  const base = { timestamp: '2026-11-20T09:00:00', source: 'user', kind: 'PauseEvent' };
  const events = [
    { ...base, id: 'a', parent_id: 'lost' },
    { ...base, id: 'b', parent_id: 'also lost' },
    { ...base, id: 'c', parent_id: 'd' },
    { ...base, id: 'd', parent_id: 'c' },
  ].map(parseEvent);
  expect(eventTree(events).match(/e\d ==> e\d/g)).toEqual(['e0 ==> e1', 'e1 ==> e2', 'e2 ==> e3']);
});

test('100,000 events in a line are drawn at once', async () => {
  const log = new Log().user('go');
  for (let index = 0; index < 50_000; index += 1) log.add('PauseEvent', 'user').add('InterruptEvent', 'user');
  const tree = eventTree(log.events);
  expect(tree.split('\n')).toHaveLength(10);
  expect(await diagramType(tree)).toBe('flowchart-v2');
});
