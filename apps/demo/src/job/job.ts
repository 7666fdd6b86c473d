import process from 'node:process';

import { type ExitCode, exitCodes } from '../exit-code.ts';
import { chooseModel } from '../model/choose-model.ts';
import { print } from '../terminal/output.ts';
import { deleteOnRequest } from './act-delete.ts';
import { forkAndAsk } from './act-fork.ts';
import { killInsideTool } from './act-kill.ts';
import { renameAndRepeat } from './act-rename.ts';
import { resumeAndFinish } from './act-resume.ts';
import { useSecret } from './act-secret.ts';
import { jobScript } from './script.ts';
import { Stage } from './stage.ts';
import { summarize } from './summary.ts';

/** Options of the program without a command. */
export interface JobOptions {
  readonly keep?: boolean;
}

/** The scripted job: a real agent in a real folder, killed and resumed. Resolves with `failed` when one claim does not hold. */
export async function jobCommand({ keep = false }: JobOptions): Promise<ExitCode> {
  await using chosen = await chooseModel(jobScript);
  const stopped = Promise.withResolvers<ExitCode>();
  const stop = (): void => stopped.resolve(exitCodes.interrupted);
  // before there is a folder that would be left behind
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const stage = new Stage(chosen);
  try {
    const exitCode = await Promise.race([play(stage), stopped.promise]);
    if (keep) stage.narrator.fact('kept', stage.base);
    if (exitCode !== exitCodes.interrupted) return exitCode;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    await stage.end(keep);
  }
  // an act that was left in the middle may wait for what does not come any more
  process.exit(exitCodes.interrupted);
}

async function play(stage: Stage): Promise<ExitCode> {
  const startedAt = performance.now();
  introduce(stage);
  const killed = await killInsideTool(stage);
  const worker = await resumeAndFinish(stage, killed);
  await forkAndAsk(stage, worker);
  const state = await deleteOnRequest(stage, await useSecret(stage, worker));
  await renameAndRepeat(stage);
  const holds = await summarize(stage, { killed, state, seconds: (performance.now() - startedAt) / 1000 });
  return holds ? exitCodes.done : exitCodes.failed;
}

function introduce({ narrator, chosen: { model, url }, repository, directory }: Stage): void {
  print();
  narrator.say(narrator.strong('conv: durable conversations with AI agents'));
  narrator.say(
    'An agent does a real job in a copy of this repository. Half-way its process is killed. A new process ' +
      'picks the conversation up and finishes, and what the first one had acknowledged is compared from outside.',
  );
  narrator.fact(
    'model',
    url === undefined
      ? model.name
      : `no LLM_MODEL is set, so a script answers, as a real streaming server at ${url}; all else is the real thing`,
  );
  narrator.fact('folder', `${repository}, a copy of this repository`);
  narrator.fact('kept in', directory);
  narrator.say('Lines with this bar are the demo’s own, with what it checked (✓); all others are the conversation.');
}
