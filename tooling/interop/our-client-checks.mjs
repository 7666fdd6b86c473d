import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

export const SECRET = 'correct-horse-battery';
/** Most milliseconds that a case waits: the awaited thing comes within milliseconds, but busy machines take longer. */
export const TIMEOUT = 60_000;
export const WAITS = 'touch started; until [ -e go ]; do sleep 0.05; done';

export const terminal = (command, more) => ({ tool: 'terminal', arguments: { command, ...more } });
export const failsWith = (code) => (error) => error.code === code || assert.fail(`expected ${code}, found ${error}`);
export const kindsOf = (events) => events.map(({ kind }) => kind);
export const textsOf = (events) => events.filter(({ kind }) => kind === 'ObservationEvent').map(observedText);
export const observedText = ({ observation }) => observation.content.map(({ text }) => text).join('');

/** Sends a message and runs to the end; returns the status at the end. */
export async function run(conversation, text) {
  return (await outcomeOf(conversation, text)).status;
}

export async function outcomeOf(conversation, text) {
  if (text !== undefined) await conversation.sendMessage(text);
  return conversation.run({ timeout: TIMEOUT });
}

/** A run that is waited for later, or never when the case has failed before. */
export function startRun(conversation) {
  const running = conversation.run({ timeout: TIMEOUT });
  running.catch(() => {});
  return running;
}

export async function idsOf(conversation) {
  return (await conversation.events.slice()).map(({ id }) => id);
}

/** Asserts that the client has the same events as REST, which is asked past the client. */
export async function sameAsRest(conversation, rest) {
  const stored = [];
  let page = '';
  do {
    const { body } = await rest(`/api/conversations/${conversation.id}/events/search?limit=3${page}`);
    stored.push(...body.items);
    page = body.next_page_id ? `&page_id=${encodeURIComponent(body.next_page_id)}` : '';
  } while (page !== '');
  assert.deepEqual(await conversation.events.slice(), stored);
}

export async function everyCallAnswered(conversation) {
  const events = await conversation.events.slice();
  for (const { kind, tool_call_id: call } of events)
    if (kind === 'ActionEvent')
      assert.equal(events.filter((event) => event.tool_call_id === call).length, 2, 'a call has not one result');
}

export async function eventually(what, holds) {
  const deadline = Date.now() + TIMEOUT;
  while (!(await holds())) {
    if (Date.now() > deadline) assert.fail(`never came: ${what}`);
    await setTimeout(20);
  }
}
