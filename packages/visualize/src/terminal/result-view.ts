import {
  contentParts,
  isObservation,
  isText,
  type Observation,
  type ObservationEvent,
  type EventOfKind,
} from '@conv/core/events';
import { fold, foldedLines } from '../text/fold.ts';
import { type Line, span } from '../text/span.ts';
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

/** Returns the view of an observation; content that its call already showed is left out when `callShown`. */
export function observationView({ observation }: ObservationEvent, callShown: boolean, limit: number): ResultView {
  const exitCode = exitCodeOf(observation);
  const failed = observation.is_error === true || (exitCode !== undefined && exitCode > 0);
  const parts: Line[] = [];
  if (observation.is_error === true) parts.push([span('failed', 'red', 'bold')]);
  if (exitCode !== undefined) parts.push([exitCode === 0 ? span('exit 0') : exitNote(exitCode)]);
  if (failed) return { outcome: 'failed', parts, rows: contentRows(observation, limit), redundant: false };
  return { outcome: 'ok', ...successView(observation, callShown, parts, limit) };
}

export function rejectionView(event: EventOfKind<'UserRejectObservation'>, limit: number): ResultView {
  const by = event.rejection_source === 'hook' ? 'blocked by a hook' : 'rejected by user';
  const rows = quoted(foldedLines(event.rejection_reason ?? '', limit));
  return { outcome: 'rejected', parts: [[span(by, 'yellow', 'bold')]], rows, redundant: false };
}

/** Returns the view of a call's failure outside its tool. */
export function errorView(event: EventOfKind<'AgentErrorEvent'>, limit: number): ResultView {
  const kind = event.classification?.kind ?? 'unknown';
  const parts: Line[] = [[span('error', 'red', 'bold')]];
  if (kind !== 'unknown') parts.push([span(kind.replaceAll('_', ' '))]);
  return { outcome: 'failed', parts, rows: quoted(foldedLines(event.error, limit)), redundant: false };
}

/** The text of content, with a word in the place of each image. */
export function contentText(owner: Parameters<typeof contentParts>[0]): string {
  return contentParts(owner)
    .map((part) => (isText(part) ? part.text : part.image_urls.map(() => '[image]').join(' ')))
    .join('\n');
}

function successView(
  observation: Observation,
  callShown: boolean,
  parts: readonly Line[],
  limit: number,
): Omit<ResultView, 'outcome'> {
  if (isObservation(observation, 'FinishObservation') || isObservation(observation, 'ThinkObservation')) {
    return { parts, rows: contentRows(observation, limit), redundant: callShown };
  }
  if (isObservation(observation, 'TaskTrackerObservation')) {
    const planned = observation.command === 'plan' && callShown;
    return { parts, rows: taskRows(observation.task_list ?? []), redundant: planned };
  }
  if (isObservation(observation, 'FileEditorObservation') && observation.command !== 'view') {
    const before = observation.old_content ?? (observation.prev_exist === false ? '' : undefined);
    const after = observation.new_content ?? undefined;
    if (before !== undefined && after !== undefined) {
      const view = diffView({ before, after, whole: true });
      const shown = callShown && observation.command !== 'undo_edit';
      return { parts: [...parts, view.counts], rows: shown ? [] : quoted(fold(view.lines, limit)), redundant: false };
    }
  }
  return { parts, rows: contentRows(observation, limit), redundant: false };
}

function contentRows(observation: Observation, limit: number): Row[] {
  const rows = quoted(foldedLines(contentText(observation), limit));
  const kept = 'full_output_save_dir' in observation ? observation.full_output_save_dir : undefined;
  return typeof kept === 'string' ? [...rows, ...quoted([[span(`complete output in ${kept}`, 'dim')]])] : rows;
}

function exitCodeOf(observation: Observation): number | undefined {
  return isObservation(observation, 'TerminalObservation') ? (observation.exit_code ?? undefined) : undefined;
}

function exitNote(exitCode: number): ReturnType<typeof span> {
  return exitCode < 0 ? span('still running', 'yellow') : span(`exit ${exitCode}`, 'red', 'bold');
}
