import { contentParts, isObservation, isText, type Observation, type ObservationLikeEvent } from '@conv/core/events';
import { type FileChange, type TaskItem, taskItems } from './call-content.ts';

/** The outcome of a call. `going`: the command still runs. */
export type CallOutcome = 'ok' | 'going' | 'failed' | 'rejected' | 'blocked' | 'error';

/** The result of a call. */
export interface ResultContent {
  readonly outcome: CallOutcome;
  /** The text that the model reads, or the reason of the rejection or the failure. */
  readonly text: string;
  /** URLs of images: `https:` and `data:`, as they are stored. */
  readonly images: readonly string[];
  /** The exit code of a command; -1 while it runs. */
  readonly exitCode?: number;
  /** The class of a failure outside the tool, such as `context_window_exceeded`. */
  readonly failure?: string;
  /** The change of a file, whole. */
  readonly change?: FileChange;
  readonly tasks?: readonly TaskItem[];
  /** The folder with the complete output, when the model got only a part of it. */
  readonly completeOutput?: string;
  /** The id of the child conversation that worked on it. */
  readonly child?: string;
}

/** Returns the result of a call, whatever kind of event tells it. */
export function resultContent(event: ObservationLikeEvent): ResultContent {
  if (event.kind === 'UserRejectObservation') {
    const outcome = event.rejection_source === 'hook' ? 'blocked' : 'rejected';
    return { outcome, text: event.rejection_reason ?? '', images: [] };
  }
  if (event.kind === 'AgentErrorEvent') {
    const { kind = 'unknown' } = event.classification ?? {};
    return { outcome: 'error', text: event.error, images: [], ...(kind === 'unknown' ? {} : { failure: kind }) };
  }
  return observationContent(event.observation);
}

/** Returns the text of content, with a word in the place of each image. */
export function contentText(owner: Parameters<typeof contentParts>[0]): string {
  return contentParts(owner)
    .map((part) => (isText(part) ? part.text : part.image_urls.map(() => '[image]').join(' ')))
    .join('\n');
}

/** Returns text and images of content apart. */
export function contentOf(owner: Parameters<typeof contentParts>[0]): {
  readonly text: string;
  readonly images: readonly string[];
} {
  const parts = contentParts(owner);
  return {
    text: parts.flatMap((part) => (isText(part) ? [part.text] : [])).join('\n'),
    images: parts.flatMap((part) => (isText(part) ? [] : part.image_urls)),
  };
}

function observationContent(observation: Observation): ResultContent {
  const { text, images } = contentOf(observation);
  const exitCode = isObservation(observation, 'TerminalObservation') ? observation.exit_code : undefined;
  const folder = 'full_output_save_dir' in observation ? observation.full_output_save_dir : undefined;
  return {
    outcome: outcomeOf(observation.is_error === true, exitCode),
    text,
    images: [...images, ...screenshotOf(observation)],
    ...(typeof exitCode === 'number' ? { exitCode } : {}),
    ...(typeof folder === 'string' ? { completeOutput: folder } : {}),
    ...fileChange(observation),
    ...(isObservation(observation, 'TaskTrackerObservation') ? { tasks: taskItems(observation.task_list) } : {}),
    ...(isObservation(observation, 'TaskObservation') ? { child: observation.task_id } : {}),
  };
}

function outcomeOf(failed: boolean, exitCode: number | null | undefined): CallOutcome {
  if (failed) return 'failed';
  if (typeof exitCode !== 'number' || exitCode === 0) return 'ok';
  return exitCode < 0 ? 'going' : 'failed';
}

function screenshotOf(observation: Observation): readonly string[] {
  if (!isObservation(observation, 'BrowserObservation')) return [];
  const { screenshot_data: data } = observation;
  return typeof data === 'string' && data !== '' ? [`data:image/png;base64,${data}`] : [];
}

function fileChange(observation: Observation): { readonly change?: FileChange } {
  if (!isObservation(observation, 'FileEditorObservation') || observation.command === 'view') return {};
  const before = observation.old_content ?? (observation.prev_exist === false ? '' : undefined);
  const after = observation.new_content ?? undefined;
  return before === undefined || after === undefined ? {} : { change: { before, after, whole: true } };
}
