import type { JsonObject } from '@conv/core';
import { isObject } from '@conv/core/platform';
import { questionNotes, type CallItem, type Decision } from '@conv/turns';
import { inputRequired, type InputRequest, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/**
 * True if the client of a request can ask its person with a form: it says so, or names no kind of elicitation. Clients of versions before
 * 2026-07-28 say so in sessions alone.
 */
export function canAsk({ mcpReq }: ServerContext): boolean {
  const { [CAPABILITIES]: capabilities } = Object(mcpReq.envelope) as Readonly<Record<string, unknown>>;
  const { elicitation } = Object(capabilities) as Readonly<Record<string, unknown>>;
  return isObject(elicitation) && (elicitation['form'] !== undefined || elicitation['url'] === undefined);
}

/** Returns a function that tells a step of an answer as progress, if the client asked for progress. */
export function progressOf({ mcpReq }: ServerContext): (message: string) => Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return async (message) => {
    if (progressToken === undefined) return;
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: ++progress, message } });
  };
}

const DECISION = z.object({
  approved: z.boolean().describe('True to run the call.'),
  arguments: z
    .string()
    .optional()
    .describe('Other arguments to run it with, as a JSON object. Leave this empty to run the call as it is.'),
});

/** Returns the question about a call that waits for a person. */
export function questionFor(call: CallItem): InputRequest {
  const { tool, summary, input } = call;
  const what = summary === '' ? tool : `${summary} (${tool})`;
  const message = [`Run this call? ${what}`, input, ...questionNotes(call)].join('\n');
  return inputRequired.elicit({ message, requestedSchema: DECISION });
}

/**
 * Returns the arguments of a person; `undefined` without any. Some clients send the object itself, or null for an empty field. Whatever else is no object is refused
 * where decisions are checked.
 */
function editIn(given: unknown): JsonObject | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'string') return given as JsonObject;
  if (given.trim() === '') return undefined;
  try {
    return JSON.parse(given) as JsonObject;
  } catch {
    return given as unknown as JsonObject;
  }
}

/** Returns the decisions in answers to questions. A person who leaves a question decides nothing; nothing but `approved: true` runs a call. */
export function decisionsIn(responses: Readonly<Record<string, unknown>>): readonly Decision[] {
  return Object.entries(responses).flatMap(([actionId, response]): Decision[] => {
    const { action, content } = Object(response) as Readonly<Record<string, unknown>>;
    if (action !== 'accept' && action !== 'decline') return [];
    const decided = Object(content) as Readonly<Record<string, unknown>>;
    if (action === 'decline' || decided['approved'] !== true)
      return [{ actionId, approved: false, reason: 'declined in the client' }];
    return [{ actionId, approved: true, edit: editIn(decided['arguments']) }];
  });
}
