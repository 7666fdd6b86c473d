import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { acpAgent, type AcpAgentOptions } from '@conv/acp-agent';
import type { Agent, Conversation } from '@conv/core';
import { contentParts, isEvent, joinedText, type Event } from '@conv/core/events';
import { MemoryStore } from '@conv/core/store';
import { openLocalConversation, type LocalConversationOptions } from '@conv/local';
import { createSecretVault } from '@conv/secrets';
import { onTestFinished } from 'vitest';

import { newFolder } from '../new-folder.ts';

const PROGRAM = fileURLToPath(new URL('scripted-program.ts', import.meta.url));

/** Options of the scripted program: what it can do, and the file of its sessions. */
export function scriptedProgram(
  folder: string,
  can: readonly string[] = [],
  more: Partial<AcpAgentOptions> = {},
): AcpAgentOptions {
  const { env, ...rest } = more;
  return {
    command: process.execPath,
    args: [PROGRAM, ...can],
    env: { SESSIONS: join(folder, 'sessions.json'), ...env },
    ...rest,
  };
}

/** A folder with conversations of a scripted program. */
export class AcpStage {
  readonly folder: string = newFolder();
  readonly #store = new MemoryStore();

  /** An agent of the program; see `scripted-program.ts` for what it can do. */
  agent(can: readonly string[] = [], more: Partial<AcpAgentOptions> = {}): Agent {
    return acpAgent(scriptedProgram(this.folder, can, more));
  }

  /** Opens a conversation of the agent, a new one by default. */
  async open(agent: Agent, options: Partial<LocalConversationOptions> = {}): Promise<Conversation> {
    const runtime = { storeAt: () => this.#store, secrets: createSecretVault };
    const place = { workspace: this.folder, store: this.#store, subscriberGrace: 20 };
    const conversation = await openLocalConversation(runtime, { agent, ...place, ...options });
    onTestFinished(() => conversation.close());
    return conversation;
  }

  /** The prompts that each session of the program got. */
  get sessions(): Readonly<Record<string, readonly string[]>> {
    const file = join(this.folder, 'sessions.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string[]>) : {};
  }
}

/** Tells the events of a conversation in short, from the one at `from` on. */
export async function told(conversation: Conversation, from = 2): Promise<readonly string[]> {
  return (await conversation.events.slice(from)).map(shortOf);
}

function shortOf(event: Event): string {
  if (isEvent(event, 'MessageEvent')) return `${event.source}: ${joinedText(contentParts(event.llm_message))}`;
  if (isEvent(event, 'ACPToolCallEvent')) return `tool: ${event.title} ${event.status ?? ''}`;
  if (isEvent(event, 'ActionEvent')) return `call: ${event.summary ?? event.tool_name}`;
  if (isEvent(event, 'ConversationErrorEvent')) return `error: ${event.code}`;
  if (isEvent(event, 'ObservationEvent')) return `result: ${joinedText(contentParts(event.observation as never))}`;
  if (isEvent(event, 'UserRejectObservation')) return 'reject';
  return event.kind;
}

/** Sends a message and runs the conversation. */
export async function play(conversation: Conversation, ...lines: readonly string[]): Promise<string> {
  await conversation.sendMessage(lines.join('\n'));
  return (await conversation.run()).status;
}
