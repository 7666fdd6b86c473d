import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { isDeepStrictEqual } from 'node:util';

import { approvalLines, paletteFor, readConversation } from '@conv/cli/parts';
import type { StateFields } from '@conv/core';
import type { ActionEvent } from '@conv/core/events';

import { rejectionClaim } from './claims.ts';
import { allInFiles } from './compare-events.ts';
import type { JobWorker } from './job-worker.ts';
import { readEventFiles } from './outside-reader.ts';
import { digestOf, type Stage } from './stage.ts';
import { DELETE_TASK, FACTS_FILE, NOT_LIKE_THIS } from './task.ts';

/** Maximum number of times that the person looks at the waiting calls. */
const MOST_QUESTIONS = 10;

/**
 * Deletes the file by a second message. From now on a person is asked first, and rejects the first attempt and approves the next.
 * Resolves with the worker's state at its end.
 */
export async function deleteOnRequest(stage: Stage, worker: JobWorker): Promise<StateFields> {
  const { narrator, repository } = stage;
  await narrator.act(`A second message: clean up, but ask first`);
  await worker.call('askFirst');
  await worker.call('send', DELETE_TASK);
  const rejected = await answerQuestions(stage, worker);
  const state = await worker.call('state');
  await worker.end();
  narrator.claim(rejectionClaim(await stage.storedEvents(), rejected));
  narrator.claim({
    text: `${FACTS_FILE} is deleted, and every other file is unchanged`,
    holds: !existsSync(join(repository, FACTS_FILE)) && digestOf(repository) === stage.digest,
    found: existsSync(join(repository, FACTS_FILE)) ? 'the file exists' : 'another file differs',
  });
  return state;
}

/** A viewer of a state, and the fields that are hidden from the viewer. */
export interface Viewer {
  readonly who: string;
  readonly unshown: readonly (keyof StateFields)[];
}

/** The conversation is closed now; this process reads its stored log. */
export async function lookFromOutside(stage: Stage, state: StateFields, viewer: Viewer): Promise<void> {
  stage.narrator.claim(allInFiles(stage.acknowledged, readEventFiles(stage.conversationFolder)));
  await replayFromOutside(stage, state, viewer);
}

/** Runs, and decides whatever waits. Resolves with the first action, which was rejected. */
async function answerQuestions({ narrator }: Stage, worker: JobWorker): Promise<ActionEvent | undefined> {
  let rejected: ActionEvent | undefined;
  for (let questions = 0; questions < MOST_QUESTIONS; questions++) {
    const { status } = await worker.call('run');
    if (status !== 'waiting_for_confirmation') break;
    const [action, ...others] = await worker.call('pending');
    if (!action) break;
    narrator.say('The agent asks whether it may run:');
    for (const line of approvalLines(action, paletteFor(process.stdout))) narrator.say(line.trim());
    const ids = [action.id, ...others.map((other) => other.id)];
    if (rejected) {
      narrator.say(narrator.strong('The person says yes.'));
      await worker.call('approve', ids);
    } else {
      rejected = action;
      narrator.say(narrator.strong(`The person says no: ${NOT_LIKE_THIS}`));
      await worker.call('reject', { ids, reason: NOT_LIKE_THIS });
    }
  }
  return rejected;
}

/** Folds the log in this process, which ran nothing of it, and compares with the state that was seen there. */
async function replayFromOutside(stage: Stage, state: StateFields, { who, unshown }: Viewer): Promise<void> {
  await using stored = await readConversation(`fs:${stage.directory}`, stage.id);
  let commits = 0;
  let last: StateFields | undefined;
  for await (const { state: then } of stored.past.replay()) {
    commits++;
    last = then.fields;
  }
  const differing = differingFields(last, state).filter((name) => !unshown.includes(name));
  stage.narrator.claim({
    text: `a replay of the ${commits} commits, which runs nothing, gives the state that ${who} had`,
    holds: commits > 0 && differing.length === 0,
    found: `another ${differing.join(', ')}`,
  });
}

function differingFields(one: StateFields | undefined, other: StateFields): readonly (keyof StateFields)[] {
  const asStored = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
  const names = Object.keys(other) as (keyof StateFields)[];
  return names.filter((name) => !isDeepStrictEqual(asStored(one?.[name]), asStored(other[name])));
}
