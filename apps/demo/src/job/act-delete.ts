import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import type { StateFields } from '@conv/core';

import { readConversation } from '../conversation/stored-conversation.ts';
import { allInFiles } from './compare-events.ts';
import { readEventFiles } from './outside-reader.ts';
import { digestOf, type Stage } from './stage.ts';
import { DELETE_TASK, FACTS_FILE } from './task.ts';
import type { WorkerProcess } from './worker-process.ts';

/** A second message has the file deleted; then the conversation is closed and looked at from outside. */
export async function deleteOnRequest(stage: Stage, worker: WorkerProcess): Promise<StateFields> {
  const { narrator, repository } = stage;
  await narrator.act(5, `A second message: clean up`);
  await worker.call('send', DELETE_TASK);
  await worker.call('run');
  const state = await worker.call('state');
  await worker.end();
  narrator.claim({
    text: `${FACTS_FILE} is gone, and every other file is as it was`,
    holds: !existsSync(join(repository, FACTS_FILE)) && digestOf(repository) === stage.digest,
    found: existsSync(join(repository, FACTS_FILE)) ? 'it is there' : 'another file differs',
  });
  narrator.claim(allInFiles(stage.acknowledged, readEventFiles(stage.conversationFolder)));
  await replayFromOutside(stage, state);
  return state;
}

/** Folds the log in this process, which ran nothing of it, and compares with the state that the other process had. */
async function replayFromOutside(stage: Stage, state: StateFields): Promise<void> {
  await using stored = await readConversation(stage.directory, stage.id);
  let commits = 0;
  let last: unknown;
  for await (const { state: then } of stored.state.replay()) {
    commits++;
    last = then.fields;
  }
  stage.narrator.claim({
    text: `replay of the ${commits} commits, without running anything, gives the state that the process had`,
    holds: commits > 0 && isDeepStrictEqual(JSON.parse(JSON.stringify(last)), JSON.parse(JSON.stringify(state))),
    found: 'another state',
  });
}
