import process from 'node:process';

import type { Model } from '@conv/agent';
import type { Conversation } from '@conv/core';
import type { JsonObject } from '@conv/core/events';

import { type Settings, settingsOf } from '../../config/settings.ts';
import { atRest } from '../../conversation/at-rest.ts';
import { conversationsWith } from '../../conversation/local-conversations.ts';
import { agentsWith, programAgent, resumedAgent } from '../../conversation/program-agent.ts';
import { type Home, openHome, placeText } from '../../conversation/home.ts';
import { placeArguments } from '../../conversation/place.ts';
import { sandboxHere } from '../../conversation/sandbox-here.ts';
import { riskAnalyzer } from '../../conversation/safeguards.ts';
import { readConversation } from '../../conversation/stored-conversation.ts';
import { HeldResources } from '../../held-resources.ts';
import { LoginsHere } from '../../logins/logins-here.ts';
import { type ChosenModel, chooseModel, isModelConfigured, modelNamed } from '../../model/choose-model.ts';
import type { Program } from '../../program.ts';
import { historyFileFor } from '../history/history-file.ts';
import type { ChatHome, SessionFolder } from './chat-home.ts';
import { ChildFeed } from './child-feed.ts';
import { type ChatOptions, chosenPolicy, firstPolicy, namesOf } from './chat-options.ts';

/** A home with what it holds open. */
export type OpenHome = ChatHome & AsyncDisposable;

/** The parts that the conversations of a home share. */
interface HomeParts {
  readonly options: ChatOptions;
  readonly settings: Settings;
  readonly chosen: ChosenModel;
  readonly place: Home;
  readonly children: ChildFeed;
}

/**
 * Returns the chats of a store of this machine. `waits`: as of {@link LoginsHere}. Rejects `CommandError` for a missing model, and as the settings do.
 */
export async function localHome(
  options: ChatOptions,
  program: Program,
  { waits = true }: { readonly waits?: boolean } = {},
): Promise<OpenHome> {
  const chosenSettings = await settingsOf(options, options.workspace ?? process.cwd());
  const { confined, notice } = await sandboxHere(chosenSettings, options.store);
  await using held = new HeldResources();
  const logins = held.use(new LoginsHere({ waits }));
  const settings = { ...chosenSettings, agent: { ...chosenSettings.agent, ...confined, logins } };
  const place = held.use(await openHome(options.store));
  const chosen = held.use(await chooseModel(settings.model, program.standIn));
  const parts: HomeParts = { options, settings, chosen, place, children: new ChildFeed() };
  const resources = held.move();
  return {
    place: `in ${placeText(options.store)}`,
    ...(notice === undefined ? {} : { notice }),
    runsOn: false,
    historyFile: historyFileFor(placeText(options.store)),
    open: async (id, folder) => {
      const given = folder ? await partsIn(parts, folder) : parts;
      return id === undefined ? await create(given) : await resume(id, given);
    },
    run: (conversation, options) => conversation.run(options),
    models: () => Promise.resolve(namesOf(chosen.model.name, process.env['LLM_MODEL'], settings.model?.name)),
    modelNamed: (name) => modelNamed(name),
    analyzer: () => Promise.resolve(riskAnalyzer()),
    watchLogins: (listener) => logins.showBy(listener),
    watchChildren: (_, listener) => parts.children.listen(listener),
    commandFor: (id, command) =>
      `${program.invocation} ${command} ${id}${placeArguments(options, program.defaultStore)}`,
    [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose](),
  };
}

/** Returns the parts for a session of an editor, in whose folder are other skills than in that of the options. */
async function partsIn(parts: HomeParts, { workspace, servers }: SessionFolder): Promise<HomeParts> {
  const { options, settings } = parts;
  const { agent } = settings;
  const skills = await settings.skillsIn(workspace);
  const all = { ...agent.servers, ...servers };
  const changed = {
    ...agent,
    ...(skills ? { skills } : {}),
    ...(Object.keys(all).length > 0 ? { servers: all } : {}),
  };
  return { ...parts, options: { ...options, workspace }, settings: { ...settings, agent: changed } };
}

function create({
  options,
  settings,
  chosen: { model },
  place,
  children: { visualizer },
}: HomeParts): Promise<Conversation> {
  return conversationsWith(agentsWith(model, settings.agent), settings.agent.sandbox).create({
    agent: programAgent(model, settings.agent),
    workspace: options.workspace ?? process.cwd(),
    visualizer,
    ...place.options,
    ...atRest(),
    ...settings.conversation,
    ...firstPolicy(options, settings),
  });
}

/** Rebuilds the stored agent with the parts that the options name, and with its own model if the same key fits it. */
async function resume(
  id: string,
  { options, settings, chosen, place, children: { visualizer } }: HomeParts,
): Promise<Conversation> {
  const stored = await storedAgent(options.store, id);
  const model = modelFor(stored, chosen.model);
  const agent = await resumedAgent(stored, model, { settings: settings.agent, ...atRest() });
  return await conversationsWith(agentsWith(model, settings.agent), settings.agent.sandbox).resume(id, {
    agent,
    visualizer,
    ...place.options,
    ...atRest(),
    ...settings.conversation,
    ...chosenPolicy(options),
  });
}

async function storedAgent(store: string, id: string): Promise<JsonObject> {
  await using stored = await readConversation(store, id);
  return stored.state.agent;
}

/** A model of the same provider was chosen in an earlier chat; one of another provider may need another key. */
function modelFor({ llm }: JsonObject, chosen: Model): Model {
  const { model: name } = (llm ?? {}) as { readonly model?: unknown };
  if (typeof name !== 'string' || name === chosen.name || !isModelConfigured()) return chosen;
  return name.split('/')[0] === chosen.name.split('/')[0] && name.includes('/') ? modelNamed(name) : chosen;
}
