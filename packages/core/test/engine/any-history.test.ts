import fc from 'fast-check';
import { expect, test } from 'vitest';

import { isEvent, userMessage, type Event } from '../../src/events/index.ts';
import { isObservationLike } from '../../src/events/guards.ts';
import { foldJournal } from '../../src/engine/fold/fold-journal.ts';
import { readState } from '../../src/engine/fold/read-state.ts';
import { ReadonlyState } from '../../src/engine/readonly-state.ts';
import { modelEvents, ViewFold } from '../../src/engine/view/view.ts';
import { toCommitSeq } from '../../src/store/index.ts';
import { RandomHistory, steps, type Step } from './random-history.ts';

/** Takes the steps and looks after each. */
async function live(history: readonly Step[], look: (at: RandomHistory) => Promise<void>): Promise<RandomHistory> {
  const random = await RandomHistory.begin();
  for (const step of history) {
    await random.take(step);
    await look(random);
  }
  return random;
}

async function coldView({ state }: RandomHistory): Promise<readonly Event[]> {
  const fold = new ViewFold();
  for (const event of await state.events.branch()) fold.apply(event);
  return modelEvents(fold.view);
}

/** Executable actions without a result, by the reference's rule. */
function unmatched(branch: readonly Event[]): readonly string[] {
  const results = branch.filter(isObservationLike);
  const answered = new Set(results.map((event) => ('action_id' in event ? event.action_id : undefined)));
  const failed = new Set(
    results.filter((event) => isEvent(event, 'AgentErrorEvent')).map((event) => event.tool_call_id),
  );
  return branch
    .filter((event) => isEvent(event, 'ActionEvent') && event.action)
    .filter((event) => !answered.has(event.id) && !failed.has((event as { tool_call_id?: string }).tool_call_id ?? ''))
    .map(({ id }) => id);
}

function responses(branch: readonly Event[]): number {
  const ids = branch.map((event) =>
    event.source === 'agent' && 'llm_response_id' in event ? event.llm_response_id : undefined,
  );
  return new Set(ids.filter((id) => id !== undefined)).size;
}

function isCallOf(event: Event, result: Event): boolean {
  return isEvent(event, 'ActionEvent') && isObservationLike(result) && event.tool_call_id === result.tool_call_id;
}

test('P6: the state folded from the log is the live state, whatever happens', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      await live(history, async ({ state, journal }) => {
        const folded = await foldJournal(journal);
        expect(folded.fields).toEqual(state.fields);
        expect(folded.end).toEqual(state.end);
        expect([...folded.branch.open.keys()].length).toBeGreaterThanOrEqual(state.pendingActions.length);
        expect([folded.branch.iteration, folded.branch.taskList]).toEqual([state.iteration, state.taskList]);
        expect(state.accepted).toEqual(state.fields);
      });
    }),
    { numRuns: 150 },
  );
});

test('P6: the state at every commit is the same live and folded up to it', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const seen: { seq: number; fields: unknown; iteration: number; pending: readonly string[] }[] = [];
      const random = await live(history, async ({ state }) => {
        const pending = state.pendingActions.map(({ id }) => id);
        seen.push({ seq: state.end.seq, fields: state.fields, iteration: state.iteration, pending });
      });
      for (const { seq, fields, iteration, pending } of seen) {
        const projection = await readState(random.state.reader, { to: toCommitSeq(seq) });
        const state = new ReadonlyState(
          () => projection,
          (leaf) => random.state.events.messages(leaf),
        );
        expect(state.fields).toEqual(fields);
        expect(state.iteration).toBe(iteration);
        expect(state.pendingActions.map(({ id }) => id)).toEqual(pending);
      }
    }),
    { numRuns: 60 },
  );
});

test(
  'pending actions, iteration, HEAD and the last user message are what the events of the branch say',
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        await live(history, async ({ state }) => {
          const branch = await state.events.branch();
          expect(branch.at(-1)?.id ?? null).toBe(state.leafEventId);
          expect(state.pendingActions.map(({ id }) => id)).toEqual(unmatched(branch));
          expect(state.iteration).toBe(responses(branch));
          const stored = await state.events.slice();
          const messages = stored.filter((event) => isEvent(event, 'MessageEvent') && event.source === 'user');
          expect(state.lastUserMessageId).toBe(messages.at(-1)?.id ?? null);
        });
      }),
      { numRuns: 150 },
    );
  },
);

test('headIsEmpty says that HEAD was moved before the first event, until the next event', async () => {
  const random = await live([{ do: 'say' }, { do: 'navigate', which: 1 }], async () => {});
  expect([random.state.leafEventId, random.state.headIsEmpty]).toEqual([null, true]);
  await random.take({ do: 'crash' });
  expect([random.state.leafEventId, random.state.headIsEmpty]).toEqual([null, true]);
  const [root] = await random.state.append([userMessage('again')]);
  expect([root?.parent_id, random.state.leafEventId, random.state.headIsEmpty]).toEqual(['__root__', root?.id, false]);
});

test('P5: the view is the same warm and cold at every point', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      await live(history, async (random) => {
        expect(await random.state.modelView()).toEqual(await coldView(random));
      });
    }),
    { numRuns: 150 },
  );
});

/** A summary stands inside a batch, and a result comes late. */
const SUMMARY_INSIDE: readonly Step[] = [
  { do: 'interrupt' },
  { do: 'condense', forget: [], offset: 0 },
  { do: 'act', calls: [true, true], thinking: false },
  { do: 'result', which: 0, how: 'observation' },
  { do: 'condense', forget: [], offset: undefined },
  { do: 'condense', forget: [], offset: 0 },
  { do: 'condense', forget: [], offset: 3 },
  { do: 'branch', which: 0 },
  { do: 'act', calls: [false], thinking: false },
  { do: 'branch', which: 40 },
  { do: 'result', which: 0, how: 'observation' },
];

test(
  'P5: the view for a model holds one result for each call, after it, and no result without a call',
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        await live(history, async ({ state }) => {
          const view = await state.modelView();
          const calls = view.filter((event) => isEvent(event, 'ActionEvent')).map((event) => event.tool_call_id);
          const results = view.filter(isObservationLike).map((event) => event.tool_call_id);
          expect(results.toSorted()).toEqual(calls.toSorted());
          const early = view.filter(
            (event, at) => isObservationLike(event) && !view.slice(0, at).some((one) => isCallOf(one, event)),
          );
          expect(early).toEqual([]);
        });
      }),
      { numRuns: 100, examples: [[SUMMARY_INSIDE]] },
    );
  },
);

test('P3: an event reads the same each time', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      let before: readonly Event[] = [];
      await live(history, async ({ state }) => {
        const now = await state.events.slice();
        expect(now.slice(0, before.length)).toEqual(before);
        for (let at = 1; at < now.length; at++)
          expect((now[at]?.timestamp ?? '') > (now[at - 1]?.timestamp ?? '')).toBe(true);
        before = now;
      });
    }),
    { numRuns: 60 },
  );
});

test(
  'HEAD is a leaf or was navigated to, and the branch of every leaf reaches a root',
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const { state } = await live(history, async () => {});
        const leaves = await state.events.leaves();
        for (const leaf of leaves) {
          const branch = await state.events.branch(leaf);
          expect(branch.at(-1)?.id).toBe(leaf);
          const [root, ...rest] = branch;
          expect([undefined, '__root__']).toContain(root?.parent_id ?? undefined);
          rest.forEach((event, at) => expect(event.parent_id).toBe(branch[at]?.id));
        }
        const covered = new Set<string>();
        for (const leaf of leaves) for (const { id } of await state.events.branch(leaf)) covered.add(id);
        const all = (await state.events.slice()).filter((event) => !isEvent(event, 'ConversationStateUpdateEvent'));
        expect(new Set(all.map(({ id }) => id))).toEqual(covered);
      }),
      { numRuns: 60 },
    );
  },
);
