import type { PendingAction, StateFields } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { questions } from '@conv/openhands/client-tools';
import { plainLine } from '@conv/visualize/text';

type Asked = Pick<StateFields, 'calls' | 'clientTools'> & { readonly pendingActions: readonly PendingAction[] };

/** Hint below the log while the agent, or an MCP server, waits for the user. */
export const ANSWER_HINT = 'Type the answer';

/** Returns the oldest question that waits for the user. */
export function openQuestion({ calls, clientTools, pendingActions }: Asked): PendingAction | undefined {
  if (!clientTools.some(questions.isAskUser)) return undefined;
  return pendingActions.find(({ id, tool_name: name }) => name === questions.TOOL_NAME && calls[id] === 'started');
}

/** Returns the lines that ask a question: who asks, the choices, and each field. */
export function questionLines({ tool_call: { arguments: json } }: PendingAction): readonly string[] {
  const { question, from, choices = [], freeText, fields, url } = questions.read(inputOf(json));
  const { properties = {}, required = [] } = fields ?? {};
  const named = isJsonObject(properties) ? Object.entries(properties) : [];
  const lines = [
    `? ${from === undefined ? 'The agent' : `The MCP server ${from}`} asks: ${question}`,
    ...choices.map((choice) => `  - ${choice}`),
    ...(url === undefined ? [] : [`  open: ${url}`]),
    ...named.map(([name, field]) => `  ${name}${fieldText(field, Array.isArray(required) && required.includes(name))}`),
    ...(fields ? ['  answer with the fields as JSON, or with decline or cancel'] : []),
    ...(url === undefined ? [] : ['  answer accept when you have opened it, or decline or cancel']),
    ...(choices.length > 0 && freeText ? ['  or write another answer'] : []),
  ];
  return lines.map((line) => plainLine(line));
}

function fieldText(field: unknown, isRequired: boolean): string {
  const { type, title, description } = isJsonObject(field) ? field : {};
  const about = [type, title, description, isRequired ? 'required' : undefined].filter(
    (part) => typeof part === 'string',
  );
  return about.length > 0 ? `: ${about.join(', ')}` : '';
}

function inputOf(json: string): Parameters<typeof questions.read>[0] {
  try {
    const input: unknown = JSON.parse(json);
    return isJsonObject(input) ? input : {};
  } catch {
    return {};
  }
}
