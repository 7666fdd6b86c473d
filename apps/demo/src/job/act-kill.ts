import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type ActionEvent, isEvent, isObservationLike } from '@conv/core/events';

import { allInLog } from './compare-events.ts';
import { isRunning, until } from './process-life.ts';
import type { Stage } from './stage.ts';
import { factsTask } from './task.ts';
import type { WorkerProcess } from './worker-process.ts';

/** Milliseconds for a model to get to the third command. */
const PATIENCE = 300_000;

/** What the first process left behind. */
export interface Killed {
  readonly worker: WorkerProcess;
  /** The call whose tool ran when the process was killed. */
  readonly call: ActionEvent | undefined;
}

/** A process starts the job and is killed in the middle, inside a running tool. */
export async function killInsideTool(stage: Stage): Promise<Killed> {
  const { narrator } = stage;
  const marker = join(stage.base, 'tool-is-running');
  const worker = stage.start();
  await narrator.act(1, `A process starts the job (pid ${worker.pid})`);
  await worker.call('open', {
    id: stage.id,
    directory: stage.directory,
    workspace: stage.repository,
    create: 'must',
    from: 0,
  });
  await worker.call('send', factsTask(marker));
  const toolPid = await runUntilMarked(worker, marker);
  const inTool = toolPid !== undefined && isRunning(toolPid);
  if (inTool) await stage.pauseForPeople(1200);
  await worker.kill();
  narrator.clearLine();
  const call = openCall(worker);
  await narrator.act(2, `SIGKILL: the process is gone, in the middle of a command`);
  narrator.claim({
    text: `pid ${worker.pid} was killed while its tool was running; it had no chance to store or to tidy up`,
    holds: inTool && call !== undefined && !isRunning(worker.pid),
    found: inTool ? 'every call had its result' : 'the slow command was not running',
  });
  narrator.claim(allInLog(worker.acknowledged, await stage.storedEvents(), 'it'));
  const toolEnded = toolPid === undefined || (await until(() => !isRunning(toolPid), 5000));
  narrator.claim({
    text: `what it had started in the terminal has ended too`,
    holds: toolEnded,
    found: `pid ${toolPid} runs`,
  });
  return { worker, call };
}

/** Runs until the slow command says that it runs; resolves with the pid of its shell, or undefined when the run ends before. */
async function runUntilMarked(worker: WorkerProcess, marker: string): Promise<number | undefined> {
  let ended = false;
  const run = worker.call('run').finally(() => (ended = true));
  // a run that fails on its own is told at once; that it is cut off by the kill is the point of it
  const failed = run.then(
    () => undefined,
    (error: unknown) => error,
  );
  await until(() => ended || (existsSync(marker) && readFileSync(marker, 'utf8').trim() !== ''), PATIENCE);
  if (!ended) return Number(readFileSync(marker, 'utf8'));
  const error = await failed;
  if (error !== undefined) throw error;
  return undefined;
}

/** The last call without a result, among what the process acknowledged. */
function openCall({ acknowledged }: WorkerProcess): ActionEvent | undefined {
  const events = acknowledged.map(({ event }) => event);
  const answered = new Set(events.filter(isObservationLike).map(({ tool_call_id: id }) => id));
  return events.filter((event) => isEvent(event, 'ActionEvent')).findLast(({ tool_call_id: id }) => !answered.has(id));
}
