import { isDeepStrictEqual } from 'node:util';

import { isAction, isEvent } from '@conv/core/events';

import { answerClaim } from './claims.ts';
import type { JobWorker } from './job-worker.ts';
import type { Stage } from './stage.ts';
import { FORK_QUESTION } from './task.ts';

/**
 * Forks the conversation before the file was written. The fork answers from the shared events, and the original stays unchanged.
 */
export async function forkAndAsk(stage: Stage, worker: JobWorker): Promise<void> {
  const { narrator } = stage;
  const before = await stage.storedEvents();
  const writing = before.findIndex(
    (event) => isEvent(event, 'ActionEvent') && isAction(event.action, 'FileEditorAction'),
  );
  const from = before[writing - 1];
  await narrator.act(`A fork, from before the file was written`);
  if (!from) return narrator.claim({ text: 'there is an event to fork from', holds: false });
  const { id } = await worker.call('fork', { from: from.id, title: 'What did you see?' });
  const forked = (await stage.storedEvents(id)).length;
  const other = stage.startForFork();
  await other.call('open', { ...stage.request('never', forked), id });
  await other.call('send', FORK_QUESTION);
  await other.call('run');
  const { text } = await other.call('answer');
  await other.end();
  narrator.claim(answerClaim(text, stage.expected));
  const after = await stage.storedEvents();
  narrator.claim({
    text: `the original still has its ${before.length} events, unchanged; the fork has ${forked} of them`,
    holds: isDeepStrictEqual(after, before) && forked === writing,
    found: `${after.length} events, ${forked} of them shared`,
  });
}
