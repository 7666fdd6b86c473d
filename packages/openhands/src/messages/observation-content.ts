import {
  type ContentPart,
  contentParts,
  imageContent,
  isObservation,
  joinedText,
  type Observation,
  textContent,
} from '@conv/core/events';
import { truncateMiddle } from '@conv/core';

/** Characters of a command's output that the model sees. */
const MAX_TERMINAL_CHARACTERS = 30_000;
/** Characters of a page that the model sees. */
const MAX_BROWSER_CHARACTERS = 50_000;

const ERROR_HEADER = '[An error occurred during execution.]\n';

/** Returns the content that the model sees of an observation, with the additions that the protocol names for its kind. */
export function observationContent(observation: Observation): readonly ContentPart[] {
  const header = observation.is_error === true ? [textContent(ERROR_HEADER)] : [];
  if (isObservation(observation, 'TerminalObservation')) return [...header, terminalText(observation)];
  if (isObservation(observation, 'BrowserObservation')) return [...header, ...browserContent(observation)];
  const content = contentParts(observation);
  if (isObservation(observation, 'TaskObservation')) return [taskHeading(observation), ...header, ...content];
  return [...header, ...content];
}

function terminalText(observation: Extract<Observation, { readonly kind: 'TerminalObservation' }>): ContentPart {
  const { prefix = '', suffix = '', working_dir, py_interpreter_path, exit_code = -1 } = observation.metadata ?? {};
  const lines = [`${prefix}${joinedText(contentParts(observation))}${suffix}`];
  if (working_dir) lines.push(`[Current working directory: ${working_dir}]`);
  if (py_interpreter_path) lines.push(`[Python interpreter: ${py_interpreter_path}]`);
  if (exit_code !== -1) lines.push(`[Command finished with exit code ${exit_code}]`);
  return textContent(truncateMiddle(lines.join('\n'), MAX_TERMINAL_CHARACTERS));
}

function browserContent(
  observation: Extract<Observation, { readonly kind: 'BrowserObservation' }>,
): readonly ContentPart[] {
  const text = truncateMiddle(joinedText(contentParts(observation)), MAX_BROWSER_CHARACTERS);
  const parts = text === '' ? [] : [textContent(text)];
  const screenshot = observation.screenshot_data;
  return screenshot ? [...parts, imageContent(`data:${imageType(screenshot)};base64,${screenshot}`)] : parts;
}

function taskHeading(observation: Extract<Observation, { readonly kind: 'TaskObservation' }>): ContentPart {
  const { task_id, subagent, status } = observation;
  return textContent(`Task ID: ${task_id}\nSubagent: ${subagent}\nStatus: ${status}`);
}

/** The media type that the first bytes of base64 data show; PNG is what the tools produce. */
function imageType(base64: string): string {
  if (base64.startsWith('/9j/')) return 'image/jpeg';
  if (base64.startsWith('R0lGOD')) return 'image/gif';
  return base64.startsWith('UklGR') ? 'image/webp' : 'image/png';
}
