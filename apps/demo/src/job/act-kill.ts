import { join } from 'node:path';

import { eventGuards, type ActionEvent, isEvent } from '@conv/core/events';

import { allInLog } from './compare-events.ts';
import type { Acknowledged } from './job-worker.ts';
import type { LocalStage } from './local-stage.ts';
import type { Claim } from './narrator.ts';
import { isRunning, until } from './process-life.ts';
import { factsTask } from './task.ts';
import { untilMarked } from './until-marked.ts';

/** Records of a killed process. */
export interface Killed {
  /** The number of its acknowledged events. */
  readonly acknowledged: number;
  /** The call whose tool ran when the process was killed. */
  readonly call: ActionEvent | undefined;
}

/** Starts the job in a process, and kills the process inside a running tool. */
export async function killInsideTool(stage: LocalStage): Promise<Killed> {
  const { narrator } = stage;
  const marker = join(stage.base, 'tool-is-running');
  const worker = stage.start();
  await narrator.act(`A process starts the job (pid ${worker.pid})`);
  await worker.call('open', stage.request('must', 0));
  await worker.call('send', factsTask(marker));
  const toolPid = await untilMarked(worker.call('run'), marker);
  const inTool = toolPid !== undefined && isRunning(toolPid);
  if (inTool) await stage.pauseForPeople(1200);
  await worker.kill();
  narrator.clearLine();
  const call = openCall(worker.acknowledged);
  await narrator.act(`SIGKILL: the process dies in the middle of a command`);
  narrator.claim({
    text: `pid ${worker.pid} was killed while its tool was running; it could not store or clean up anything`,
    holds: inTool && call !== undefined && !isRunning(worker.pid),
    found: inTool ? 'every call had its result' : 'the slow command was not running',
  });
  narrator.claim(allInLog(worker.acknowledged, await stage.storedEvents(), 'it acknowledged'));
  narrator.claim(await endedClaim(toolPid));
  return { acknowledged: worker.acknowledged.length, call };
}

/** The last call without a result, among what the process acknowledged. */
export function openCall(acknowledged: readonly Acknowledged[]): ActionEvent | undefined {
  const events = acknowledged.map(({ event }) => event);
  const answered = new Set(events.filter(eventGuards.isObservationLike).map(({ tool_call_id: id }) => id));
  return events.filter((event) => isEvent(event, 'ActionEvent')).findLast(({ tool_call_id: id }) => !answered.has(id));
}

/** Claims that a tool's process ended with the killed process. */
export async function endedClaim(pid: number | undefined): Promise<Claim> {
  return {
    text: `the command that it started in the terminal has ended, too`,
    holds: pid === undefined || (await until(() => !isRunning(pid), 60_000)),
    found: `pid ${pid} runs`,
  };
}
