import { createAgent, openaiCompatible } from '@conv/agent';
import { createConversationFactory, type Conversation, type SecretUpdate } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { local } from '@conv/local';
import { executeIn, RemoteWorkspace } from '@conv/remote';
import { createSecretVault, fernetCipher } from '@conv/secrets';
import { openStore } from '@conv/stores';
import { call, lastUserText, say, toolResults, type Script } from '@conv/testing-model-server';
import { fileEditor, terminal } from '@conv/tools';

/** The key of the model, which stays with the conversation. */
export const MODEL_KEY = 'sk-key-of-the-model-5f1c9a';
/** The key of the executor. */
export const KEY = 'key-of-the-executor-7b20e4';

/** Makes the calls that the last message of the user lists as JSON, one after the other, then says the results. */
export const script: Script = (request) => {
  const wanted = JSON.parse(lastUserText(request)) as readonly WantedCall[];
  const done = toolResults(request, 'since-last-user-message');
  const next = wanted[done.length];
  return next ? call(...next) : say('done');
};

/** The name of a tool and the arguments of its call. */
export type WantedCall = readonly [tool: string, input: Readonly<Record<string, unknown>>];

/** Where a loop finds its parts. */
export interface LoopPlaces {
  readonly id?: string;
  /** The folder of its conversations. */
  readonly store: string;
  readonly model: string;
  readonly executor: string;
  readonly key?: string;
  readonly workingDir: string;
  readonly secrets?: SecretUpdate;
}

/** A conversation of this process that acts in an executor, by default the one at its address. */
export async function openLoop(
  places: LoopPlaces,
  server: Parameters<typeof executeIn>[0] = serverOf(places),
): Promise<Conversation> {
  const { id, model, secrets } = places;
  const opened = await openStore(`fs:${places.store}`);
  const Conversation = createConversationFactory({
    runtimes: [local({ storeAt: () => opened.store, secrets: createSecretVault })],
  });
  return Conversation({
    ...(id === undefined ? {} : { id }),
    agent: createAgent({
      model: openaiCompatible('test-model', { baseUrl: model, apiKey: MODEL_KEY }),
      tools: [terminal(), fileEditor()],
    }),
    store: opened.store,
    cipher: fernetCipher('the key of the store'),
    workspace: executeIn(server),
    ...(secrets ? { secrets } : {}),
  });
}

function serverOf({ executor, key = KEY, workingDir }: LoopPlaces): RemoteWorkspace {
  return new RemoteWorkspace({ host: executor, apiKey: key, workingDir, requests: { requestTimeout: 1000 } });
}

/** Has these calls made, and resolves with the results that the model then read. */
export async function make(conversation: Conversation, ...wanted: readonly WantedCall[]): Promise<readonly string[]> {
  const before = conversation.events.length;
  await conversation.sendMessage(JSON.stringify(wanted));
  await conversation.run();
  return resultsIn(conversation, before);
}

/** Resolves with the results of calls in a conversation, without those in its first events. */
export async function resultsIn(conversation: Conversation, before = 0): Promise<readonly string[]> {
  const events = await conversation.events.slice(before);
  return events.flatMap((event) => {
    if (isEvent(event, 'AgentErrorEvent')) return [event.error];
    return isEvent(event, 'ObservationEvent') ? [JSON.stringify(event.observation)] : [];
  });
}
