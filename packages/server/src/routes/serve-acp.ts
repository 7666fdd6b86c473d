import { errorText, type JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { acpRoutes, type RouteTypes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { agentFromSettings } from '../conversations/agent-from-settings.ts';
import { toSecrets } from '../conversations/sent-secrets.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { invalidMember } from '../http/api-error.ts';
import { clientGone } from '../http/client-gone.ts';
import { serveRoute } from '../http/serve-route.ts';
import { inTheClear } from '../http/secret-texts.ts';

/** A program whose models a client asks for. */
export interface AcpModelsRequest {
  /** The agent, as a new conversation would have it. */
  readonly agent: JsonObject;
  /** The secrets of the request, as variables. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The offer of a program. */
export interface AcpModelsOffer {
  readonly name: string;
  readonly version: string;
  readonly currentModel: string | null;
  readonly models: readonly { readonly id: string; readonly name: string; readonly description: string | null }[];
}

/** Starts the program of an agent, asks it for its models and ends it. Rejects with the reason, or with the signal's. */
export type AskAcpModels = (request: AcpModelsRequest, signal: AbortSignal) => Promise<AcpModelsOffer>;

type Answer = RouteTypes<typeof acpRoutes.discoverModels>['answer'];

/**
 * Serves the question for the models of a program. It starts the program in the folder of the server, above those of conversations, so that the
 * caller needs the rights to try an MCP server. Each request asks anew.
 */
export function serveAcp(app: FastifyInstance, host: ConversationHost, ask: AskAcpModels | undefined): void {
  serveRoute(app, acpRoutes.discoverModels, async ({ body, reply }) => {
    if (!ask) return failure('ACPSpawnError', 'This server starts no programs as agents (ACP)');
    const { cipher, platform } = host.options;
    const agent = agentFromSettings({ ...body.agent_settings, agent_kind: 'acp' });
    if (!agent['acp_command'])
      throw invalidMember(['agent_settings', 'acp_command'], 'expected the command of the program, found none');
    const signal = clientGone(reply);
    const vault = host.options.secrets?.({ cipher, platform });
    const given = cipher ? inTheClear(body.secrets, cipher) : body.secrets;
    vault?.update(toSecrets(host, sourcesIn(given)));
    const named = await vault?.environmentFor(Object.keys(body.secrets).join(' '), signal);
    const mask = (text: string): string => vault?.masker.mask(text) ?? text;
    try {
      const offer = await ask({ agent, environment: named?.environment ?? {} }, signal);
      return {
        agent_name: offer.name || null,
        agent_version: offer.version || null,
        current_model_id: offer.currentModel,
        available_models: offer.models.map(({ id, name, description }) => ({ model_id: id, name, description })),
        supports_runtime_model_switch: offer.models.length > 0,
        error: null,
      };
    } catch (error) {
      signal.throwIfAborted();
      return failure(codeOf(error), mask(errorText(error)));
    }
  });
}

/** Returns secrets as a conversation takes them: a text is a value. Throws `ApiError` 422 for another value. */
function sourcesIn(secrets: JsonObject): Parameters<typeof toSecrets>[1] {
  const sources = Object.entries(secrets).map(([name, source]) => {
    if (typeof source === 'string') return [name, { kind: 'StaticSecret', value: source }];
    if (!isJsonObject(source))
      throw invalidMember(['secrets', name], 'expected a text or a source, found another value');
    return [name, source];
  });
  return Object.fromEntries(sources) as Parameters<typeof toSecrets>[1];
}

function codeOf(error: unknown): string {
  const { conversationErrorCode: code } = Object(error) as { conversationErrorCode?: unknown };
  return typeof code === 'string' ? code : 'ACPInitError';
}

function failure(code: string, detail: string): Answer {
  return {
    agent_name: null,
    agent_version: null,
    current_model_id: null,
    available_models: [],
    supports_runtime_model_switch: false,
    error: { code, detail },
  };
}
