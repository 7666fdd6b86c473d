import { isAbsolute, join } from 'node:path';

import { ConversationError, type JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import type { RemoteConversationOptions } from '@conv/remote';

import { has, type Caller } from '../auth/principal.ts';
import { agentFromSettings } from '../conversations/agent-from-settings.ts';
import { withSuffix } from '../conversations/new-conversation.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { WantedConversation } from './served-protocol.ts';

/** The name of the model of the settings. */
const USUAL = 'conversation';

/** The text before the name of a stored model, as with OpenHands' server. */
const STORED = 'openhands_';

/** The parts of a server that new conversations come from. */
export interface NewConversationDeps {
  /** Default: no conversation can be made. */
  readonly settingsStore?: SettingsStore | undefined;
  /** The folder of new conversations. Default: no conversation can be made. */
  readonly folder?: string | undefined;
}

/** A conversation to make: its options, and the folder on the server that it works in. */
export interface NewConversationOptions {
  readonly workingDir: string;
  readonly options: Omit<RemoteConversationOptions, 'workspace'>;
}

/**
 * Resolves with the names of models that are listed, as OpenHands' server does: the stored models, or the usual one if none is stored. A request may always
 * ask for the usual one.
 */
export async function modelNames({ settingsStore }: NewConversationDeps): Promise<readonly string[]> {
  const names = (await settingsStore?.models.names()) ?? [];
  return names.length === 0 ? [USUAL] : names.map((name) => STORED + name);
}

/**
 * Resolves with the options of a conversation by the stored settings. Rejects `ConversationError` `INVALID_INPUT` for a model that there is not, and
 * `UNSUPPORTED` on a server without settings.
 */
export async function newConversationOptions(
  { settingsStore, folder }: NewConversationDeps,
  { model = USUAL, instructions = '', clientTools = [] }: WantedConversation,
  { caller, id }: { readonly caller: Caller; readonly id: string },
): Promise<NewConversationOptions> {
  if (!settingsStore || folder === undefined)
    throw new ConversationError('UNSUPPORTED', 'expected the id of a conversation: this server makes none by settings');
  const { agent_settings: agent, conversation_settings: conversation } = await settingsStore.settings.get();
  const llm = model === USUAL ? agent['llm'] : await storedModel(settingsStore, model);
  const described = agentFromSettings({ ...agent, ...(isJsonObject(llm) ? { llm } : {}) });
  const { max_iterations: most } = conversation;
  const options = {
    id,
    agent: instructions === '' ? described : withSuffix(described, instructions),
    ...safeguards(conversation, caller),
    ...(clientTools.length === 0 ? {} : { clientTools }),
    ...(typeof most === 'number' ? { maxIterations: most } : {}),
  };
  return { workingDir: folderOf(folder, caller, id), options };
}

async function storedModel({ models }: SettingsStore, model: string): Promise<JsonObject> {
  const name = model.startsWith(STORED) ? model.slice(STORED.length) : '';
  const llm = (await models.names()).includes(name) ? await models.get(name) : undefined;
  if (llm) return { ...llm, usage_id: 'agent' };
  const expected = `expected the model ${USUAL}, or ${STORED} and the name of a stored model`;
  throw new ConversationError('INVALID_INPUT', `${expected}, found ${JSON.stringify(model)}`);
}

/** Asks as the settings say. A caller that may not approve cannot begin a conversation that asks for less than all. */
function safeguards(
  { confirmation_mode: asks, security_analyzer: analyzer }: JsonObject,
  caller: Caller,
): Pick<RemoteConversationOptions, 'confirmationPolicy' | 'securityAnalyzer'> {
  if (!has(caller, 'approve')) return { confirmationPolicy: { kind: 'AlwaysConfirm' } };
  if (asks !== true) return { confirmationPolicy: { kind: 'NeverConfirm' } };
  const kind = typeof analyzer === 'string' ? ANALYZERS[analyzer] : undefined;
  if (kind === undefined) return { confirmationPolicy: { kind: 'AlwaysConfirm' } };
  return { confirmationPolicy: { kind: 'ConfirmRisky' }, securityAnalyzer: { kind } };
}

const ANALYZERS: Readonly<
  Record<string, 'LLMSecurityAnalyzer' | 'PatternSecurityAnalyzer' | 'PolicyRailSecurityAnalyzer'>
> = {
  llm: 'LLMSecurityAnalyzer',
  pattern: 'PatternSecurityAnalyzer',
  policy_rail: 'PolicyRailSecurityAnalyzer',
};

/** A limited caller begins in a folder of its own, because it may not know what others have in the common one. */
function folderOf(folder: string, { limits }: Caller, id: string): string {
  const [own] = (limits?.folders ?? []).filter((path) => isAbsolute(path));
  return limits ? join(own ?? folder, id) : folder;
}
