import type { AuthorizationServer } from '@conv/testing-harness';
import { defineTool, type Tool, type ToolSession } from '@conv/core/tool';
import { expect } from 'vitest';
import { z } from 'zod';

import { finishMcpLogin, type McpAuthorization, type McpServerConfig } from '../../../src/index.ts';
import type { OAuthServer } from './oauth-server.ts';
import { openServers, type McpFixture } from './open-servers.ts';

export interface Person {
  readonly tool: Tool;
  readonly asked: { readonly toolCallId: string; readonly question: string; readonly url: string }[];
}

/** The tool that asks a person, who opens each address and allows access, or answers. */
export function person(act: (address: string) => Promise<string | undefined>): Person {
  const asked: Person['asked'] = [];
  const tool = defineTool({
    name: 'ask_user',
    description: 'Asks the user.',
    input: z.object({
      question: z.string(),
      from: z.string(),
      fields: z.json().optional(),
      url: z.string().optional(),
    }),
    execute: async ({ question, url = '' }, { toolCallId, signal }) => {
      asked.push({ toolCallId, question, url });
      const answer = await act(url);
      if (answer !== undefined) return answer;
      // the question itself stays without an answer
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    },
  });
  return { tool, asked };
}

export async function logIn(server: AuthorizationServer, auth: McpAuthorization, address: string): Promise<void> {
  expect(await finishMcpLogin(auth, await server.allow(address))).toMatchObject({ ok: true });
}

export function allowing(server: AuthorizationServer, auth: McpAuthorization): Person {
  return person(async (address) => {
    await logIn(server, auth, address);
    return undefined;
  });
}

/** Opens a server at which a person has logged in. */
export async function opened(
  server: AuthorizationServer,
  mcp: OAuthServer,
  auth: McpAuthorization,
  more: { readonly ownTools?: readonly Tool[] } = {},
): Promise<McpFixture> {
  await logIn(server, auth, await addressOf(mcp.config, auth));
  return openServers({ shop: mcp.config }, { auth, ...more });
}

/** Begins a login where no person can be asked. */
export async function addressOf(
  config: McpServerConfig,
  auth: McpAuthorization,
  more: Partial<ToolSession> = {},
): Promise<string> {
  const refused: unknown = await openServers({ shop: config }, { auth, ...more }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'UNAUTHORIZED', servers: ['shop'] });
  return /open (\S+) and allow/.exec(String(refused))?.[1] ?? '';
}

export function refreshes({ tokenRequests }: AuthorizationServer): number {
  return tokenRequests.filter((body) => body.get('grant_type') === 'refresh_token').length;
}
