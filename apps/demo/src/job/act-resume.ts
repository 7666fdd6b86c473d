import type { Killed } from './act-kill.ts';
import { factsClaim, pauseClaim, readFacts, recoveryClaim, shownClaim, sourceClaim } from './claims.ts';
import type { Stage } from './stage.ts';
import type { WorkerProcess } from './worker-process.ts';

/** A new process opens what the killed one left, finishes the job, and is paused once on the way. */
export async function resumeAndFinish(stage: Stage, killed: Killed): Promise<WorkerProcess> {
  const { narrator } = stage;
  const before = (await stage.storedEvents()).length;
  const worker = stage.start();
  await narrator.act(3, `A new process opens the same conversation (pid ${worker.pid})`);
  narrator.say('It finds a call without a result. It does not guess and does not repeat it: the model is told.');
  await worker.call('open', {
    id: stage.id,
    directory: stage.directory,
    workspace: stage.repository,
    create: 'never',
    from: before,
  });
  const { status } = await worker.call('run', 'file_editor');
  const atPause = (await stage.storedEvents()).length;
  await stage.pauseForPeople(1000);
  narrator.say(narrator.strong(`Paused behind that step, and resumed now.`));
  narrator.claim({ text: 'pause took hold between two steps', holds: status === 'paused', found: status });
  narrator.claim(factsClaim(readFacts(stage.repository), stage.expected));
  const end = await worker.call('run');
  const events = await stage.storedEvents();
  narrator.claim(recoveryClaim(events, killed.call));
  narrator.claim(pauseClaim(events, atPause, end.status));
  narrator.claim(sourceClaim(events, stage.expected));
  narrator.claim(shownClaim(events, stage.expected));
  return worker;
}
