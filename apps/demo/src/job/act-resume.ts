import type { ExecutionStatus } from '@conv/core';

import type { Killed } from './act-kill.ts';
import { factsClaim, pauseClaim, readFacts, recoveryClaim, shownClaim, sourceClaim } from './claims.ts';
import type { JobWorker } from './job-worker.ts';
import type { LocalStage } from './local-stage.ts';
import type { Stage } from './stage.ts';

/** Opens the conversation of the killed process in a new process, and finishes the job. */
export async function resumeAndFinish(stage: LocalStage, killed: Killed): Promise<JobWorker> {
  const { narrator } = stage;
  const before = (await stage.storedEvents()).length;
  const worker = stage.start();
  await narrator.act(`A new process opens the same conversation (pid ${worker.pid})`);
  narrator.say('It finds a call without a result. It neither guesses nor repeats the call, but tells the model.');
  await worker.call('open', stage.request('never', before));
  const { status } = await worker.call('run', PAUSED_BEHIND);
  await finishBehindPause(stage, worker, killed, status);
  return worker;
}

/** The tool behind whose call the job is paused. */
export const PAUSED_BEHIND = 'file_editor';

/** Finishes the job behind what was cut off, from a pause on. `status` is what the paused run ended with. */
export async function finishBehindPause(
  stage: Stage,
  worker: JobWorker,
  killed: Killed,
  status: ExecutionStatus,
): Promise<void> {
  const { narrator } = stage;
  const atPause = (await stage.storedEvents()).length;
  await stage.pauseForPeople(1000);
  narrator.say(narrator.strong(`Paused after that step, and resumed now.`));
  narrator.claim({ text: 'the pause took effect between two steps', holds: status === 'paused', found: status });
  narrator.claim(factsClaim(readFacts(stage.repository), stage.expected));
  const end = await worker.call('run');
  const events = await stage.storedEvents();
  narrator.claim(recoveryClaim(events, killed.call));
  narrator.claim(pauseClaim(events, atPause, end.status));
  narrator.claim(sourceClaim(events, stage.expected));
  narrator.claim(shownClaim(events, stage.expected));
}
