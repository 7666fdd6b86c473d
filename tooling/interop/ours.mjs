/** Our side of the folder check, on the built packages alone. Its interface is `ours.d.mts`. */
import { createHash, randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { createAgent, createAgentFactory, openaiCompatible } from '@conv/agent';
import { ConversationState, viewOf } from '@conv/core';
import { eventsToMessages, toChatMessages, toResponsesInput } from '@conv/openhands/messages';
import { openLocalConversation } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { call, createModelServer, say } from '@conv/testing-model-server';
import { fileEditor, taskTracker, terminal } from '@conv/tools';
import { fernet } from './fernet.mjs';

/** The flags of the goldens (README.md): a model without vision and without prompt caching. */
const FLAGS = {
  model: 'openai/gpt-4o',
  cache_enabled: false,
  vision_enabled: false,
  function_calling_enabled: true,
  force_string_serializer: false,
  send_reasoning_content: false,
  inline_image_urls: false,
  is_subscription: false,
  condenser: null,
};

export async function describe(folder, secretKey) {
  const store = new FsStore({ directory: dirname(folder) });
  try {
    const journal = await store.open(basename(folder), { create: 'never', owner: 'interop' });
    const state = await ConversationState.open(journal);
    const described = await describeState(state, secretKey);
    await state.close();
    return described;
  } finally {
    await store.close();
  }
}

export async function continueFolder(folder, { message, answer, secretKey, whileOpen }) {
  const server = await createModelServer({ script: [say(answer)] });
  const store = new FsStore({ directory: dirname(folder) });
  const tools = { terminal: () => terminal(), file_editor: () => fileEditor(), task_tracker: () => taskTracker() };
  const model = () => openaiCompatible('gpt-4o', { name: 'openai/gpt-4o', baseUrl: server.url, apiKey: 'interop' });
  const agents = createAgentFactory({ tools, model });
  try {
    const conversation = await openLocalConversation(
      { storeAt: () => store, agents },
      { store, id: basename(folder), create: 'never', workspace: dirname(folder), cipher: fernet(secretKey) },
    );
    await conversation.sendMessage(message);
    await conversation.run();
    await store.mirrorComplete(conversation.id);
    try {
      await whileOpen?.(await describeState(conversation.state, secretKey));
    } finally {
      await conversation.close();
    }
  } finally {
    await store.close();
    await server.close();
  }
}

export async function makeRatedFolder(parent) {
  const server = await createModelServer({ script: [call('task_tracker', { command: 'view' }), say('Done.')] });
  const store = new FsStore({ directory: parent });
  const model = openaiCompatible('gpt-4o', { name: 'openai/gpt-4o', baseUrl: server.url, apiKey: 'interop' });
  const id = randomUUID();
  try {
    const conversation = await openLocalConversation(
      { storeAt: () => store },
      {
        store,
        id,
        workspace: parent,
        openhands: '>=1.54',
        agent: createAgent({ model, tools: [taskTracker()] }),
        securityAnalyzer: { kind: 'LLMSecurityAnalyzer' },
      },
    );
    await conversation.sendMessage('Which tasks are there?');
    await conversation.run();
    await conversation.close();
  } finally {
    await store.close();
    await server.close();
  }
  return join(parent, id.replaceAll('-', ''));
}

/** Opens the folder, and keeps it open; each step resolves with the ids of the events that are known then, on disk too. */
export async function holdFolder(folder, { workspace, secretKey }) {
  const store = new FsStore({ directory: dirname(folder) });
  const agents = createAgentFactory({ tools: { terminal: () => terminal() }, model: () => modelThatIsNotAsked() });
  const conversation = await openLocalConversation(
    { storeAt: () => store, agents },
    { store, id: basename(folder), create: 'never', workspace, cipher: fernet(secretKey) },
  );
  const ids = async () => (await conversation.events.slice()).map(({ id }) => id);
  return {
    ids,
    async say(message) {
      await conversation.sendMessage(message);
      await store.mirrorComplete(conversation.id);
      return ids();
    },
    async close() {
      await conversation.close();
      await store.close();
    },
  };
}

function modelThatIsNotAsked() {
  return openaiCompatible('gpt-4o', { name: 'openai/gpt-4o', baseUrl: 'http://127.0.0.1:9', apiKey: 'interop' });
}

async function describeState(state, secretKey) {
  const branch = await state.events.branch();
  const { events: view, requested } = viewOf(branch);
  const messages = eventsToMessages(view);
  const { instructions, input } = toResponsesInput(messages, { vision: false });
  return {
    id: state.id,
    head: state.leafEventId,
    event_count: state.events.length,
    branch: branch.map(({ id }) => id),
    pending: state.pendingActions.map(({ id }) => id),
    view: view.map(({ id }) => id),
    condensation_requested: requested,
    flags: FLAGS,
    messages: toChatMessages(messages, { vision: false, cachePrompt: false, nativeToolCalling: true }),
    responses: { instructions: instructions ?? null, input },
    stats: totals(Object.values(state.stats)),
    execution_status: state.executionStatus,
    confirmation_policy: state.confirmationPolicy,
    security_analyzer: state.securityAnalyzer,
    max_iterations: state.maxIterations,
    last_user_message_id: state.lastUserMessageId,
    tags: state.tags,
    title: state.title,
    secrets: secretsOf(state, fernet(secretKey)),
  };
}

/** As the reference combines usages: sums, the largest window, the last turn. */
function totals(usages) {
  const sum = (key) => usages.reduce((total, usage) => total + usage[key], 0);
  return {
    accumulated_cost: sum('cost'),
    accumulated_token_usage: {
      prompt_tokens: sum('promptTokens'),
      completion_tokens: sum('completionTokens'),
      cache_read_tokens: sum('cacheReadTokens'),
      cache_write_tokens: sum('cacheWriteTokens'),
      reasoning_tokens: sum('reasoningTokens'),
      context_window: Math.max(0, ...usages.map(({ contextWindow }) => contextWindow)),
      per_turn_token: usages.at(-1)?.perTurnTokens ?? 0,
    },
  };
}

/** Secrets by the hash of their values: that both sides read the same ones, without showing any. */
function secretsOf(state, cipher) {
  const hash = (token) => {
    const plain = typeof token === 'string' ? cipher.decrypt(token) : undefined;
    return plain === undefined ? null : `sha256:${createHash('sha256').update(plain).digest('hex')}`;
  };
  const sources = Object.entries(state.secretRegistry.secret_sources ?? {});
  return {
    llm_api_key: hash(state.agent.llm?.api_key),
    registry: Object.fromEntries(
      sources.map(([name, { kind, value }]) => [name, kind === 'StaticSecret' ? hash(value) : null]),
    ),
  };
}
