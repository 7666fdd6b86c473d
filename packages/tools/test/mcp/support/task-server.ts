import { randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';

import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

import { listen } from './http-server.ts';

/** A server of the revision 2025-11-25 whose tool runs as a task, which outlives sessions. */
export interface TaskServer {
  readonly url: string;
  /** The names of the requests about tasks, in order, polls left out. */
  readonly requests: readonly string[];
  /** The members `_meta` of the calls. */
  readonly metas: readonly unknown[];
  /** Ends all tasks. */
  readonly finish: () => void;
  /** Fails once, at the next request that is posted. */
  readonly fail: (how: Trouble) => void;
  /** The failures until now. */
  readonly failures: readonly Trouble[];
  /** Breaks all connections. */
  readonly cut: () => void;
  readonly stop: () => Promise<void>;
}

/** Ways to fail: a session is not known, a gateway answers, the connection breaks, the tasks cannot be read. */
export type Trouble = 'session' | 'gateway' | 'connection' | 'tasks';

export interface TaskServerOptions {
  /** True if tasks ask the user before they end. Default false. */
  readonly asks?: boolean;
  /** The status of HTTP with which each request for the result of a task is refused. Default: the result is the answer. */
  readonly refuses?: number;
}

const tool = {
  name: 'research',
  description: 'Researches.',
  inputSchema: { type: 'object' as const },
  execution: { taskSupport: 'optional' as const },
};
const params = z.looseObject({ taskId: z.string() });
const answer = z.looseObject({});

export async function taskServer({ asks = false, refuses }: TaskServerOptions = {}): Promise<TaskServer> {
  const tasks = new Map<string, 'working' | 'input_required' | 'completed' | 'cancelled'>();
  const requests: string[] = [];
  const metas: unknown[] = [];
  const failures: Trouble[] = [];
  let trouble: Trouble | undefined;
  let isFinished = false;
  const failing = (how: Trouble): boolean => {
    if (trouble !== how) return false;
    failures.push(how);
    trouble = undefined;
    return true;
  };
  const about = (taskId: string): object => ({
    taskId,
    status: tasks.get(taskId),
    statusMessage: 'Reading',
    pollInterval: 50,
    ttl: null,
    createdAt: '2026-01-01T00:00:00Z',
    lastUpdatedAt: '2026-01-01T00:00:00Z',
  });
  const known = (taskId: string): string => {
    if (failing('tasks')) throw new Error('the tasks cannot be read now');
    if (!tasks.has(taskId)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'no such task');
    if (isFinished) tasks.set(taskId, 'completed');
    return taskId;
  };
  const make = (): Server => {
    const capabilities = { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } } as { tools: object };
    const server = new Server({ name: 'tasks', version: '1.0.0' }, { capabilities });
    server.setRequestHandler('tools/list', () => ({ tools: [tool] }));
    server.setRequestHandler(
      'tools/call',
      ({ params: { task, _meta } }: { params: { task?: unknown; _meta?: unknown } }) => {
        metas.push(_meta);
        if (!task) return { content: [{ type: 'text', text: 'without a task' }] };
        const id = randomUUID();
        requests.push('call');
        tasks.set(id, asks ? 'input_required' : 'working');
        // the library of the server has no tasks, and wants content in each result of a call
        return { content: [], task: about(id) } as CallToolResult;
      },
    );
    server.setRequestHandler('tasks/get', { params, result: answer }, ({ taskId }) => about(known(taskId)) as never);
    server.setRequestHandler('tasks/result', { params, result: answer }, async ({ taskId }, context) => {
      requests.push('result');
      if (tasks.get(known(taskId)) === 'input_required') {
        await ask(context);
        tasks.set(taskId, 'completed');
      }
      return { content: [{ type: 'text', text: `found ${tasks.get(known(taskId))}` }] } as never;
    });
    server.setRequestHandler('tasks/cancel', { params, result: answer }, ({ taskId }) => {
      requests.push('cancel');
      tasks.set(known(taskId), 'cancelled');
      return about(taskId) as never;
    });
    return server;
  };
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const { url, cut, stop } = await listen(async (request, response) => {
    if (request.method === 'POST' && failing('connection')) return void request.socket.destroy();
    if (request.method === 'POST' && failing('gateway')) return void response.writeHead(502).end();
    if (request.method === 'POST' && failing('session')) sessions.clear();
    const body = request.method === 'POST' ? await json(request) : undefined;
    if (refuses !== undefined && Object(body).method === 'tasks/result') {
      requests.push('result');
      return void response.writeHead(refuses).end();
    }
    const id = request.headers['mcp-session-id'];
    const session = typeof id === 'string' ? sessions.get(id) : undefined;
    if (session) return session.handleRequest(request, response, body);
    if (id !== undefined) return void response.writeHead(404).end();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (made) => void sessions.set(made, transport),
    });
    await make().connect(transport);
    await transport.handleRequest(request, response, body);
  });
  const finish = (): void => void (isFinished = true);
  return { url, requests, metas, finish, fail: (how) => void (trouble = how), failures, cut, stop };
}

/** Asks the user in the stream of the request. */
async function ask({ mcpReq }: ServerContext): Promise<void> {
  const requestedSchema = { type: 'object', properties: { deep: { type: 'boolean' } } };
  await mcpReq.send({ method: 'elicitation/create', params: { message: 'How deep?', requestedSchema } }, answer);
}
