import { type ExitCode, exitCodes } from '@conv/cli';

import { forkAndAsk } from '../act-fork.ts';
import { useSecret } from '../act-secret.ts';
import { introduce } from '../introduce.ts';
import { summarize } from '../summary.ts';
import { cutConnection } from './act-cut.ts';
import { deleteAndCompare } from './act-end.ts';
import { killServerInsideTool, restartAndFinish } from './act-kill-server.ts';
import type { RemoteStage } from './remote-stage.ts';

/** Plays the job on a server: the connection is cut, the server is killed and restarted, and the client continues. */
export async function playRemotely(stage: RemoteStage): Promise<ExitCode> {
  const startedAt = performance.now();
  introduce(
    stage,
    'An agent on an agent server does a real job in a copy of this repository, and a client follows it. The connection is cut, the ' +
      'server is killed and restarted, and the client continues the same conversation. The demo then compares the events that the ' +
      'client received with the server’s answers and with its files.',
  );
  const begun = await cutConnection(stage);
  const killed = await killServerInsideTool(stage, begun);
  await restartAndFinish(stage, begun, killed);
  await forkAndAsk(stage, begun.client);
  const state = await deleteAndCompare(stage, await useSecret(stage, begun.client));
  const seconds = (performance.now() - startedAt) / 1000;
  const told = { killed, state, seconds, by: 'three server processes', diagrams: 'demo-job-remote.md' };
  return (await summarize(stage, told)) ? exitCodes.done : exitCodes.failed;
}
