import { type ConversationHistory, type EventsList, isConversationError } from '@conv/core';
import { toCommitSeq, toEventIndex } from '@conv/core/store';
import { readPage } from '../window/read-page.ts';
import { RunReporter, type RunReport } from './run-report.ts';

/** The parts of a conversation that a report is made of. */
export interface ReportSource {
  readonly events: Pick<EventsList, 'length' | 'at' | 'slice'>;
  readonly history: Pick<ConversationHistory, 'at' | 'commits'>;
}

/** A report, and the part of the log that it covers. */
export interface CoveredReport {
  readonly report: RunReport;
  /** The number of the first event. */
  readonly from: number;
  /** False where the server gives no commits, so cost and tokens of single steps are unknown. */
  readonly hasSteps: boolean;
}

/** Events of a read without commits. */
const PAGE = 200;

/** Reads the newest `most` events of a log, commit by commit, into a report. Rejects with `signal.reason`. */
export async function readReport(source: ReportSource, most: number, signal: AbortSignal): Promise<CoveredReport> {
  const from = Math.max(0, source.events.length - most);
  const reporter = new RunReporter();
  try {
    const start = from === 0 ? undefined : (await source.history.at({ event: from })).commit;
    for await (const commit of source.history.commits(start ? { from: toCommitSeq(start.seq) } : {})) {
      signal.throwIfAborted();
      reporter.add(commit);
    }
    return { report: reporter.report, from: start?.firstEvent ?? 0, hasSteps: true };
  } catch (error) {
    if (!isConversationError(error, 'UNSUPPORTED')) throw error;
  }
  for (let at = from; at < source.events.length; at += PAGE) {
    const page = await readPage(source.events, at, at + PAGE);
    signal.throwIfAborted();
    for (const { index, event } of page) reporter.add({ events: [event], firstEvent: toEventIndex(index) });
  }
  return { report: reporter.report, from, hasSteps: false };
}
