import { checks, type Conversation, errorText } from '@conv/core';
import { isObject } from '@conv/core/platform';
import { eventGuards, type Event, type FinishCall, isEvent, type JsonObject } from '@conv/core/events';
import { toolSchemas, type SchemaOutput, type ToolSchema } from '@conv/core/tool';
import { z } from 'zod';
import { omit, parseJson } from '../base/json.ts';
import { AgentError } from '../base/agent-error.ts';

/** Arguments of a finish call that describe the call and are no part of the answer. */
const ABOUT_THE_CALL = ['message', 'summary', 'security_risk'];

/**
 * Returns the answer of an agent with a `responseSchema`: the arguments of the last accepted finish call on the live
 * branch, parsed by `schema`. Also reads conversations that OpenHands held. Resolves `undefined` if there is no answer.
 * Rejects {@link AgentError} `INVALID_RESPONSE` if the answer does not fit, `INVALID_OPTION` if `schema` is no JSON
 * Schema, and as `conversation.events` does.
 *
 * @example
 * ```ts
 * import { responseOf } from '@conv/agent';
 * import type { Conversation } from '@conv/core';
 * import { z } from 'zod';
 *
 * const Verdict = z.object({ approved: z.boolean(), reasons: z.array(z.string()) });
 *
 * export async function isApproved(review: Conversation): Promise<boolean> {
 *   const verdict = await responseOf(review, Verdict);
 *   return verdict?.approved ?? false;
 * }
 * ```
 */
export async function responseOf<Schema extends ToolSchema>(
  conversation: Pick<Conversation, 'events'>,
  schema: Schema,
): Promise<SchemaOutput<Schema> | undefined>;
export async function responseOf(
  conversation: Pick<Conversation, 'events'>,
  schema: JsonObject,
): Promise<JsonObject | undefined>;
export async function responseOf(
  conversation: Pick<Conversation, 'events'>,
  given: ToolSchema | JsonObject,
): Promise<unknown> {
  if (typeof conversation?.events !== 'object')
    throw new TypeError(checks.wrongValue('responseOf: conversation', 'a conversation', conversation));
  const schema = toolSchemas.is(given) ? given : toZod(given);
  const last = acceptedFinish(await conversation.events.branch());
  return last === undefined ? undefined : parseAnswer(last, schema);
}

/** Returns the newest finish call that succeeded and that no Stop hook sent back. */
function acceptedFinish(branch: readonly Event[]): FinishCall | undefined {
  const done = new Set<string>();
  let sentBack = false;
  for (const event of branch.toReversed()) {
    if (isEvent(event, 'HookExecutionEvent')) sentBack ||= event.hook_event_type === 'Stop' && event.blocked === true;
    else if (eventGuards.isFinishResult(event)) done.add(event.action_id);
    else if (eventGuards.isFinishCall(event) && done.has(event.id)) {
      if (!sentBack) return event;
      sentBack = false;
    } else if (isEvent(event, 'MessageEvent') && event.source === 'agent') sentBack = false;
  }
  return undefined;
}

function toZod(schema: JsonObject): z.ZodType {
  try {
    return z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
  } catch (cause) {
    const reason = errorText(cause);
    throw new AgentError('INVALID_OPTION', `the schema of an answer cannot be used: ${reason}`, { cause });
  }
}

function parseAnswer(finish: FinishCall, schema: ToolSchema): unknown {
  const tried = answersIn(finish).map((answer) => toolSchemas.run(schema, answer));
  const fitting = tried.find((result) => result.issues === undefined);
  if (fitting) return fitting.value;
  const [result] = tried;
  const wrong = result?.issues?.map(
    ({ path = [], message }) => `${path.map(nameOf).join('.') || '(answer)'}: ${message}`,
  );
  throw new AgentError(
    'INVALID_RESPONSE',
    `the answer does not fit: ${wrong?.join('; ') ?? 'it is a text'}; ask the agent again`,
    {
      cause: result?.issues,
    },
  );
}

function nameOf(part: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof part === 'object' ? part.key : part);
}

/** Lists the places of the answer: the message, or, if the message is a text for people, the arguments. */
function answersIn({ action: { message }, tool_call }: FinishCall): readonly unknown[] {
  const given = parseJson(tool_call.arguments);
  const args = isObject(given) ? [omit(given, ...ABOUT_THE_CALL), given] : [];
  return [parseJson(message), ...args].filter(isObject);
}
