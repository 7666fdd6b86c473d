import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { serverProgram } from '@conv/agent-server';
import { ConversationState } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { FsStore } from '@conv/persist-fs';

import { textOf } from '../peer.ts';
import { PEERS_PYTHON } from '../python.ts';
import { conversationsIn, type AgentServer } from './agent-server.ts';
import { startServer } from './server-process.ts';

const FILLED_AT_ONCE = 500;

const ours: AgentServer = {
  key: 'conv-server',
  title: 'conv-server, files',
  packages: [],
  start: (folder) => startServer(process.execPath, [serverProgram], folder),
  fill: async (folder, id, count) => {
    const store = new FsStore({ directory: conversationsIn(folder) });
    const state = await ConversationState.open(await store.open(id, { owner: 'bench', create: 'never' }));
    for (let at = state.events.length; at < count; at += FILLED_AT_ONCE)
      await state.append(
        Array.from({ length: Math.min(FILLED_AT_ONCE, count - at) }, (_, index) => userMessage(textOf(at + index))),
      );
    await state.close();
    await store.close();
  },
};

/** Writes files as its SDK does, but flushes none: to fill is no measurement. */
const openhands: AgentServer = {
  key: 'openhands-server',
  title: 'OpenHands agent server (Python), files',
  packages: ['openhands-agent-server'],
  needs: 'python',
  start: (folder) => startServer(PEERS_PYTHON, ['-m', 'openhands.agent_server', '--host', '127.0.0.1'], folder),
  fill: async (folder, id, count) => {
    const conversation = join(conversationsIn(folder), id.replaceAll('-', ''));
    const events = join(conversation, 'events');
    for (const name of readdirSync(events)) if (name.endsWith('.marker')) rmSync(join(events, name));
    const names = readdirSync(events)
      .filter((name) => name.startsWith('event-'))
      .toSorted();
    const last = JSON.parse(readFileSync(join(events, names.at(-1) ?? ''), 'utf8')) as { readonly id: string };
    let parent = last.id;
    for (let at = names.length; at < count; at++) {
      const event = messageEvent(parent, at);
      writeFileSync(join(events, `event-${String(at).padStart(5, '0')}-${event.id}.json`), JSON.stringify(event));
      parent = event.id;
    }
    const base = join(conversation, 'base_state.json');
    const state = JSON.parse(readFileSync(base, 'utf8')) as object;
    writeFileSync(base, JSON.stringify({ ...state, leaf_event_id: parent, last_user_message_id: parent }));
  },
};

function messageEvent(parent: string, at: number): { readonly id: string } {
  return {
    id: randomUUID(),
    parent_id: parent,
    timestamp: new Date().toISOString().replace('Z', '000'),
    source: 'user',
    llm_message: { role: 'user', content: [{ type: 'text', text: textOf(at), cache_prompt: false }] },
    activated_skills: [],
    extended_content: [],
    kind: 'MessageEvent',
  } as { readonly id: string };
}

/** All agent servers in the order of the tables. */
export const ALL_SERVERS: readonly AgentServer[] = [ours, openhands];
