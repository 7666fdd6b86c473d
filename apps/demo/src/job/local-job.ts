import { type ExitCode, exitCodes } from '@conv/cli';

import { deleteOnRequest, lookFromOutside } from './act-delete.ts';
import { forkAndAsk } from './act-fork.ts';
import { killInsideTool } from './act-kill.ts';
import { renameAndRepeat } from './act-rename.ts';
import { resumeAndFinish } from './act-resume.ts';
import { useSecret } from './act-secret.ts';
import { introduce } from './introduce.ts';
import type { LocalStage } from './local-stage.ts';
import { summarize } from './summary.ts';

/** Plays the job on this machine: the process that runs the agent is killed, and another process continues. */
export async function playLocally(stage: LocalStage): Promise<ExitCode> {
  const startedAt = performance.now();
  introduce(
    stage,
    'An agent does a real job in a copy of this repository. Halfway through, its process is killed. A new process ' +
      'continues and finishes the conversation. The demo then checks everything that the first process acknowledged.',
  );
  const killed = await killInsideTool(stage);
  const worker = await resumeAndFinish(stage, killed);
  await forkAndAsk(stage, worker);
  const state = await deleteOnRequest(stage, await useSecret(stage, worker));
  await lookFromOutside(stage, state, { who: 'the process', unshown: [] });
  await renameAndRepeat(stage);
  const seconds = (performance.now() - startedAt) / 1000;
  const told = { killed, state, seconds, by: 'three processes', diagrams: 'demo-job.md' };
  return (await summarize(stage, told)) ? exitCodes.done : exitCodes.failed;
}
