import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ModelScript, ScriptedAgent } from '@conv/conformance';
import { MemoryStore } from '@conv/core/store';
import { defineTool, text } from '@conv/core/tool';
import { openRemoteConversation, RemoteWorkspace, type RemoteConversation } from '@conv/remote';
import { agentServer } from '@conv/server';
import { fastify } from 'fastify';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

import { PROTOCOLS } from '../src/protocols/protocol-names.ts';
import { servedProtocols } from '../src/protocols/served-protocols.ts';
import { calls, confirmationPolicy } from './openai-api.ts';

/** A conversation of ann whose first call waits for a person. */
export interface AskedStage {
  readonly url: string;
  readonly id: string;
  /** The message of the user. */
  readonly event: string;
  /** The call that waits. */
  readonly call: string;
  readonly ann: RemoteConversation;
  readonly bob: RemoteConversation;
}

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ words: z.string() }),
  execute: ({ words }) => text(words),
});

/** Starts a server with keys of ann and bob that speaks all protocols, and has a call of ann wait. */
export async function askedStage(options: Partial<Parameters<typeof agentServer>[0]> = {}): Promise<AskedStage> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-asked-'));
  const script = new ModelScript([calls('echo', 'hi'), { text: 'Done.' }]);
  const agent = new ScriptedAgent({ script, tools: [echo] });
  const app = fastify({ pluginTimeout: 0, forceCloseConnections: true });
  await app.register(
    agentServer({
      store: new MemoryStore(),
      persistenceDir: folder,
      agents: { revive: async () => agent },
      principal: (name) => ({ name, scopes: ['read', 'run', 'approve', 'admin'] }),
      protocols: servedProtocols(PROTOCOLS),
      report: () => {},
      ...options,
    }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const openFor = async (apiKey: string, id?: string): Promise<RemoteConversation> => {
    const workspace = new RemoteWorkspace({ host: url, apiKey, workingDir: folder });
    return openRemoteConversation(
      {},
      id === undefined
        ? { workspace, agent: agent.describe(), confirmationPolicy }
        : { workspace, id, create: 'never' },
    );
  };
  const ann = await openFor('ann');
  const bob = await openFor('bob', ann.id);
  onTestFinished(async () => {
    await Promise.all([ann.close(), bob.close()]);
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });
  const { id: event } = await ann.sendMessage('Go');
  await ann.run();
  const call = String(ann.state.pendingActions[0]?.id);
  return { url, id: ann.id, event, call, ann, bob };
}
