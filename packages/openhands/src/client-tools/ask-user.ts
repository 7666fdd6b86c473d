import type { StateFields } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import type { ClientToolInput, ClientToolSpec } from '@conv/core/tool';

/** The name of the built-in tool that asks the user. */
export const ASK_USER = 'ask_user';

/**
 * The built-in tool that asks the user, as a conversation takes it: `clientTools: [askUser]`. A call waits until the user answers
 * it, declines, or sends a message, and survives the end of the process: the question is in the log. With it, MCP servers can ask
 * the user too.
 *
 * @example
 * ```ts
 * import { createConversationFactory } from '@conv/core';
 * import { askUser } from '@conv/openhands/client-tools';
 *
 * export const options = { clientTools: [askUser] } satisfies Parameters<ReturnType<typeof createConversationFactory>>[0];
 * ```
 */
export const askUser: ClientToolInput = {
  name: ASK_USER,
  description:
    'Asks the user a question and waits for the answer. Use it when you cannot go on without a decision or a fact that only the user has. Give choices if the answer is one of a few.',
  parameters: {
    type: 'object',
    properties: {
      question: { type: 'string', description: 'The question, in words that need no other context.' },
      choices: {
        type: 'array',
        items: { type: 'string' },
        description: 'Answers to choose from. Default: the user writes the answer.',
      },
      free_text: {
        type: 'boolean',
        description: 'False if only one of the choices is an answer. Default: the user may write another answer.',
      },
      fields: {
        type: 'object',
        description:
          'JSON Schema of an object, for an answer of several fields: strings, numbers, booleans and choices.',
      },
      url: { type: 'string', description: 'An address that the user opens to answer.' },
      from: { type: 'string', description: 'Leave it out: the MCP server that asks.' },
    },
    required: ['question'],
    additionalProperties: false,
  },
  annotations: { title: 'Ask the user', readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  answers: 'caller',
};

/** True for the stored spec of the built-in tool. A tool of a caller with its name and other parameters is not it. */
export function isAskUser({ name, parameters }: Pick<ClientToolSpec, 'name' | 'parameters'>): boolean {
  const { properties } = parameters;
  return name === ASK_USER && isJsonObject(properties) && 'question' in properties && 'free_text' in properties;
}

/** True for a call of the built-in tool: it has no effect, waits for the user, and survives the end of the process. */
export function isQuestion(
  { clientTools }: Pick<StateFields, 'clientTools'>,
  { tool_name: name }: { readonly tool_name: string },
): boolean {
  return name === ASK_USER && clientTools.some(isAskUser);
}
