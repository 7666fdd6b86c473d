import { isEvent } from '@conv/core/events';
import { messageText, type Findings, type LogImage } from '@conv/testing-harness';

import type { Counter } from '../counters.ts';
import { doneMessage, type Job } from '../model/job.ts';

/** Checks that a log is whole: numbered without a gap, by owners that follow each other, each event once. */
export function checkLog(name: string, { commits, events }: LogImage, findings: Findings<Counter>): void {
  let [event, epoch] = [0, 0];
  for (const [seq, { commit }] of commits.entries()) {
    const what = `commit ${commit.seq} of ${name}`;
    if (commit.seq !== seq) findings.add('missing', `${what} stands where ${seq} should`);
    if (commit.firstEvent !== event)
      findings.add('missing', `${what} begins with event ${commit.firstEvent}, not ${event}`);
    if (commit.epoch < epoch) findings.add('misordered', `${what} was made by owner ${commit.epoch} after ${epoch}`);
    event = commit.firstEvent + commit.events.length;
    epoch = Math.max(epoch, commit.epoch);
  }
  const ids = new Set<string>();
  for (const { id, kind } of events) {
    if (ids.has(id)) findings.add('duplicated', `event ${id} (${kind}) of ${name} is there twice`);
    ids.add(id);
  }
}

/** Checks that a conversation has ended, and that every job of it was answered. */
export function checkFinished(
  name: string,
  { commits, events }: LogImage,
  jobs: readonly Job[],
  findings: Findings<Counter>,
): void {
  const status = commits.at(-1)?.after.executionStatus;
  if (status !== 'finished') findings.add('unfinished', `${name} is ${status}`);
  const said = events.flatMap((event) =>
    isEvent(event, 'MessageEvent') && event.source === 'agent' ? [messageText(event)] : [],
  );
  for (const job of jobs)
    if (!said.some((text) => text.includes(doneMessage(job))))
      findings.add('unfinished', `job ${job.name} has no answer`);
}
