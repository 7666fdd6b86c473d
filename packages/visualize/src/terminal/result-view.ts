import { isObservation, type ObservationEvent, type ObservationLikeEvent } from '@conv/core/events';
import { fold, foldedLines } from '../text/fold.ts';
import { type Line, span } from '../text/span.ts';
import { contentText, type ResultContent, resultContent } from '../timeline/result-content.ts';
import { quoted, type Row } from './block.ts';
import { taskRows } from './call-view.ts';
import { diffView } from './diff-lines.ts';

/** The view of a tool call's result. */
export interface ResultView {
  readonly outcome: 'ok' | 'failed' | 'rejected';
  readonly parts: readonly Line[];
  readonly rows: readonly Row[];
  /** True if the result adds nothing to its call. */
  readonly redundant: boolean;
}

/** Returns the view of a result; content that its call already showed is left out when `callShown`. */
export function resultView(event: ObservationLikeEvent, callShown: boolean, limit: number): ResultView {
  const content = resultContent(event);
  if (event.kind === 'ObservationEvent') return observationView(event, content, callShown, limit);
  const rows = quoted(foldedLines(content.text, limit));
  if (event.kind === 'UserRejectObservation') {
    const by = content.outcome === 'blocked' ? 'blocked by a hook' : 'rejected by user';
    return { outcome: 'rejected', parts: [[span(by, 'yellow', 'bold')]], rows, redundant: false };
  }
  const parts: Line[] = [[span('error', 'red', 'bold')]];
  if (content.failure !== undefined) parts.push([span(content.failure.replaceAll('_', ' '))]);
  return { outcome: 'failed', parts, rows, redundant: false };
}

function observationView(
  { observation }: ObservationEvent,
  content: ResultContent,
  callShown: boolean,
  limit: number,
): ResultView {
  const { exitCode, outcome, change, tasks, completeOutput } = content;
  const parts: Line[] = [];
  if (observation.is_error === true) parts.push([span('failed', 'red', 'bold')]);
  if (exitCode !== undefined) parts.push([exitCode === 0 ? span('exit 0') : exitNote(exitCode)]);
  const text = quoted(foldedLines(contentText(observation), limit));
  const complete = completeOutput === undefined ? [] : [[span(`complete output in ${completeOutput}`, 'dim')]];
  const rows = [...text, ...quoted(complete)];
  if (outcome === 'failed') return { outcome, parts, rows, redundant: false };
  if (tasks !== undefined) {
    const planned = isObservation(observation, 'TaskTrackerObservation') && observation.command === 'plan';
    return { outcome: 'ok', parts, rows: taskRows(tasks), redundant: planned && callShown };
  }
  if (change !== undefined) {
    const view = diffView(change);
    const isUndo = isObservation(observation, 'FileEditorObservation') && observation.command === 'undo_edit';
    const lines = callShown && !isUndo ? [] : quoted(fold(view.lines, limit));
    return { outcome: 'ok', parts: [...parts, view.counts], rows: lines, redundant: false };
  }
  const saysNothing = isObservation(observation, 'FinishObservation') || isObservation(observation, 'ThinkObservation');
  return { outcome: 'ok', parts, rows, redundant: saysNothing && callShown };
}

function exitNote(exitCode: number): ReturnType<typeof span> {
  return exitCode < 0 ? span('still running', 'yellow') : span(`exit ${exitCode}`, 'red', 'bold');
}
