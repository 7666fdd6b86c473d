import { type ActionEvent, isText } from '@conv/core/events';
import { isJsonObject } from '@conv/core/platform';
import { type JsonObject, text, ToolError, type ToolResult } from '@conv/core/tool';
import { fromObjectSchema } from './object-schema.ts';
import { propertiesOf, withDefaults } from './question-fields.ts';

/** A question to the user: the arguments of a call of `ask_user`. */
export interface Question {
  readonly question: string;
  readonly choices?: readonly string[];
  readonly freeText: boolean;
  /** JSON Schema of the wanted fields. */
  readonly fields?: JsonObject;
  readonly url?: string;
  readonly from?: string;
}

/** The answer to a question of an MCP server. */
export interface FieldsAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: JsonObject;
}

/** Returns the question of a call, whose arguments may be those of another version. */
export function readQuestion({ tool_call: { arguments: json } }: Pick<ActionEvent, 'tool_call'>): Question {
  const input = parsed(json) ?? {};
  const { question, choices, fields, url, from } = input;
  return {
    question: typeof question === 'string' ? question : '',
    freeText: input['free_text'] !== false,
    ...(Array.isArray(choices) ? { choices: choices.filter((choice) => typeof choice === 'string') } : {}),
    ...(isJsonObject(fields) ? { fields } : {}),
    ...(typeof url === 'string' ? { url } : {}),
    ...(typeof from === 'string' ? { from } : {}),
  };
}

/**
 * Checks an answer to a question and returns the result of its call. A failed answer declines, with its text as the reason. For
 * fields the text is JSON: the fields, or `{ action, content }` with `accept`, `decline` or `cancel`. A field that the answer leaves
 * out has its default in the result, so that the log has all that the asker gets. Throws `ToolError` `INVALID_INPUT` that says what
 * was expected; its cause names the wrong fields.
 */
export function answerTo(question: Question, { content, isError = false }: ToolResult): ToolResult {
  const said = content
    .filter(isText)
    .map((part) => part.text)
    .join('\n')
    .trim();
  if (question.fields !== undefined || question.url !== undefined) {
    const answer: FieldsAnswer = isError ? { action: 'decline' } : fieldsAnswer(question, said);
    return { content: text(JSON.stringify(answer)), isError: false };
  }
  if (isError) return { content: text(said === '' ? 'The user declined to answer.' : `Declined: ${said}`), isError };
  const { choices = [], freeText } = question;
  if (choices.length > 0 && !freeText && !choices.includes(said))
    throw invalid(`one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`, said);
  if (said === '' && content.length === 0) throw invalid('a text', said);
  return { content, isError };
}

function fieldsAnswer({ fields }: Question, said: string): FieldsAnswer {
  if (said === 'decline' || said === 'cancel') return { action: said };
  const given = parsed(said);
  if (!fields) return { action: actionOf(given) ?? 'accept' };
  const only = onlyText(fields);
  const answer = given ?? (only === undefined ? undefined : { [only]: said });
  if (!answer) throw invalid(`JSON with the fields ${Object.keys(propertiesOf(fields)).join(', ')}`, said);
  const action = actionOf(answer);
  if (action === 'decline' || action === 'cancel') return { action };
  const values = action === 'accept' && isJsonObject(answer['content']) ? answer['content'] : answer;
  const read = fromObjectSchema(fields).safeParse(withDefaults(fields, values));
  if (read.success) return { action: 'accept', content: read.data as JsonObject };
  const wrong = read.error.issues.map(({ path, message }) => `${path.join('.') || 'the fields'}: ${message}`);
  throw new ToolError('INVALID_INPUT', `answer: ${wrong.join('; ')}`, { cause: read.error });
}

/** Returns the action of `{ action, content }`; `undefined` for the fields themselves. */
function actionOf(answer: JsonObject | undefined): FieldsAnswer['action'] | undefined {
  const names = Object.keys(answer ?? {}).filter((name) => name !== 'action' && name !== 'content');
  const action = answer?.['action'];
  if (names.length > 0) return undefined;
  return action === 'accept' || action === 'decline' || action === 'cancel' ? action : undefined;
}

/** Returns the name of the field, if a text alone is wanted. */
function onlyText(fields: JsonObject): string | undefined {
  const [only, ...others] = Object.entries(propertiesOf(fields));
  return only && others.length === 0 && isJsonObject(only[1]) && only[1]['type'] === 'string' ? only[0] : undefined;
}

function parsed(said: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(said);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function invalid(expected: string, found: string): ToolError {
  return new ToolError('INVALID_INPUT', `answer: expected ${expected}, found ${JSON.stringify(found.slice(0, 200))}`);
}
