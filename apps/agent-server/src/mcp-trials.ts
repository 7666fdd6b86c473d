import { randomUUID } from 'node:crypto';

import { errorText } from '@conv/core';
import { contentParts, joinedText } from '@conv/core/events';
import type { ProvidedTools, Sandbox, ToolSession } from '@conv/core/tool';
import { type McpTrialRequest, type McpTrialResult, type McpTrialsOptions } from '@conv/server';
import { trialRecords } from '@conv/server/records';
import { isMcpError, type McpAuthorization, type McpConfig, mcpLoginState, mcpServers } from '@conv/tools';

import { ownerText } from './mcp-logins.ts';
import type { Kept } from './open-kept.ts';

export interface TrialParts {
  readonly auth: McpAuthorization;
  readonly kept: Pick<Kept, 'cipher' | 'registry'>;
  /** Confines servers that are processes, as it does in conversations. */
  readonly sandbox: Sandbox | undefined;
  /** The folder in which such servers work. */
  readonly workingDirectory: string;
}

/** Returns the way to try MCP servers: as a conversation that has them does, without its person. */
export function mcpTrials({
  auth,
  kept: { cipher, registry },
  sandbox,
  workingDirectory,
}: TrialParts): McpTrialsOptions {
  return {
    jobs: trialRecords(registry, cipher),
    login: (address) => mcpLoginState(auth, address),
    attempt: async (request, principal, signal) => {
      const { name, server, timeout } = request;
      const session = { conversationId: randomUUID(), workingDirectory };
      try {
        const config = { [name]: server } as unknown as McpConfig;
        const provider = mcpServers(config, {
          connectTimeout: timeout,
          callTimeout: timeout,
          auth: { ...auth, owner: () => ownerText(principal) },
          ...(sandbox ? { sandbox } : {}),
        });
        const provided = await provider.provide(session, { changed: () => undefined, signal });
        try {
          return await triedOut(provided, session, request, signal);
        } finally {
          await provided.close();
        }
      } catch (error) {
        signal.throwIfAborted();
        return failureOf(error);
      }
    },
  };
}

async function triedOut(
  { tools }: ProvidedTools,
  session: ToolSession,
  { call }: McpTrialRequest,
  signal: AbortSignal,
): Promise<McpTrialResult> {
  const names = tools.map(({ name }) => name);
  if (!call) return { kind: 'tools', tools: names, called: undefined };
  const tool = tools.find(({ name }) => name === call.name);
  if (!tool) {
    const text = `Tool '${call.name}' not advertised by server (available: ${names.join(', ') || 'none'})`;
    return { kind: 'tools', tools: names, called: { isError: true, text } };
  }
  try {
    const context = { ...session, signal, toolCallId: 'trial' };
    const { content, isError = false } = await tool.execute(tool.parse(call.arguments), context);
    return { kind: 'tools', tools: names, called: { isError, text: joinedText(contentParts({ content })) } };
  } catch (error) {
    signal.throwIfAborted();
    // of arguments that do not fit; the server is there all the same
    return { kind: 'tools', tools: names, called: { isError: true, text: errorText(error) } };
  }
}

function failureOf(error: unknown): McpTrialResult {
  const [login] = isMcpError(error, 'UNAUTHORIZED') ? error.logins : [];
  if (login) return { kind: 'login', address: login.address };
  if (!isMcpError(error)) return { kind: 'failed', reason: errorText(error), why: 'unknown' };
  const why = error.code === 'TIMEOUT' ? 'timeout' : error.code === 'CONNECT_FAILED' ? 'connection' : 'unknown';
  return { kind: 'failed', reason: error.text, why };
}
