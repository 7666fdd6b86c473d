import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { ConversationState, initialFields, viewOf } from '@conv/core';
import { readEvent } from '@conv/core/events';
import { MemoryStore } from '@conv/core/store';
import { eventsToMessages, toChatMessages, toResponsesInput } from '../../src/messages/index.ts';

interface Projected {
  readonly view?: readonly string[];
  readonly error?: unknown;
  readonly chat?: { readonly plain: unknown };
  readonly responses?: { readonly plain: { readonly instructions: string | null; readonly input: unknown } };
}

interface ViewCase {
  readonly name: string;
  readonly rule: string;
  readonly events: readonly unknown[];
  readonly leaf_event_id: string | null;
  readonly head_is_empty: boolean;
  readonly head: string | null;
  readonly branch: readonly string[];
  readonly pending: readonly string[];
  readonly cold: Projected;
}

const folder = join(import.meta.dirname, '../../../../testing/fixtures/views');
const cases = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as ViewCase);

/** The cases in which ours differs from the Python reference on purpose, and the reasons. */
const DEVIATIONS: Readonly<Record<string, string>> = {
  'adjacent-responses': 'results stand directly behind the message that made the calls, as providers demand',
  'call-id-reused': 'each call keeps its own result; the reference leaves the second without one',
  'loop-pending': 'an open call leaves out its own response only, not the answered ones before it',
  'parallel-invalid': 'one response stays one assistant message',
  'parallel-out-of-order': 'results are in call order (P5)',
  'parallel-second-thought': 'a thought on a later call is no reason to fail',
  'result-before-call': 'a result answers a call that came before it, as the list of pending calls has it',
  'terminal-long': 'the notice where text was cut is in our words',
  'tool-long': 'the notice where text was cut is in our words',
};

test('view cases are there', () => {
  expect(cases.length).toBeGreaterThan(60);
});

test.each(cases.filter(({ name }) => !(name in DEVIATIONS)))(
  'P5: the view of $name is the reference’s',
  async (viewCase) => {
    expect(await project(viewCase)).toEqual(projectionOf(viewCase));
  },
);

test.each(cases.filter(({ name }) => name in DEVIATIONS))(
  'P5: the view of $name differs, for the reason given',
  async (viewCase) => {
    expect(await project(viewCase)).not.toEqual(projectionOf(viewCase));
  },
);

async function project(viewCase: ViewCase): Promise<unknown> {
  const state = await load(viewCase);
  const branch = await state.events.branch(viewCase.head);
  const view = viewOf(branch).events;
  const messages = eventsToMessages(view);
  const { instructions, input } = toResponsesInput(messages, { vision: false });
  return {
    branch: branch.map(({ id }) => id),
    view: view.map(({ id }) => id),
    chat: toChatMessages(messages, { vision: false, cachePrompt: false }),
    responses: { instructions: instructions ?? null, input },
  };
}

function projectionOf({ branch, cold }: ViewCase): unknown {
  return { branch, view: cold.view, chat: cold.chat?.plain, responses: cold.responses?.plain };
}

async function load({ events, leaf_event_id: leaf, head_is_empty: empty }: ViewCase): Promise<ConversationState> {
  const journal = await new MemoryStore().open(randomUUID(), { owner: 'test' });
  const fields = { ...initialFields, leafEventId: leaf, headIsEmpty: empty };
  await journal.append({ id: randomUUID(), events: events.map(readEvent) }, fields);
  return ConversationState.open(journal);
}
