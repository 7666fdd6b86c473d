import { errorText, type JsonObject, type Conversation, type Limits } from '@conv/core';
import { commandRoutes, type ChangeSettingsRequest } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { conversationServing } from './conversation-serving.ts';
import { accessOf } from '../auth/caller.ts';
import { checkChanges, checkSecrets } from '../auth/approver-checks.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import type { HostedConversation } from '../hosting/hosted-conversation.ts';
import { ApiError } from '../http/api-error.ts';
import { checkModelName } from '../conversations/check-model-name.ts';
import { refuseBadUrls, refuseBadUrlsOf } from '../conversations/refuse-bad-urls.ts';
import { allowedSecrets, toSecrets } from '../conversations/sent-secrets.ts';
import { atRest, inTheClear } from '../http/secret-texts.ts';

export function serveSettings(app: FastifyInstance, host: ConversationHost): void {
  const { cipher } = host.options;
  const { command } = conversationServing(app, host);
  command(commandRoutes.updateSecrets, ({ conversation }, { body: { secrets }, request }) => {
    checkSecrets(accessOf(request), conversation.state);
    const { launched_agent_profile: profile } = conversation.state.extra.meta;
    return conversation.settings.updateSecrets(toSecrets(host, allowedSecrets(secrets, profile)));
  });
  command(commandRoutes.setConfirmationPolicy, ({ conversation }, { body: { policy } }) =>
    conversation.settings.setConfirmationPolicy(policy),
  );
  command(commandRoutes.setSecurityAnalyzer, ({ conversation }, { body: { security_analyzer: analyzer } }) =>
    conversation.settings.setSecurityAnalyzer(analyzer && atRest(analyzer, cipher)),
  );
  command(commandRoutes.changeSettings, async ({ conversation }, { body: changes, request }) => {
    checkChanges(accessOf(request), conversation.state, changes);
    return changeSettings(conversation, changes);
  });
  command(commandRoutes.switchLlm, async (hosted, { body }) => {
    const { profiles } = host.options;
    checkModelName(body.llm as JsonObject);
    const llm = (await profiles?.resolve?.(body.llm as JsonObject)) ?? (body.llm as JsonObject);
    await refuseBadUrls(llm, 'llm', profiles);
    await switchModel(host, hosted, llm);
  });
  command(commandRoutes.switchProfile, async (hosted, { body: { profile_name: name } }) => {
    const llm = await host.options.profiles?.llm(name);
    if (!llm) throw new ApiError(404, `Profile '${name}' not found`);
    await refuseBadUrlsOf(llm, 'profile_name', host.options.profiles);
    await switchModel(host, hosted, llm);
  });
  command(commandRoutes.switchAcpModel, async ({ conversation }, { body: { model } }) => {
    if (conversation.state.agent['kind'] !== 'ACPAgent')
      throw new ApiError(400, 'The agent of this conversation is not an ACP agent; use switch_llm');
    await conversation.settings.setModel(model);
  });
  command(commandRoutes.loadPlugin, async () => {
    throw new ApiError(400, 'A conversation gets its plugins when it starts: name them in plugins then');
  });
}

async function switchModel(
  host: ConversationHost,
  { conversation }: HostedConversation,
  llm: JsonObject,
): Promise<void> {
  const { models, cipher } = host.options;
  if (!models) throw new ApiError(400, 'This server cannot switch models; start another conversation with the model');
  let model: unknown;
  try {
    model = await models(cipher ? inTheClear(llm, cipher) : llm);
  } catch (error) {
    const reason = errorText(error);
    throw new ApiError(400, `The model cannot be used: ${reason}`, { cause: error });
  }
  await conversation.settings.setModel(model);
}

/**
 * Applies the changes that the request names; each is durable when this resolves. Rejects `INVALID_INPUT`; changes before the
 * invalid one are kept then.
 */
async function changeSettings({ settings }: Conversation, request: ChangeSettingsRequest): Promise<void> {
  const limits = limitsOf(request);
  if (Object.keys(limits).length > 0) await settings.setLimits(limits);
  if (request.damage_confirmed) await settings.confirmDamage();
  if (request.stuck_detection !== undefined) await settings.setStuckDetection(request.stuck_detection);
  if (request.title === null) await settings.setTitle(null);
  const removed = request.removed_secrets ?? [];
  if (removed.length > 0) await settings.updateSecrets(Object.fromEntries(removed.map((name) => [name, null])));
}

function limitsOf(request: ChangeSettingsRequest): Partial<Limits> {
  const limits = {
    maxIterations: request.max_iterations,
    maxBudgetPerRun: request.max_budget_per_run,
    maxBudget: request.max_budget,
    toolTimeout: request.tool_timeout,
  };
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined)) as Partial<Limits>;
}
