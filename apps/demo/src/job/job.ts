import process from 'node:process';

import { type ExitCode, exitCodes } from '@conv/cli';
import type { Script } from '@conv/testing-model-server';

import { chooseModel } from '../model/choose-model.ts';
import { playLocally } from './local-job.ts';
import { LocalStage } from './local-stage.ts';
import { playRemotely } from './remote/remote-job.ts';
import { RemoteStage } from './remote/remote-stage.ts';
import type { Stage } from './stage.ts';

/** Options of the program without a command. */
export interface JobOptions {
  readonly keep?: boolean;
  /** On an agent server that is started for it. */
  readonly remote?: boolean;
}

/** The scripted job: a real agent in a real folder, killed and resumed. Resolves with `failed` when one claim does not hold. */
export async function jobCommand({ keep = false, remote = false }: JobOptions): Promise<ExitCode> {
  await using chosen = await chooseModel(() => scriptOf(remote));
  return remote
    ? await perform(() => new RemoteStage(chosen), playRemotely, keep)
    : await perform(() => new LocalStage(chosen), playLocally, keep);
}

async function scriptOf(remote: boolean): Promise<Script> {
  const { jobScript, unhurriedScript } = await import('./script.ts');
  return remote ? unhurriedScript : jobScript;
}

async function perform<Place extends Stage>(
  build: () => Place,
  play: (stage: Place) => Promise<ExitCode>,
  keep: boolean,
): Promise<ExitCode> {
  const stopped = Promise.withResolvers<ExitCode>();
  const stop = (): void => stopped.resolve(exitCodes.interrupted);
  // before there is a folder that would be left behind
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const stage = build();
  try {
    const exitCode = await Promise.race([play(stage), stopped.promise]);
    if (keep) stage.narrator.fact('kept', stage.base);
    if (exitCode !== exitCodes.interrupted) return exitCode;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    await stage.end(keep);
  }
  // an interrupted act may wait for an event that never comes
  process.exit(exitCodes.interrupted);
}
