import type { PendingAction, StateFields } from '@conv/core';
import { questions } from '@conv/openhands/client-tools';
import { plainLine } from '@conv/visualize/text';

type Asked = Pick<StateFields, 'calls' | 'clientTools'> & { readonly pendingActions: readonly PendingAction[] };

/** Hint below the log while the agent, or an MCP server, waits for the user. */
export const ANSWER_HINT = 'Type the answer';

/** Returns the oldest question that waits for the user. */
export function openQuestion(state: Asked): PendingAction | undefined {
  return state.pendingActions.find((call) => state.calls[call.id] === 'started' && questions.isQuestion(state, call));
}

/** Returns the lines that ask a question: who asks, the choices, and each field with what it takes. */
export function questionLines(action: PendingAction): readonly string[] {
  const { question, from, choices = [], freeText, fields, url } = questions.read(action);
  const lines = [
    `? ${from === undefined ? 'The agent' : `The MCP server ${from}`} asks: ${question}`,
    ...choices.map((choice) => `  - ${choice}`),
    ...(url === undefined ? [] : [`  open: ${url}`]),
    ...(fields ? questions.fieldsOf(fields).flatMap(fieldLines) : []),
    ...(fields ? ['  answer with the fields as JSON, or with decline or cancel'] : []),
    ...(url === undefined ? [] : ['  answer accept when you have opened it, or decline or cancel']),
    ...(choices.length > 0 && freeText ? ['  or write another answer'] : []),
  ];
  return lines.map((line) => plainLine(line));
}

function fieldLines(field: questions.QuestionField): readonly string[] {
  const { name, type, label, description, choices, isRequired, limits, format } = field;
  const isMany = type === 'choices';
  const kind = choices.length === 0 ? (isMany ? 'list' : type) : isMany ? 'any of these' : 'one of these';
  const about = [
    kind,
    label === name ? '' : label,
    description ?? '',
    format ?? '',
    ...Object.entries(limits).map(([limit, value]) => `${limit} ${value}`),
    isRequired ? 'required' : '',
    'default' in field ? `${JSON.stringify(field.default)} if you leave it out` : '',
  ];
  return [
    `  ${name}: ${about.filter((part) => part !== '').join(', ')}`,
    ...choices.map(([value, text]) => `    - ${value}${text === value ? '' : ` (${text})`}`),
  ];
}
