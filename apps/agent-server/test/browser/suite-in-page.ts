import {
  applicableCases,
  conversationConformance,
  ModelScript,
  ScriptedAgent,
  type ConversationConformanceCase,
  type ConversationScript,
  type ConversationSuiteFeatures,
  type ConversationUnderTest,
} from '@conv/conformance';
import { errorText } from '@conv/core';
import type { Tool } from '@conv/core/tool';
import { openRemoteConversation, RemoteWorkspace, type RemoteConversation } from '@conv/remote';

import type { PageProgram, ServerCommands, StoredScript } from './bridge.ts';

/** The agent as its user has it: the tools of the server are not here. */
class GivenAgent extends ScriptedAgent {
  readonly #own: readonly Tool[];

  constructor(own: readonly Tool[]) {
    super({ script: new ModelScript([]), tools: own });
    this.#own = own;
  }

  tools(): readonly Tool[] {
    return this.#own;
  }
}

/** Script under test. Its callbacks stay in this page, and the server calls them through {@link PageProgram}. */
interface Running {
  readonly script: ConversationScript;
  readonly aborts: Map<string, AbortController>;
  requests: number;
}

const running = new Map<string, Running>();

function commands(): ServerCommands {
  return (globalThis as unknown as { server: ServerCommands }).server;
}

async function make(script: ConversationScript): Promise<ConversationUnderTest> {
  const { turns, tools = [], ownTools = [], toolConcurrency = 1, ...settings } = script;
  const stored: StoredScript = {
    turns: turns.map(({ asked: _asked, reads: _reads, after: _after, ...turn }) => turn),
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      annotations: tool.annotations,
      inputSchema: tool.inputSchema,
      declaresResources: tool.resources({ needs: [] }) !== undefined,
    })),
    toolConcurrency,
  };
  const id = crypto.randomUUID();
  const state: Running = { script, aborts: new Map(), requests: 0 };
  running.set(id, state);
  let server = await commands()('start', id, stored);
  const agent = ownTools.length > 0 ? new GivenAgent(ownTools) : server.agent;
  const opened: RemoteConversation[] = [];
  const open = async (options: Partial<Parameters<typeof openRemoteConversation>[1]>): Promise<RemoteConversation> => {
    const workspace = new RemoteWorkspace({ host: server.host, apiKey: server.apiKey, workingDir: server.workingDir });
    const conversation = await openRemoteConversation({}, { workspace, agent, subscriberGrace: 50, ...options });
    opened.push(conversation);
    return conversation;
  };
  const conversation = await open({ ...settings, create: 'must' });
  const again = async (command: 'restart' | 'kill'): Promise<RemoteConversation> => {
    if (command === 'restart') await opened.at(-1)?.close();
    server = await commands()(command, id);
    return open({ id: conversation.id, create: 'never' });
  };
  return {
    conversation,
    reopen: () => again('restart'),
    kill: () => again('kill'),
    open: (other) => open({ id: other, create: 'never' }),
    modelRequests: () => state.requests,
    dispose: async () => {
      for (const one of opened) await one.close();
      await commands()('dispose', id);
      running.delete(id);
    },
  };
}

const program: PageProgram = {
  names: (features) => cases(features).map(({ name }) => name),
  run: async (features, name) => {
    const found = cases(features).find((one) => one.name === name);
    try {
      if (!found) throw new Error(`there is no case ${name}`);
      await found.run({ make, waitTimeout: 60_000 });
      return undefined;
    } catch (error) {
      return error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
  },
  asked: async (id, turn, roles, results) => {
    const state = running.get(id);
    const found = state?.script.turns[turn];
    if (!state) return;
    state.requests = Math.max(state.requests, turn + 1);
    found?.asked?.();
    found?.reads?.(roles, results);
    await found?.after;
  },
  execute: async ({ id, call, tool: name, input, context }) => {
    const state = running.get(id);
    const tool = state?.script.tools?.find((one) => one.name === name);
    if (!state || !tool) return { error: `there is no tool ${name}` };
    const abort = new AbortController();
    state.aborts.set(call, abort);
    try {
      return { result: await tool.execute(tool.parse(input), { ...context, signal: abort.signal }) };
    } catch (error) {
      return { error: errorText(error) };
    } finally {
      state.aborts.delete(call);
    }
  },
  abort: (id, call) => running.get(id)?.aborts.get(call)?.abort(new Error('aborted')),
};

function cases(features: ConversationSuiteFeatures): readonly ConversationConformanceCase[] {
  return applicableCases(conversationConformance, features);
}

(globalThis as unknown as { program: PageProgram }).program = program;
