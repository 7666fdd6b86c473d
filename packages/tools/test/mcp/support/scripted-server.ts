import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

import {
  inputRequired,
  inputResponse,
  Server,
  UrlElicitationRequiredError,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

/** A tool without a schema for its arguments, unless one is given. */
export function tool(name: string, more: Partial<Tool> = {}): Tool {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...more };
}

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The tools that every scripted server starts with. */
const TOOLS: readonly Tool[] = [
  tool('say', {
    title: 'Say it',
    inputSchema: {
      type: 'object',
      properties: {
        text: { type: 'string', minLength: 1 },
        times: { type: 'integer', minimum: 1 },
        tone: { enum: ['loud', 'low'] },
        maybe: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        to: { type: 'object', properties: { name: { type: 'string' }, port: { type: 'integer' } }, required: ['name'] },
        code: { type: 'string', minLength: 8, maxLength: 8 },
        // takes longer than any test waits
        slug: { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' },
        labels: { type: 'object', patternProperties: { '^(a+)+$': { type: 'string' } }, additionalProperties: false },
      },
      required: ['text'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  }),
  tool('receive'),
  tool('slow'),
  tool('wait'),
  tool('crash'),
  tool('change'),
  tool('give'),
  tool('look'),
  tool('count'),
  tool('request'),
  tool('ask'),
  tool('open'),
  tool('demand'),
  tool('complete'),
];

type Arguments = Readonly<Record<string, unknown>>;

const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

/** The state of a scripted server. */
export interface Script {
  tools: Tool[];
  pageSize: number;
  /** Lists that fail from now on. */
  failing: boolean;
  /** The number of calls of `demand`. */
  demands: number;
  /** A tool that is there right after the first page was read. */
  early?: Tool;
  /** Calls of `wait` answer when it resolves. */
  readonly released: Promise<void>;
  readonly release: () => void;
}

export function newScript(): Script {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  return { tools: [...TOOLS], pageSize: 3, failing: false, demands: 0, released, release };
}

/** A server of the official library whose tools do what tests need. */
export function scriptedServer(script: Script = newScript()): Server {
  const server = new Server({ name: 'scripted', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  server.setRequestHandler('tools/list', async ({ params }) => {
    if (script.failing) throw new Error('no list today');
    const start = Number(params?.cursor ?? 0);
    const end = start + script.pageSize;
    const more = end < script.tools.length ? { nextCursor: String(end) } : {};
    const page = script.tools.slice(start, end);
    if (script.early) {
      script.tools = [script.early, ...script.tools];
      delete script.early;
      await server.sendToolListChanged();
    }
    return { tools: page, ...more };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const input: Arguments = params.arguments ?? {};
    switch (params.name) {
      case 'say':
        return said(Array.from({ length: Number(input['times'] ?? 1) }, () => String(input['text'])).join(' '));
      case 'trace':
        return said(JSON.stringify(params._meta ?? {}));
      case 'receive':
        return said(JSON.stringify(input));
      case 'slow':
        return waitForCancel(input, context.mcpReq.signal);
      case 'wait':
        // the answer shows that the client reads the stream of this call
        await context.mcpReq.send({ method: 'ping' });
        note(input, 'started');
        await script.released;
        return said('released');
      case 'crash':
        process.exit(3);
        break;
      case 'change':
        return change(server, script, input);
      case 'give':
        return give(input);
      case 'look':
        return look(input);
      case 'count':
        return count(context);
      case 'ask':
        return ask(context, input);
      case 'open':
        return open(context);
      case 'demand':
        return demand(script, Number(input['times']));
      case 'complete':
        return complete(context);
      case 'request':
        return said(await answerTo(context, String(input['method'])));
      default:
        return said(`${params.name} was called`);
    }
    throw new Error('not reached');
  });
  return server;
}

async function count({ mcpReq: { _meta, notify } }: ServerContext): Promise<CallToolResult> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return said('nobody listens');
  await notify({
    method: 'notifications/progress',
    params: { progressToken, progress: 1, total: 2, message: 'First' },
  });
  await notify({ method: 'notifications/progress', params: { progressToken, progress: 2 } });
  return said('counted');
}

/** Asks the user in the way of the connection's revision, which the library knows. */
function ask({ mcpReq }: ServerContext, input: Arguments): CallToolResult | InputRequiredResult {
  const heard = inputResponse(mcpReq.inputResponses, 'who');
  if (heard.kind === 'elicit') return said(`heard ${JSON.stringify({ action: heard.action, content: heard.content })}`);
  note(input, 'asks');
  const requestedSchema = {
    type: 'object' as const,
    properties: { name: { type: 'string' as const }, size: { type: 'integer' as const, default: 3 } },
    required: ['name'],
  };
  return inputRequired({
    inputRequests: { who: inputRequired.elicit({ message: 'For whom?', requestedSchema }) },
    requestState: 'order-7',
  });
}

function open({ mcpReq }: ServerContext): CallToolResult | InputRequiredResult {
  const heard = inputResponse(mcpReq.inputResponses, 'page');
  if (heard.kind === 'elicit') return said(`page: ${heard.action}`);
  const page = inputRequired.elicitUrl({ message: 'Pay there.', url: 'https://pay.example.com/7' });
  return inputRequired({ inputRequests: { page } });
}

/** Asks a model in the way of the connection's revision. */
function complete({ mcpReq }: ServerContext): CallToolResult | InputRequiredResult {
  const heard = inputResponse(mcpReq.inputResponses, 'model');
  if (heard.kind === 'sampling') return said(`the model said ${JSON.stringify(heard.result.content)}`);
  const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Name a colour.' } }];
  return inputRequired({ inputRequests: { model: inputRequired.createMessage({ messages, maxTokens: 10 }) } });
}

/** Demands by an error, as servers of 2025-11-25 do, that the user opens an address, so many times. */
function demand(script: Script, times: number): CallToolResult {
  script.demands += 1;
  if (script.demands > times) return said(`opened ${times} times`);
  const page = { mode: 'url' as const, message: 'Pay there.', url: 'https://pay.example.com/7', elicitationId: '7' };
  throw new UrlElicitationRequiredError([page]);
}

/** Sends a request of this method to the client and returns the text of its answer. */
async function answerTo({ mcpReq }: ServerContext, method: string): Promise<string> {
  try {
    return JSON.stringify(await mcpReq.send({ method }, z.unknown()));
  } catch (error) {
    return String(error);
  }
}

function note(input: Arguments, line: string): void {
  if (typeof input['file'] === 'string') appendFileSync(input['file'], `${line}\n`);
}

async function waitForCancel(input: Arguments, signal: AbortSignal): Promise<CallToolResult> {
  note(input, 'started');
  const { promise, resolve } = Promise.withResolvers<void>();
  // on a busy machine the request and its end may arrive together
  if (signal.aborted) resolve();
  else signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  note(input, 'cancelled');
  return said('cancelled');
}

async function change(server: Server, script: Script, input: Arguments): Promise<CallToolResult> {
  const { add, remove, describe, failing } = input as {
    add?: Tool;
    remove?: string;
    describe?: string;
    failing?: boolean;
  };
  script.failing = failing ?? script.failing;
  script.tools = script.tools.filter(({ name }) => name !== remove);
  if (describe !== undefined) script.tools = script.tools.map((item) => ({ ...item, description: describe }));
  if (add) script.tools = [...script.tools, add];
  await server.sendToolListChanged();
  return said('changed');
}

function give(input: Arguments): CallToolResult {
  switch (input['what']) {
    case 'image':
      // says that it is another type than it is
      return { content: [{ type: 'image', data: PIXEL, mimeType: 'image/jpeg' }] };
    case 'drawing':
      return {
        content: [{ type: 'image', data: Buffer.from('<svg/>').toString('base64'), mimeType: 'image/svg+xml' }],
      };
    case 'huge':
      return said('x'.repeat(Number(input['bytes'])));
    case 'structured':
      return { content: [], structuredContent: { answer: 42 } };
    case 'both':
      return { content: [{ type: 'text', text: '{"answer": 42}' }], structuredContent: { answer: 42 } };
    case 'resources':
      return {
        content: [
          { type: 'resource', resource: { uri: 'note://1', mimeType: 'text/plain', text: 'a note' } },
          { type: 'resource', resource: { uri: 'blob://1', mimeType: 'application/zip', blob: 'UEsDBA==' } },
          { type: 'resource_link', uri: 'file:///a.txt', name: 'a', description: 'the first' },
          { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
        ],
      };
    case 'failure':
      return { content: [{ type: 'text', text: 'there is no such thing' }], isError: true };
    default:
      throw new Error(`cannot give ${String(input['what'])}`);
  }
}

function look(input: Arguments): CallToolResult {
  if (input['at'] !== 'children')
    return said(JSON.stringify({ pid: process.pid, cwd: process.cwd(), env: process.env }));
  // unref: the server ends without it
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  child.unref();
  return said(JSON.stringify({ pid: process.pid, child: child.pid }));
}
