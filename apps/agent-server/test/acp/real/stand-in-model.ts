import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';

// A model server for programs of other vendors, by the protocols of Anthropic, OpenAI (Responses and Chat Completions) and Google. It takes what the
// programs send as it is, because they send what no document says. It runs one command by the program's own tool, and tells its output.

/** The command that the stand-in runs, once for each message. */
const COMMAND = 'echo ahoy >> made.txt && cat made.txt';

/** Codex runs a command in its own sandbox without a question, and asks when a model wants to leave that. */
const ESCALATED = { cmd: COMMAND, sandbox_permissions: 'require_escalated', justification: 'May I add a line?' };

/** The names of tools of programs that run a command, and their arguments. */
const SHELLS: Readonly<Record<string, object>> = {
  Bash: { command: COMMAND, description: 'Adds a line to a file' },
  exec_command: { cmd: COMMAND },
  shell_command: { command: COMMAND },
  shell: { command: ['bash', '-c', COMMAND] },
  // Codex runs JavaScript that calls its tools
  exec: { input: `text((await tools.exec_command(${JSON.stringify(ESCALATED)})).output)` },
  run_shell_command: { command: COMMAND, description: 'Adds a line to a file', is_background: false },
};

type Answer = { readonly text: string } | { readonly name: string; readonly args: object };

interface Tool {
  readonly name?: string;
  readonly function?: { readonly name: string };
  readonly functionDeclarations?: readonly { readonly name: string }[];
  readonly tools?: readonly Tool[];
}

interface Part {
  readonly type?: string;
  readonly role?: string;
  readonly content?: unknown;
  readonly parts?: readonly { readonly functionResponse?: { readonly response: unknown } }[];
  readonly output?: unknown;
  readonly tools?: readonly Tool[];
}

/** The members of requests that are read, of all protocols. */
interface Body {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly Part[];
  readonly input?: readonly Part[];
  readonly contents?: readonly Part[];
  readonly tools?: readonly Tool[];
}

/** The wire of a protocol: the frames of an answer in a stream, and the whole answer. */
interface Wire {
  readonly frames: (answer: Answer, model: string) => readonly { readonly event?: string; readonly data: unknown }[];
  readonly whole: (answer: Answer, model: string) => unknown;
}

/** A server that stands for a model. */
export interface StandInModel {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The paths that were asked for, and what was answered. */
  readonly log: readonly string[];
  close(): Promise<void>;
}

/** Starts the server on a free port of the loopback. */
export async function openStandInModel(): Promise<StandInModel> {
  const log: string[] = [];
  const server = createServer((request, response) => {
    serve(request, response, log).catch((error: unknown) => {
      log.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, log, close: () => closed(server) };
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

async function serve(request: IncomingMessage, response: ServerResponse, log: string[]): Promise<void> {
  const { pathname } = new URL(request.url ?? '', 'http://localhost');
  const sent = await textOf(request);
  const wire = wireOf(pathname);
  const json = (value: unknown, status = 200): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  if (request.method !== 'POST' || !wire) {
    log.push(`${request.method ?? ''} ${pathname}: not served`);
    return json(pathname.endsWith('count_tokens') ? { input_tokens: 10 } : { error: { message: 'not served' } }, 404);
  }
  const body = JSON.parse(sent) as Body;
  const answer = answerOf(body);
  const model = body.model ?? 'stand-in';
  log.push(`POST ${pathname}: ${JSON.stringify(answer)}`);
  if (body.stream !== true && !pathname.includes('stream')) return json(wire.whole(answer, model));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const { event, data } of wire.frames(answer, model))
    response.write(
      `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
    );
  response.end();
}

/** Calls the tool that runs commands, and tells what it said. Questions without such a tool, as for a title, are answered with a few words. */
function answerOf(body: Body): Answer {
  const names = toolsOf(body);
  const parts = partsOf(body);
  const shell = Object.keys(SHELLS).find((name) => names.includes(name));
  const result = resultIn(parts.findLast((part) => part.role !== 'system' && part.role !== 'developer'));
  if (result !== undefined) return { text: `The program told: ${result.slice(0, 400)}` };
  return shell === undefined ? { text: 'Adding a line' } : { name: shell, args: SHELLS[shell] ?? {} };
}

function partsOf({ messages, input, contents }: Body): readonly Part[] {
  return messages ?? input ?? contents ?? [];
}

/** Returns the names of the tools of a request. Codex has them in its first part. */
function toolsOf(body: Body): readonly string[] {
  return namesOf([...(body.tools ?? []), ...partsOf(body).flatMap((part) => part.tools ?? [])]);
}

function namesOf(tools: readonly Tool[]): readonly string[] {
  return tools.flatMap(({ name, function: one, functionDeclarations: many = [], tools: inner = [] }) => [
    ...[name, one?.name].filter((found) => found !== undefined),
    ...many.map((declared) => declared.name),
    ...namesOf(inner),
  ]);
}

/** Returns the result of a tool if this is one. */
function resultIn(part: Part | undefined): string | undefined {
  if (!part) return undefined;
  const { type, role, content, output, parts = [] } = part;
  const told = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  if (role === 'tool') return told(content);
  if (type === 'function_call_output' || type === 'custom_tool_call_output') return told(output);
  const response = parts.find((one) => one.functionResponse)?.functionResponse?.response;
  if (response !== undefined) return told(response);
  const blocks = Array.isArray(content) ? (content as readonly Part[]) : [];
  // programs put texts of users behind results
  const last = blocks.at(-1);
  return last?.type === 'tool_result' ? told(last.content) : undefined;
}

function wireOf(path: string): Wire | undefined {
  if (path.endsWith('/messages')) return anthropic;
  if (path.endsWith('/responses')) return responses;
  if (path.endsWith('/chat/completions')) return chat;
  return /:(?:streamG|g)enerateContent$/.test(path) ? google : undefined;
}

let ids = 0;
const nextId = (kind = 'call'): string => `${kind}_${++ids}`;

const anthropic: Wire = {
  whole: (answer, model) => ({
    id: nextId('msg'),
    type: 'message',
    role: 'assistant',
    model,
    content: [
      'text' in answer
        ? { type: 'text', text: answer.text }
        : { type: 'tool_use', id: nextId(), name: answer.name, input: answer.args },
    ],
    stop_reason: 'text' in answer ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
  frames: (answer, model) => {
    const isText = 'text' in answer;
    const whole = anthropic.whole(answer, model) as { content: readonly [object]; stop_reason: string; usage: object };
    const [block] = whole.content;
    const begun = isText ? { type: 'text', text: '' } : { ...block, input: {} };
    const delta = isText
      ? { type: 'text_delta', text: answer.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(answer.args) };
    return [
      { type: 'message_start', message: { ...whole, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: begun },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: whole.stop_reason, stop_sequence: null }, usage: whole.usage },
      { type: 'message_stop' },
    ].map((data) => ({ event: data.type, data }));
  },
};

const responses: Wire = {
  whole: (answer, model) => ({
    id: nextId('resp'),
    object: 'response',
    model,
    status: 'completed',
    output: [
      'text' in answer
        ? {
            type: 'message',
            id: 'item_1',
            role: 'assistant',
            content: [{ type: 'output_text', text: answer.text, annotations: [] }],
          }
        : { id: 'item_1', call_id: nextId(), name: answer.name, ...argumentsOf(answer) },
    ],
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 15,
    },
  }),
  frames: (answer, model) => {
    const response = responses.whole(answer, model) as { output: readonly [object] };
    const [item] = response.output;
    const delta =
      'text' in answer
        ? [
            {
              type: 'response.output_text.delta',
              item_id: 'item_1',
              output_index: 0,
              content_index: 0,
              delta: answer.text,
            },
          ]
        : [];
    return [
      { type: 'response.created', response: { ...response, output: [], status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item },
      ...delta,
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ].map((data) => ({ event: data.type, data }));
  },
};

/** Returns the arguments of a call, of which those of `exec` are no JSON. */
function argumentsOf({ name, args }: { readonly name: string; readonly args: object }): object {
  if (name === 'exec') return { type: 'custom_tool_call', namespace: 'functions', ...args };
  return { type: 'function_call', arguments: JSON.stringify(args) };
}

const chat: Wire = {
  whole: (answer, model) => ({
    id: nextId('chat'),
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message: chatMessage(answer), finish_reason: 'text' in answer ? 'stop' : 'tool_calls' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  }),
  frames: (answer, model) => {
    const { choices, usage, ...rest } = chat.whole(answer, model) as {
      choices: readonly [{ message: object; finish_reason: string }];
      usage: object;
    };
    const [{ message, finish_reason: reason }] = choices;
    const chunk = { ...rest, object: 'chat.completion.chunk' };
    return [
      { data: { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] } },
      { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: reason }] } },
      { data: { ...chunk, choices: [], usage } },
      { data: '[DONE]' },
    ];
  },
};

function chatMessage(answer: Answer): object {
  if ('text' in answer) return { role: 'assistant', content: answer.text };
  const { name, args } = answer;
  const call = { index: 0, id: nextId(), type: 'function', function: { name, arguments: JSON.stringify(args) } };
  return { role: 'assistant', content: null, tool_calls: [call] };
}

const google: Wire = {
  whole: (answer, model) => ({
    candidates: [
      {
        index: 0,
        content: {
          role: 'model',
          parts: [
            'text' in answer ? { text: answer.text } : { functionCall: { name: answer.name, args: answer.args } },
          ],
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: model,
  }),
  frames: (answer, model) => [{ data: google.whole(answer, model) }],
};
