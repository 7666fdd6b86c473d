import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Agent,
  type AgentSession,
  viewOf,
  type CondensableView,
  type StateFields,
  type StepContext,
  type StepOutcome,
  type TokenDelta,
} from '@conv/core';
import {
  eventGuards,
  type ActionEvent,
  createClock,
  type Event,
  type EventDraft,
  type EventOfKind,
  type EventKind,
  isEvent,
  stampEvent,
  userMessage,
} from '@conv/core/events';
import type { CallRecord } from '@conv/core/store';
import type { ToolSession } from '@conv/core/tool';
import { createModelServer, type ModelServer, type ModelServerOptions, type Script } from '@conv/testing-model-server';
import { type AgentOptions, createAgent, openaiCompatible, type OpenaiCompatibleOptions } from '../../src/index.ts';

const clock = createClock();

/** A log in memory with what a step may see of it, around one agent session. */
export class Bench implements AsyncDisposable {
  readonly session: AgentSession;
  readonly events: Event[] = [];
  readonly records: CallRecord[] = [];
  readonly commits: number[] = [];
  readonly tokens: TokenDelta[] = [];
  readonly folder: string;
  readonly conversationId: string;
  streams = false;
  securityAnalyzer: object | null = null;
  secrets: StepContext['secrets'] = [];
  stats: StateFields['stats'] = {};

  constructor(session: AgentSession, folder: string, conversationId: string) {
    this.session = session;
    this.conversationId = conversationId;
    this.folder = folder;
    this.append([session.systemPrompt()]);
  }

  append(drafts: readonly EventDraft[]): readonly Event[] {
    const stored = drafts.map((draft) => {
      const event = stampEvent(draft, {
        id: randomUUID(),
        timestamp: clock.next(),
        parentId: this.events.at(-1)?.id ?? null,
      });
      this.events.push(event);
      return event;
    });
    this.commits.push(stored.length);
    return stored;
  }

  say(text: string): void {
    this.append([userMessage(text)]);
  }

  context(signal: AbortSignal = new AbortController().signal): StepContext {
    return {
      state: {
        id: this.conversationId,
        securityAnalyzer: this.securityAnalyzer,
        stats: this.stats,
      } as StepContext['state'],
      signal,
      view: async () => this.condensableView().events,
      condensableView: async () => this.condensableView(),
      emit: async (drafts, records = []) => {
        this.records.push(...records);
        return this.append(drafts);
      },
      setAgentState: async () => {},
      secrets: this.secrets,
      onToken: this.streams ? (delta) => this.tokens.push(delta) : undefined,
    };
  }

  /** Returns the events that the model sees, with condensations applied. */
  condensableView(): CondensableView {
    return viewOf(this.events);
  }

  step(signal?: AbortSignal): Promise<StepOutcome> {
    return this.session.step(this.context(signal));
  }

  /** Steps and executes until the agent gives its answer or calls finish. */
  async run(): Promise<void> {
    for (let round = 0; round < 20; round += 1) {
      if ((await this.step()) === 'finished') return;
      await this.executePending();
      if (this.events.some((event) => isEvent(event, 'ObservationEvent') && event.tool_name === 'finish')) return;
    }
    throw new Error('the agent did not come to an end');
  }

  pending(): ActionEvent[] {
    const answered = new Set(this.events.filter(eventGuards.isObservationLike).map((event) => event.tool_call_id));
    return this.ofKind('ActionEvent').filter((event) => event.action && !answered.has(event.tool_call_id));
  }

  async executePending(): Promise<void> {
    const { signal } = new AbortController();
    for (const action of this.pending()) this.append([await this.session.execute(action, { signal })]);
  }

  ofKind<Kind extends EventKind>(kind: Kind): EventOfKind<Kind>[] {
    return this.events.filter((event): event is EventOfKind<Kind> => isEvent(event, kind));
  }

  kinds(): string[] {
    return this.events.map((event) => event.kind);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** An agent at work in a folder of its own. */
export async function startBench(agent: Agent, more: Partial<ToolSession> = {}): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-agent-'));
  const conversationId = more.conversationId ?? randomUUID();
  const session = await agent
    .start({ conversationId, workingDirectory: folder, sideDirectory: join(folder, 'observations'), ...more })
    .catch(async (error: unknown) => {
      await rm(folder, { recursive: true });
      throw error;
    });
  return new Bench(session, folder, conversationId);
}

/** A scripted model server and an agent whose model is there. Asserts on disposal that every request was well-formed. */
export class Scene implements AsyncDisposable {
  readonly server: ModelServer;
  readonly bench: Bench;

  constructor(server: ModelServer, bench: Bench) {
    this.server = server;
    this.bench = bench;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bench[Symbol.asyncDispose]();
    await this.server.close();
    if (this.server.violations.length > 0) {
      throw new Error(`the provider refused: ${this.server.violations.map(({ message }) => message).join('; ')}`);
    }
  }
}

export interface SceneOptions {
  readonly agent?: Omit<AgentOptions, 'model'>;
  readonly model?: Partial<OpenaiCompatibleOptions>;
  readonly server?: Omit<ModelServerOptions, 'script'>;
  readonly session?: Partial<ToolSession>;
}

export async function scene(script: Script, options: SceneOptions = {}): Promise<Scene> {
  const server = await createModelServer({ script, titles: 'script', ...options.server });
  const model = openaiCompatible('scripted-model', {
    baseUrl: server.url,
    retry: { sleep: async () => {} },
    ...options.model,
  });
  return new Scene(server, await startBench(createAgent({ ...options.agent, model }), options.session));
}
