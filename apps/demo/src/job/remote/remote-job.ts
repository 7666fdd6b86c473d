import { type ExitCode, exitCodes } from '../../exit-code.ts';
import { forkAndAsk } from '../act-fork.ts';
import { useSecret } from '../act-secret.ts';
import { introduce } from '../introduce.ts';
import { summarize } from '../summary.ts';
import { cutConnection } from './act-cut.ts';
import { deleteAndCompare } from './act-end.ts';
import { killServerInsideTool, restartAndFinish } from './act-kill-server.ts';
import type { RemoteStage } from './remote-stage.ts';

/** The job on a server: the connection is cut, the server is killed and started anew, the client goes on. */
export async function playRemotely(stage: RemoteStage): Promise<ExitCode> {
  const startedAt = performance.now();
  introduce(
    stage,
    'An agent does a real job in a copy of this repository, on an agent server; a client follows it. The connection is cut, the ' +
      'server is killed and started anew, and the client goes on with the same conversation. What it was given is compared ' +
      'with what the server shows and with what it leaves behind.',
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
