import { randomUUID } from 'node:crypto';

import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { Server, type CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';

import { listen } from './http-server.ts';

/** A server of the revision 2025-11-25 whose tool runs as a task, which outlives sessions. */
export interface TaskServer {
  readonly url: string;
  /** The names of the requests about tasks, in order, polls left out. */
  readonly requests: readonly string[];
  /** Ends all tasks. */
  readonly finish: () => void;
}

const tool = {
  name: 'research',
  description: 'Researches.',
  inputSchema: { type: 'object' as const },
  execution: { taskSupport: 'optional' as const },
};
const params = z.looseObject({ taskId: z.string() });
const answer = z.looseObject({});

export async function taskServer(): Promise<TaskServer> {
  const tasks = new Map<string, 'working' | 'completed' | 'cancelled'>();
  const requests: string[] = [];
  let isFinished = false;
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
    if (!tasks.has(taskId)) throw new Error('no such task');
    if (isFinished) tasks.set(taskId, 'completed');
    return taskId;
  };
  const make = (): Server => {
    const capabilities = { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } } as { tools: object };
    const server = new Server({ name: 'tasks', version: '1.0.0' }, { capabilities });
    server.setRequestHandler('tools/list', () => ({ tools: [tool] }));
    server.setRequestHandler('tools/call', ({ params: { task } }: { params: { task?: unknown } }) => {
      if (!task) return { content: [{ type: 'text', text: 'without a task' }] };
      const id = randomUUID();
      requests.push('call');
      tasks.set(id, 'working');
      // the library of the server has no tasks, and wants content in each result of a call
      return { content: [], task: about(id) } as CallToolResult;
    });
    server.setRequestHandler('tasks/get', { params, result: answer }, ({ taskId }) => about(known(taskId)) as never);
    server.setRequestHandler('tasks/result', { params, result: answer }, ({ taskId }) => {
      requests.push('result');
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
  const { url } = await listen(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const session = typeof id === 'string' ? sessions.get(id) : undefined;
    if (session) return session.handleRequest(request, response);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (made) => void sessions.set(made, transport),
    });
    await make().connect(transport);
    await transport.handleRequest(request, response);
  });
  return { url, requests, finish: () => void (isFinished = true) };
}
