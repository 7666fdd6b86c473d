import { isConversationError, type ConversationError } from '@conv/core';
import { turnBehind } from '@conv/turns';
import {
  createMcpHandler as createServing,
  inputRequired,
  McpServer,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

import { Answers, followed, resultOf, waitingIn, type Answer } from './answers.ts';
import { checkOptions, type McpHandlerOptions } from './handler-options.ts';
import { canAsk, decisionsIn, progressOf, questionFor } from './client-side.ts';

const RESULT = z.object({
  conversation: z.string(),
  task: z.string(),
  status: z.string(),
  answer: z.string().describe('The texts of the agent so far, with an empty line between two of them.'),
  error: z.string().optional().describe('The code and the detail of the error that the run ended with.'),
  decisions: z
    .array(z.object({ call: z.string(), tool: z.string(), by: z.string() }))
    .optional()
    .describe('Who approved or rejected calls, as far as it is known.'),
});
const TASK = z.object({ task: z.string().describe('The id of the task, from a result or a progress notification.') });

/**
 * Returns a handler for clients of the Model Context Protocol over streamable HTTP, from a web `Request` to a web `Response`. It serves
 * 2026-07-28, and earlier versions without sessions. Its tools are:
 *
 * - `converse` sends a message and waits for the answer. Its steps are progress; calls that wait for a person are asked about, by an
 *   elicitation, if the client has them. With a UUID as `id` a repeated call is answered again, and runs nothing again.
 * - `read_answer` waits for the answer of a task, which is a place in the log, so that it is there after a restart.
 * - `stop_answer` stops the run of a task, and rejects its calls that wait for a person.
 *
 * A client that leaves stops no run.
 */
export function createMcpHandler(options: McpHandlerOptions): (request: Request) => Promise<Response> {
  checkOptions(options);
  const serving = createServing(({ requestInfo }) => serverFor(options, requestInfo), {
    onerror: (error) => options.onError?.(error),
  });
  return (request) => serving.fetch(request);
}

function serverFor(options: McpHandlerOptions, request: Request | undefined): McpServer {
  const { name = 'conv', version = 'unknown' } = options;
  const { description = 'Sends a message to an agent, and waits for its answer.' } = options;
  const answers = new Answers(options, request);
  const told = <Result>({ mcpReq }: ServerContext, work: () => Promise<Result>): Promise<Result | CallToolResult> =>
    named(work, mcpReq.signal, options.onError);
  const server = new McpServer({ name, version });
  const input = z.object({
    message: z.string().describe('What the agent is to do or to answer.'),
    conversation: z.string().optional().describe('The conversation to go on with. Default: a new one.'),
    id: z
      .string()
      .optional()
      .describe('A new UUID for this message. A repetition with the same UUID runs nothing again.'),
  });
  server.registerTool('converse', { description, inputSchema: input, outputSchema: RESULT }, (given, context) =>
    told(context, async () => {
      const asked = context.mcpReq.requestState<string>();
      return settled(answers, asked === undefined ? await answers.begin(given) : await answers.find(asked), context);
    }),
  );
  const read = 'Waits for the answer of a task, also after a restart of the client or of the server.';
  server.registerTool(
    'read_answer',
    { description: read, inputSchema: TASK, outputSchema: RESULT },
    ({ task }, context) => told(context, async () => settled(answers, await answers.find(task), context)),
  );
  server.registerTool(
    'stop_answer',
    {
      description: 'Stops the run of a task, and rejects its calls that wait for a person.',
      inputSchema: TASK,
      outputSchema: RESULT,
    },
    ({ task }, context) =>
      told(context, async () => {
        const answer = await answers.stop(task);
        return resultOf(answer, await turnBehind(answer.conversation, answer.event));
      }),
  );
  return server;
}

/**
 * Waits until an answer rests. Resolves with its result, or with questions about calls that wait for a person: the client calls
 * again with the answers, and the state that it carries is the task.
 */
async function settled(
  answers: Answers,
  begun: Answer,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const decisions = decisionsIn(context.mcpReq.inputResponses ?? {});
  const answer = await (decisions.length > 0 ? answers.decide(begun, decisions) : answers.goOn(begun));
  const tell = progressOf(context);
  // a client that is cut off asks for the answer by the id
  await tell(`task ${answer.task}`);
  await followed(answer, context.mcpReq.signal, tell);
  const turn = await turnBehind(answer.conversation, answer.event);
  const left = Object.keys(context.mcpReq.inputResponses ?? {});
  const asked = waitingIn(answer, turn).filter(({ actionId }) => !left.includes(actionId));
  if (asked.length === 0 || !canAsk(context)) return resultOf(answer, turn);
  const inputRequests = Object.fromEntries(asked.map((call) => [call.actionId, questionFor(call)]));
  return inputRequired({ inputRequests, requestState: answer.task });
}

/**
 * Answers an error of a conversation as a result, which the model of the client reads. Other errors are reported, and their text stays
 * here. Rejects with the reason of the signal, which aborts when the client leaves.
 */
async function named<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal,
  onError: McpHandlerOptions['onError'],
): Promise<Result | CallToolResult> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    const isRefusal = isConversationError(error);
    if (!isRefusal) onError?.(error);
    return { content: [{ type: 'text', text: isRefusal ? refusal(error) : FAILED }], isError: true };
  }
}

const FAILED = 'the request failed; the server has the reason';

/** Returns the text of a refusal. The place of a store is for the host alone. */
function refusal({ code, message }: ConversationError): string {
  return code === 'NOT_FOUND' ? '[NOT_FOUND] expected a conversation or a task of this server' : message;
}
