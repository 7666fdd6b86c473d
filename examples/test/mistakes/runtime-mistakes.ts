// Mistakes with runtimes, factories and the options of conversations.
import * as agent from '@conv/agent';
import { createConversationFactory } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import * as tool from '@conv/core/tool';
import { createHooks } from '@conv/hooks';
import { local } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { SqliteStore } from '@conv/persist-sqlite';
import { remote } from '@conv/remote';
import { createSecretVault, fernetCipher } from '@conv/secrets';
import { createStuckDetector } from '@conv/stuck';
import { join } from 'node:path';

import {
  folder,
  file,
  wrong,
  id,
  model,
  assistant,
  Local,
  WithVault,
  OnDisk,
  there,
  weather,
  type Anything,
  type Mistake,
} from './setting.ts';

/** Mistakes with runtimes, factories and the options of conversations. */
export const runtimeMistakes: readonly Mistake[] = [
  [() => local(wrong(undefined)), 'local: expected an object with the options …, found nothing'],
  [
    () => local(wrong({})),
    'local: storeAt: expected a function that makes a store, such as (directory) => new FsStore({ directory }), found nothing',
  ],
  [
    () => local(wrong({ storeAt: new MemoryStore() })),
    'local: storeAt: expected a function that makes a store, such as (directory) => new FsStore({ directory }), found an object of MemoryStore',
  ],
  [
    () =>
      createConversationFactory({ runtimes: [local({ storeAt: wrong(() => undefined) })] }).create({
        agent: assistant,
        workspace: folder,
      }),
    'local: storeAt: expected it to return a store, such as new FsStore({ directory }), found nothing',
  ],
  [
    () =>
      createConversationFactory({ runtimes: [local({ storeAt: wrong(() => FsStore) })] }).create({
        agent: assistant,
        workspace: folder,
      }),
    'local: storeAt: expected it to return a store, such as new FsStore({ directory }), found the function FsStore',
  ],
  [
    () =>
      createConversationFactory({ runtimes: [local({ storeAt: wrong(async () => new MemoryStore()) })] }).create({
        agent: assistant,
        workspace: folder,
      }),
    'local: storeAt: expected it to return a store, such as new FsStore({ directory }), found an object of Promise',
  ],
  [
    async () => {
      const store = new SqliteStore({ file: join(folder, 'shared.db') });
      const conversations = createConversationFactory({ runtimes: [local({ storeAt: () => store })] });
      await (await conversations.create({ agent: assistant, workspace: folder })).close();
      await conversations.create({ agent: assistant, workspace: folder });
    },
    'local: storeAt: expected a new store each time, because each conversation closes its own, found one that is closed; pass a store that conversations share as their option store',
  ],
  [
    () => local(wrong({ storeAt: () => new MemoryStore(), secrets: createSecretVault({}) })),
    'local: secrets: expected createSecretVault, the function itself, found an object of Vault',
  ],
  [
    () => local(wrong({ storeAt: () => new MemoryStore(), hooks: createHooks({}) })),
    'local: hooks: expected reviveHooks(), found an object',
  ],
  [
    () => local(wrong({ storeAt: () => new MemoryStore(), stuckDetector: createStuckDetector })),
    'local: stuckDetector: expected createStuckDetector(), found the function createStuckDetector',
  ],
  [
    () => local(wrong({ storeAt: () => new MemoryStore(), analyzers: agent.patternSecurityAnalyzer() })),
    'local: analyzers: expected reviveSecurityAnalyzer, the function itself, found an object',
  ],
  [
    () => local(wrong({ storeAt: () => new MemoryStore(), agents: agent.createAgentFactory })),
    'local: agents: expected createAgentFactory(), found the function createAgentFactory',
  ],
  [
    () => local(wrong({ storeAt: () => new MemoryStore(), protect: ['/etc'] })),
    'local: protect: expected a function that returns { addresses, paths }, found an array',
  ],
  [
    () => createConversationFactory(wrong(undefined)),
    'createConversationFactory: expected an object with the options runtimes, found nothing',
  ],
  [
    () => createConversationFactory(wrong({ runtimes: remote() })),
    'createConversationFactory: runtimes: expected runtimes such as local({ storeAt: (directory) => new FsStore({ directory }) }) in an array, found an object',
  ],
  [
    () => createConversationFactory(wrong({ runtimes: [local] })),
    'createConversationFactory: runtimes[0]: expected runtimes such as local({ storeAt: (directory) => new FsStore({ directory }) }), found the function local',
  ],
  [
    () => createConversationFactory(wrong({ runtimes: [] })),
    'createConversationFactory: runtimes: expected runtimes such as local({ storeAt: (directory) => new FsStore({ directory }) }), found none',
  ],
  [
    () => createConversationFactory(wrong({ runtime: [remote()] })),
    'createConversationFactory: there is no option "runtime"; did you mean runtimes?',
  ],
  [
    () => new (Local as unknown as Anything)({ agent: assistant }),
    'Conversation: it is called without new; write await Conversation({ agent, workspace })',
  ],
  [
    () => Local(wrong(undefined)),
    "[INVALID_INPUT] Conversation: expected options such as { agent, workspace: 'my-project' }, found nothing",
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: 5 })),
    "[UNSUPPORTED] Conversation: workspace: expected a workspace for the runtime local, found a number; a path such as 'my-project' is for local(…), a new RemoteWorkspace({ host }) for remote()",
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: null })),
    "[UNSUPPORTED] Conversation: workspace: expected a workspace for the runtime local, found null; a path such as 'my-project' is for local(…), a new RemoteWorkspace({ host }) for remote()",
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: 'http://localhost:8000' })),
    '[INVALID_INPUT] Conversation: workspace: expected a folder on this machine, found a URL; give new RemoteWorkspace({ host }) for a server',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: new URL('file:///tmp') })),
    "[UNSUPPORTED] Conversation: workspace: expected a workspace for the runtime local, found an object of URL; a path such as 'my-project' is for local(…), a new RemoteWorkspace({ host }) for remote()",
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: file('plain.txt', 'x') })),
    "[INVALID_INPUT] workspace: expected a folder that an agent can work in, found <folder>/plain.txt: EEXIST: file already exists, mkdir '<folder>/plain.txt'",
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: '' })),
    "[INVALID_INPUT] Conversation: workspace: expected a folder, such as 'my-project', found an empty string",
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: there })),
    "[UNSUPPORTED] Conversation: workspace: expected a workspace for the runtime local, found an object of RemoteWorkspace; a path such as 'my-project' is for local(…), a new RemoteWorkspace({ host }) for remote()",
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: { kind: 'DockerWorkspace', workingDir: '/x' } })),
    "[UNSUPPORTED] Conversation: workspace: expected a workspace for the runtime local, found an object; a path such as 'my-project' is for local(…), a new RemoteWorkspace({ host }) for remote()",
  ],
  [
    () => Local(wrong({ workspace: folder })),
    '[AGENT_REQUIRED] conversation <id> is new, and a new one needs an agent; give agent: createAgent({ model, tools })',
  ],
  [
    () => Local(wrong({ agent: model, workspace: folder })),
    '[INVALID_INPUT] Conversation: agent: expected createAgent({ model, tools }), found an object',
  ],
  [
    () => Local(wrong({ agent: { model, tools: [] }, workspace: folder })),
    '[INVALID_INPUT] Conversation: agent: expected createAgent({ model, tools }), found an object',
  ],
  [
    () => Local(wrong({ agent: agent.createAgent, workspace: folder })),
    '[INVALID_INPUT] Conversation: agent: expected createAgent({ model, tools }), found the function createAgent',
  ],
  [
    () => Local(wrong({ agent: 'gpt-5', workspace: folder })),
    '[INVALID_INPUT] Conversation: agent: expected createAgent({ model, tools }), found a string',
  ],
  [
    () => Local(wrong({ agent: null, workspace: folder })),
    '[INVALID_INPUT] Conversation: agent: expected createAgent({ model, tools }), found null',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, id: 'my-conversation' })),
    '[INVALID_INPUT] expected the id of a conversation, a UUID such as 01234567-89ab-4cde-8f01-23456789abcd, found "my-conversation", which is not a UUID',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, id: 5 })),
    '[INVALID_INPUT] expected the id of a conversation, a UUID such as 01234567-89ab-4cde-8f01-23456789abcd, found 5, which is not a UUID',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, create: true })),
    "[INVALID_INPUT] Conversation: create: expected 'never', 'ifMissing' or 'must', found a boolean",
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, store: FsStore })),
    '[INVALID_INPUT] Conversation: store: expected a store such as new FsStore({ directory }), found the function FsStore',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, store: 'fs:x' })),
    '[INVALID_INPUT] Conversation: store: expected a store such as new FsStore({ directory }), found a string',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, store: new MemoryStore(), persistenceDir: 'x' })),
    '[INVALID_INPUT] Conversation: store and persistenceDir cannot be given together; give one of them',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, persistenceDir: 5 })),
    "[INVALID_INPUT] Conversation: persistenceDir: expected the path of a folder, such as 'conversations', found a number",
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, maxIterations: 0 })),
    '[INVALID_INPUT] maxIterations: expected a positive whole number, found 0',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, maxIterations: '10' })),
    '[INVALID_INPUT] maxIterations: expected a positive whole number, found "10"',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, maxBudget: -1 })),
    '[INVALID_INPUT] maxBudget: expected a number above 0 or null, found -1',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, toolTimeout: '10s' })),
    '[INVALID_INPUT] toolTimeout: expected a number above 0 or null, found "10s"',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, stuckDetection: 'no' })),
    '[INVALID_INPUT] Conversation: stuckDetection: expected true or false, found a string',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, confirmationPolicy: 'AlwaysConfirm' })),
    "[INVALID_INPUT] confirmationPolicy: expected an object such as { kind: 'AlwaysConfirm' }, found a string",
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, confirmationPolicy: { kind: 'AllwaysConfirm' } })),
    "[INVALID_INPUT] confirmationPolicy: kind: Invalid discriminator value. Expected 'AlwaysConfirm' | 'NeverConfirm' | 'ConfirmRisky'",
  ],
  [
    () =>
      Local(
        wrong({
          agent: assistant,
          workspace: folder,
          confirmationPolicy: { kind: 'ConfirmRisky', threshold: 'medium' },
        }),
      ),
    '[INVALID_INPUT] confirmationPolicy: threshold: Invalid option: expected one of "LOW"|"MEDIUM"|"HIGH"',
  ],
  [
    () =>
      Local(
        wrong({ agent: assistant, workspace: folder, confirmationPolicy: { kind: 'ConfirmRisky', treshold: 'HIGH' } }),
      ),
    '[INVALID_INPUT] confirmationPolicy: there is no option "treshold"; did you mean threshold?',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, securityAnalyzer: agent.patternSecurityAnalyzer })),
    "[INVALID_INPUT] securityAnalyzer: expected one such as patternSecurityAnalyzer(), { kind: 'LLMSecurityAnalyzer' } or null, found the function patternSecurityAnalyzer",
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, securityAnalyzer: 'pattern' })),
    "[INVALID_INPUT] securityAnalyzer: expected one such as patternSecurityAnalyzer(), { kind: 'LLMSecurityAnalyzer' } or null, found a string",
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, hooks: { preToolUse: [] } })),
    '[INVALID_INPUT] hooks: expected createHooks({ preToolUse: [...] }), or null for none, found an object',
  ],
  [
    () => WithVault(wrong({ agent: assistant, workspace: folder, secrets: ['TOKEN'] })),
    '[INVALID_INPUT] secret "0": its name is not an identifier of at most 64 ASCII letters, digits and underscores, such as DEPLOY_TOKEN',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, secrets: { TOKEN: 'x' } })),
    '[UNSUPPORTED] this runtime was given no vault for secrets; give local({ secrets: createSecretVault })',
  ],
  [
    () => WithVault(wrong({ agent: assistant, workspace: folder, secrets: { TOKEN: 5 } })),
    '[INVALID_INPUT] secret "TOKEN": expected a text, { value }, { url } or { get }, found a number',
  ],
  [
    () => WithVault(wrong({ agent: assistant, workspace: folder, secrets: { TOKEN: undefined } })),
    '[INVALID_INPUT] secret "TOKEN": expected a text, { value }, { url } or { get }, found nothing',
  ],
  [
    () => WithVault(wrong({ agent: assistant, workspace: folder, secrets: { 'MY TOKEN': 'x' } })),
    '[INVALID_INPUT] secret "MY TOKEN": its name is not an identifier of at most 64 ASCII letters, digits and underscores, such as DEPLOY_TOKEN',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, clientTools: [tool.defineTool(weather)] })),
    '[INVALID_INPUT] clientTools.0: expected a description with parameters, found a tool with execute; give it to createAgent({ tools })',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, clientTools: {} })),
    '[INVALID_INPUT] clientTools: expected a list such as [{ name, description, parameters }], found an object',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, tags: ['x'] })),
    "[INVALID_INPUT] tags: expected an object of texts, such as { team: 'search' }, found an array",
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, tags: { 'my-tag': 'x' } })),
    '[INVALID_INPUT] tags: expected keys of lower-case letters and digits, such as "team", found "my-tag"',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, title: '' })),
    '[INVALID_INPUT] title: expected a text of 1 to 200 characters beside blanks, found an empty string',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, subscribers: () => {} })),
    '[INVALID_INPUT] Conversation: subscribers: expected a list such as [subscriber], found the function subscribers',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, subscribers: ['x'] })),
    '[INVALID_INPUT] Conversation: subscribers[0]: expected a function of an event, or an object with methods such as onEvent(event), found a string',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, subscribers: [{ onEvents: () => {} }] })),
    '[INVALID_INPUT] Conversation: subscribers[0]: a subscriber has no method "onEvents"; did you mean onEvent?',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, visualizer: 'terminal' })),
    '[INVALID_INPUT] Conversation: visualizer: expected a function of an event, or an object with methods such as onEvent(event), found a string',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, cipher: 'key' })),
    '[INVALID_INPUT] Conversation: cipher: expected fernetCipher(key), found a string',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, cipher: fernetCipher })),
    '[INVALID_INPUT] Conversation: cipher: expected fernetCipher(key), found the function fernetCipher',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, meta: 'x' })),
    '[INVALID_INPUT] Conversation: meta: expected an object, found a string',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, owner: '' })),
    '[INVALID_INPUT] Conversation: owner: expected a text that is not blank, found an empty string',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, signal: new AbortController() })),
    '[INVALID_INPUT] Conversation: signal: expected an AbortSignal, such as AbortSignal.timeout(60_000), found an object of AbortController; give its .signal',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, subscriberGrace: -1 })),
    '[INVALID_INPUT] Conversation: subscriberGrace: expected milliseconds from 0, found a number',
  ],
  [
    () => Local(wrong({ agent: assistant, workspace: folder, parentId: id })),
    '[INVALID_INPUT] parentId: the store has no conversation 00000000-0000-4000-8000-000000000000; make the parent first',
  ],
  [
    () => Local.resume(wrong(undefined)),
    '[INVALID_INPUT] resume: expected the id of a conversation, a UUID, found nothing',
  ],
  [
    () => OnDisk.resume(id, { agent: assistant, persistenceDir: join(folder, 'cc') }),
    '[NOT_FOUND] there is no conversation 00000000-0000-4000-8000-000000000000 in <folder>/cc; give persistenceDir, the folder that holds it, or make a new one with create instead of resume',
  ],
  [
    () => Local.resume('1f2e3d4c', { agent: assistant }),
    '[INVALID_INPUT] expected the id of a conversation, a UUID such as 01234567-89ab-4cde-8f01-23456789abcd, found "1f2e3d4c", which is not a UUID',
  ],
  [
    () => Local.resume(wrong({ id: 'x' })),
    '[INVALID_INPUT] resume: expected the id of a conversation, a UUID, found an object',
  ],
  [
    () => Local.create(wrong({ agent: assistant, create: 'never' })),
    '[INVALID_INPUT] create: create is no option of it, because create says it already; leave it out',
  ],
];
