import { errorText, type JsonObject } from '@conv/core';
import { commandRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import type { Access } from '../auth/access-keys.ts';
import { accessOf } from '../auth/caller.ts';
import { checkChanges } from '../auth/approver-checks.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import type { HostedConversation } from '../hosting/hosted-conversation.ts';
import { ApiError } from '../http/api-error.ts';
import { serveRoute } from '../http/serve-route.ts';
import type { CommandRoute } from './serve-commands.ts';
import { withConversation } from '../hosting/with-conversation.ts';
import { changeSettings } from '../conversations/change-settings.ts';
import { refuseBadUrls, refuseBadUrlsOf } from '../conversations/refuse-bad-urls.ts';
import { refuseTextCalls } from '../conversations/refuse-text-calls.ts';
import { toSecrets } from '../conversations/sent-secrets.ts';
import { atRest, inTheClear } from '../http/secret-texts.ts';

/** Serves the settings of a conversation. */
export function serveSettings(app: FastifyInstance, host: ConversationHost): void {
  const { cipher } = host.options;
  const order = orders(app, host);
  order(commandRoutes.updateSecrets, ({ conversation }, { secrets }) =>
    conversation.settings.updateSecrets(toSecrets(host, secrets)),
  );
  order(commandRoutes.setConfirmationPolicy, ({ conversation }, { policy }) =>
    conversation.settings.setConfirmationPolicy(policy),
  );
  order(commandRoutes.setSecurityAnalyzer, ({ conversation }, { security_analyzer: analyzer }) =>
    conversation.settings.setSecurityAnalyzer(analyzer && atRest(analyzer, cipher)),
  );
  order(commandRoutes.changeSettings, ({ conversation }, changes, access) => {
    checkChanges(access, conversation.state, changes);
    return changeSettings(conversation, changes);
  });
  order(commandRoutes.switchLlm, async (hosted, { llm }) => {
    await refuseTextCalls(llm as JsonObject, host.options.profiles, (member) => ['llm', ...member]);
    refuseBadUrls(llm as JsonObject, 'llm');
    await switchModel(host, hosted, llm as JsonObject);
  });
  order(commandRoutes.switchProfile, async (hosted, { profile_name: name }) => {
    const llm = await host.options.profiles?.llm(name);
    if (!llm) throw new ApiError(404, `Profile '${name}' not found`);
    await refuseTextCalls(llm, host.options.profiles, () => ['profile_name']);
    refuseBadUrlsOf(llm, 'profile_name');
    await switchModel(host, hosted, llm);
  });
  order(commandRoutes.switchAcpModel, async () => {
    throw new ApiError(400, 'The agent of this conversation is not an ACP agent');
  });
  order(commandRoutes.loadPlugin, async () => {
    throw new ApiError(400, 'This server loads no plugins');
  });
}

function orders(
  app: FastifyInstance,
  host: ConversationHost,
): <Body>(
  route: CommandRoute<{ body: Body }>,
  work: (conversation: HostedConversation, body: Body, access: Access) => Promise<unknown>,
) => void {
  return (route, work) =>
    serveRoute(app, route, async ({ params, body, request }) => {
      await withConversation(host, params.conversation_id, async (hosted) => work(hosted, body, accessOf(request)));
      return { success: true };
    });
}

async function switchModel(
  host: ConversationHost,
  { conversation }: HostedConversation,
  llm: JsonObject,
): Promise<void> {
  const { models, cipher } = host.options;
  if (!models) throw new ApiError(400, 'This server cannot switch models');
  let model: unknown;
  try {
    model = await models(cipher ? inTheClear(llm, cipher) : llm);
  } catch (error) {
    const reason = errorText(error);
    throw new ApiError(400, `The model cannot be used: ${reason}`, { cause: error });
  }
  await conversation.settings.setModel(model);
}
