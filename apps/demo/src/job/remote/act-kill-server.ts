import { endedClaim, type Killed, openCall } from '../act-kill.ts';
import { finishBehindPause } from '../act-resume.ts';
import { allInLog } from '../compare-events.ts';
import { isRunning, until } from '../process-life.ts';
import { untilMarked } from '../until-marked.ts';
import type { Begun } from './act-cut.ts';
import { returnClaim } from './remote-claims.ts';
import type { RemoteStage } from './remote-stage.ts';

/** Milliseconds within which stored events must reach the client. */
const DELIVERY = 30_000;

/** The server is killed in the middle of a running tool. */
export async function killServerInsideTool(stage: RemoteStage, { client, running, marker }: Begun): Promise<Killed> {
  const { narrator, server } = stage;
  const toolPid = await untilMarked(running, marker);
  const inTool = toolPid !== undefined && isRunning(toolPid);
  const { length } = await stage.storedEvents();
  await until(() => client.acknowledged.length >= length, DELIVERY);
  if (inTool) await stage.pauseForPeople(1200);
  await server.kill();
  narrator.clearLine();
  const call = openCall(client.acknowledged);
  const acknowledged = client.acknowledged.length;
  await narrator.act(`SIGKILL: the server dies in the middle of a command`);
  narrator.claim({
    text: `pid ${server.pid} was killed while its tool was running; it could not store or clean up anything`,
    holds: inTool && call !== undefined && !isRunning(server.pid),
    found: inTool ? 'every call had its result' : 'the slow command was not running',
  });
  narrator.claim(allInLog(client.acknowledged, await stage.storedEvents(), 'the client received'));
  narrator.claim(await endedClaim(toolPid));
  return { acknowledged, call };
}

/** Starts a new server on the folder. The client, which only waited, continues with it. */
export async function restartAndFinish(stage: RemoteStage, begun: Begun, killed: Killed): Promise<void> {
  const { narrator } = stage;
  const server = await stage.serve();
  await narrator.act(`A new server opens the same folder (pid ${server.pid}); the client only waits`);
  narrator.say(
    'It finds a call without a result. It neither guesses nor repeats the call, but tells the model, and the run continues.',
  );
  const { status } = await begun.running;
  narrator.claim(returnClaim(status));
  await finishBehindPause(stage, begun.client, killed, status);
}
