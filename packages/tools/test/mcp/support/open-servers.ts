import { fileURLToPath } from 'node:url';

import type { ProvidedTools, Tool, ToolResult, ToolSession } from '@conv/core/tool';
import { onTestFinished } from 'vitest';

import { mcpServers, type McpConfig, type McpServersOptions } from '../../../src/index.ts';
import { temporaryFolder } from '../../open-tool.ts';

/** The tools of servers in a conversation of its own. */
export interface McpFixture {
  readonly provided: ProvidedTools;
  readonly session: ToolSession;
  readonly folder: string;
  readonly names: () => readonly string[];
  readonly tool: (name: string) => Tool;
  readonly call: (name: string, input?: Record<string, unknown>, signal?: AbortSignal) => Promise<ToolResult>;
  /** Resolves when the list has changed once more than it had been seen to. */
  readonly changed: () => Promise<void>;
}

export async function openServers(
  config: McpConfig,
  more: Partial<ToolSession> &
    McpServersOptions & { readonly signal?: AbortSignal; readonly taken?: ReadonlySet<string> } = {},
): Promise<McpFixture> {
  const {
    connectTimeout,
    callTimeout,
    platform,
    auth,
    trace,
    sampling,
    signal = new AbortController().signal,
    taken = new Set(),
    ...about
  } = more;
  const folder = about.workingDirectory ?? temporaryFolder();
  const session = { conversationId: crypto.randomUUID(), workingDirectory: folder, ...about };
  const times = {
    ...(connectTimeout ? { connectTimeout } : {}),
    ...(callTimeout ? { callTimeout } : {}),
    ...(platform ? { platform } : {}),
    ...(auth ? { auth } : {}),
    ...(trace ? { trace } : {}),
    ...(sampling ? { sampling } : {}),
  };
  const changes = counter();
  const provided = await mcpServers(config, times).provide(session, { changed: changes.count, signal, taken });
  onTestFinished(() => provided.close());
  const tool = (name: string): Tool => {
    const found = provided.tools.find((item) => item.name === name);
    if (!found) throw new Error(`there is no tool ${name}`);
    return found;
  };
  const call = async (name: string, input: Record<string, unknown> = {}, stop = new AbortController().signal) => {
    const called = tool(name);
    return called.execute(called.parse(input), { ...session, signal: stop, toolCallId: 'call' });
  };
  return {
    provided,
    session,
    folder,
    names: () => provided.tools.map(({ name }) => name),
    tool,
    call,
    changed: changes.next,
  };
}

/** The scripted server as a process; `file` is where it writes its process id. */
export function scripted(behaviour = 'plain', file?: string): { command: string; args: string[] } {
  const program = fileURLToPath(new URL('./stdio-server.ts', import.meta.url));
  return { command: process.execPath, args: [program, behaviour, ...(file ? [file] : [])] };
}

/** The official server with a tool of each kind. */
export function everything(...args: string[]): { command: string; args: string[] } {
  const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
  return { command: process.execPath, args: [program, ...args] };
}

/** The official server for the files of a folder. */
export function filesystem(folder: string): { command: string; args: string[] } {
  const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
  return { command: process.execPath, args: [program, folder] };
}

/** The warnings of this process from now on. */
export function warnings(): { readonly next: () => Promise<string>; readonly all: readonly string[] } {
  const all: string[] = [];
  const waiting: ((message: string) => void)[] = [];
  let read = 0;
  const listen = (warning: Error): void => {
    if (warning.name !== 'McpWarning') return;
    all.push(warning.message);
    const waiter = waiting.shift();
    if (waiter) waiter(all[read++] ?? '');
  };
  process.on('warning', listen);
  onTestFinished(() => void process.off('warning', listen));
  return {
    all,
    next: () => {
      if (read < all.length) return Promise.resolve(all[read++] ?? '');
      return new Promise((resolve) => void waiting.push(resolve));
    },
  };
}

function counter(): { readonly count: () => void; readonly next: () => Promise<void> } {
  let seen = 0;
  let waiting: (() => void)[] = [];
  return {
    count: () => {
      seen += 1;
      const waiter = waiting.shift();
      if (waiter) {
        seen -= 1;
        waiter();
      }
    },
    next: () => {
      if (seen > 0) {
        seen -= 1;
        return Promise.resolve();
      }
      return new Promise((resolve) => void (waiting = [...waiting, resolve]));
    },
  };
}
