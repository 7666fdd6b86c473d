import { crc32 } from 'node:zlib';
import { contentParts, isObservation, isText, type ActionEvent, type ObservationLikeEvent } from '@conv/core/events';
import { canonicalJson } from './canonical-json.ts';
import type { CallStep } from './step.ts';
import { withoutVolatile } from './volatile-text.ts';

type Observation = Extract<ObservationLikeEvent, { readonly kind: 'ObservationEvent' }>['observation'];

/** A result as far as it can be compared. */
export interface ResultPrint {
  readonly result: string;
  /** The whole result, with the volatile parts that `result` leaves out. */
  readonly exact: string;
  readonly outcome: CallStep['outcome'];
}

/**
 * Returns a text that is equal for calls of the same tool with the same arguments, whatever the model thought, and in
 * whatever order it wrote them.
 */
export function callPrint(event: ActionEvent): string {
  const { action } = event;
  const told = action === undefined || action === null ? writtenArguments(event.tool_call.arguments) : action;
  return printOf(`${event.tool_name}\n${canonicalJson(told)}`);
}

/** Equal for results that tell a model the same. */
export function resultPrint(event: ObservationLikeEvent): ResultPrint {
  switch (event.kind) {
    case 'AgentErrorEvent':
      return { ...prints('error', event.error), outcome: 'failed' };
    case 'UserRejectObservation': {
      const { rejection_source = 'user', rejection_reason = '' } = event;
      return { ...prints(`reject\n${rejection_source}`, rejection_reason), outcome: 'rejected' };
    }
    case 'ObservationEvent': {
      const { observation } = event;
      const outcome = observation.is_error === true ? 'failed' : 'done';
      const pictures = images(observation);
      return { ...prints(`${observation.kind}\n${outcome}\n${pictures}`, shown(observation, pictures)), outcome };
    }
  }
}

/** Returns the arguments that a model wrote for a call that cannot be executed, without its remarks about the call. */
function writtenArguments(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return parsed;
    const { summary: _summary, security_risk: _risk, ...rest } = parsed as Record<string, unknown>;
    return rest;
  } catch {
    return text;
  }
}

/** Returns the prints of a text with and without its volatile parts. */
function prints(kind: string, text: string): Pick<ResultPrint, 'result' | 'exact'> {
  const stable = withoutVolatile(text);
  const result = printOf(`${kind}\n${stable}`);
  return { result, exact: stable === text ? result : `${result} ${crc32(text)}` };
}

/** The text that a model sees of an observation. */
function shown(observation: Observation, pictures: string): string {
  let text = '';
  for (const part of contentParts(observation)) if (isText(part)) text += `${part.text}\n`;
  return `${text}${besides(observation, text === '' && pictures === '')}`;
}

/** Returns the images of an observation as they are, because image data cannot contain volatile words. */
function images(observation: Observation): string {
  let urls = '';
  for (const part of contentParts(observation)) if (!isText(part)) urls += `${part.image_urls.join('\n')}\n`;
  return `${urls}${screenshot(observation)}`;
}

/** Returns the text that is shown beside the content: the end of a command, and the fields of a kind that shows nothing else. */
function besides(observation: Observation, empty: boolean): string {
  if (isObservation(observation, 'TerminalObservation')) {
    const { exit_code, metadata } = observation;
    return `${exit_code ?? metadata?.exit_code ?? ''}\n${metadata?.working_dir ?? ''}`;
  }
  if (isObservation(observation, 'TaskObservation')) return `${observation.subagent}\n${observation.status}`;
  if (isObservation(observation, 'BrowserObservation')) return '';
  return empty ? canonicalJson(observation) : '';
}

function screenshot(observation: Observation): string {
  return isObservation(observation, 'BrowserObservation') ? (observation.screenshot_data ?? '') : '';
}

/** Returns a short text that is equal for equal texts, and for different texts of one length by a chance of 1 in 2^32 (decision 174). */
function printOf(text: string): string {
  return `${text.length}.${crc32(text)}`;
}
