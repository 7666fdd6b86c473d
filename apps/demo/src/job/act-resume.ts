import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type ActionEvent, type Event, isAction, isEvent, isObservationLike } from '@conv/core/events';

import { textOf } from '../conversation/event-line.ts';
import type { Killed } from './act-kill.ts';
import type { Claim } from './narrator.ts';
import { type Facts, factsText } from './recount.ts';
import type { Stage } from './stage.ts';
import { FACTS_FILE } from './task.ts';
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

/** Whether the file holds what other code found. */
export function factsClaim(written: string | undefined, expected: Facts): Claim {
  return {
    text: `${FACTS_FILE} holds what other code counted: ${expected.files} files, ${expected.packages.length} packages, ${expected.tests} tests`,
    holds: written?.trim() === factsText(expected).trim(),
    found: JSON.stringify(written ?? 'no file'),
  };
}

/** The file with the facts, if there is one. */
export function readFacts(folder: string): string | undefined {
  const file = join(folder, FACTS_FILE);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Whether the call that was cut off has one result, which says that its outcome is unknown. */
export function recoveryClaim(events: readonly Event[], call: ActionEvent | undefined): Claim {
  const results = events.filter((event) => isObservationLike(event) && event.tool_call_id === call?.tool_call_id);
  const [result] = results;
  const unknown = result !== undefined && isEvent(result, 'AgentErrorEvent') && /interrupted/.test(result.error);
  return {
    text: 'the command that was cut off has one result: interrupted, outcome unknown. It was not repeated behind the model’s back',
    holds: call !== undefined && results.length === 1 && unknown,
    found: `${results.length} results`,
  };
}

/** Whether the pause is on record and the run went on from there. */
export function pauseClaim(events: readonly Event[], atPause: number, endStatus: string): Claim {
  const paused = events[atPause - 1];
  return {
    text: 'the pause is on record, nothing happened during it, and the job was finished behind it',
    holds: paused !== undefined && isEvent(paused, 'PauseEvent') && endStatus === 'finished' && events.length > atPause,
    found: `${paused?.kind ?? 'no event'}, then ${endStatus}`,
  };
}

/** Whether each fact stands in the output of a tool from before the file was written. */
export function sourceClaim(events: readonly Event[], expected: Facts): Claim {
  const writing = events.findIndex(
    (event) => isEvent(event, 'ActionEvent') && isAction(event.action, 'FileEditorAction'),
  );
  const outputs = events.slice(0, Math.max(0, writing)).map(outputOf);
  const facts = [String(expected.files), String(expected.tests), ...expected.packages];
  const missing = facts.filter((fact) => !outputs.some((output) => hasWord(output, fact)));
  return {
    text: 'each fact stands in a tool’s output from before it was written',
    holds: missing.length === 0,
    found: `not in any output: ${missing.join(', ')}`,
  };
}

/** Whether a tool showed the file as it is. */
export function shownClaim(events: readonly Event[], expected: Facts): Claim {
  const shown = events.some((event) => outputOf(event).trim() === factsText(expected).trim());
  return { text: 'the terminal showed the file as it is', holds: shown, found: 'no output equals it' };
}

function outputOf(event: Event): string {
  if (!isEvent(event, 'ObservationEvent')) return '';
  const { content } = event.observation as { readonly content?: unknown };
  return textOf(content).replaceAll('\r\n', '\n');
}

function hasWord(text: string, word: string): boolean {
  return text.split(/[\s,]+/).includes(word);
}
