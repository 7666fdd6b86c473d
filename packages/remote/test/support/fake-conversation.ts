import { randomUUID } from 'node:crypto';

import { drafts, agentMessage, createClock, userMessage } from '@conv/core/events';
import type { ActionEvent, EventDraft } from '@conv/core/events';

/** An event as the fake holds it. */
export type FakeEvent = Readonly<Record<string, unknown>> & { readonly id: string; readonly kind: string };

/** An agent as its requests describe it. */
interface FakeAgent {
  readonly llm?: Readonly<Record<string, unknown>> | undefined;
  readonly [member: string]: unknown;
}

/** Run of the fake's agent: appends events, and returns the status in which it ends. */
export type FakeTurn = (conversation: FakeConversation) => string | Promise<string>;

/** A conversation of the fake server: a log, a status, and its followers. */
export class FakeConversation {
  readonly id: string;
  readonly log: FakeEvent[] = [];
  readonly listeners = new Set<(event: FakeEvent, index: number | undefined) => void>();
  /** True if statuses become events of the log, as OpenHands' server does it. */
  readonly storesStatuses: boolean;
  readonly request: Readonly<Record<string, unknown>>;
  status = 'idle';
  title: string | null = null;
  tags: unknown = {};
  policy: unknown = { kind: 'NeverConfirm' };
  analyzer: unknown = null;
  agent: FakeAgent;
  running: Promise<void> | undefined;
  /** Events that HEAD was moved to by request; the fake has one branch. */
  readonly headMoves: unknown[] = [];
  /** Number of requests for a run. */
  runs = 0;
  readonly #clock = createClock();
  /** The models that it was given: the first one of a usage id stays, as at OpenHands' server. */
  readonly #models = new Map<unknown, FakeAgent['llm']>();
  #leaf: string | null = null;
  #hidden = 0;

  constructor(id: string, request: Readonly<Record<string, unknown>>, storesStatuses: boolean) {
    this.id = id;
    this.request = request;
    this.storesStatuses = storesStatuses;
    this.tags = request['tags'] ?? {};
    this.policy = request['confirmation_policy'] ?? this.policy;
    this.analyzer = request['security_analyzer'] ?? null;
    this.agent = (request['agent'] ?? { kind: 'Agent' }) as FakeAgent;
  }

  /** Copies it as OpenHands' server does: with the settings of its creation, idle, and without the key of its model. */
  fork(id: string): FakeConversation {
    const copy = new FakeConversation(id, this.request, this.storesStatuses);
    copy.log.push(...this.log.filter(({ kind }) => kind !== 'ConversationStateUpdateEvent'));
    copy.#leaf = this.#leaf;
    copy.agent = { ...this.agent, llm: { ...this.agent.llm, api_key: null } };
    return copy;
  }

  /** Installs a model, unless one has its usage id already. */
  switchModel(llm: FakeAgent['llm']): void {
    const usage = llm?.['usage_id'];
    const { llm: first } = this.agent;
    if (first && !this.#models.has(first['usage_id'])) this.#models.set(first['usage_id'], first);
    if (!this.#models.has(usage)) this.#models.set(usage, llm);
    this.agent = { ...this.agent, llm: this.#models.get(usage) };
  }

  append(draft: EventDraft): FakeEvent {
    const moves = draft.kind !== 'ConversationStateUpdateEvent';
    const parent = moves && this.#leaf !== null ? { parent_id: this.#leaf } : {};
    const event = { id: randomUUID(), timestamp: this.#clock.next(), ...parent, ...draft } as unknown as FakeEvent;
    if (moves) this.#leaf = event.id;
    this.log.push(event);
    this.#publish(event, this.log.length - 1);
    return event;
  }

  /** Events that REST shows. */
  get visible(): readonly FakeEvent[] {
    return this.#hidden === 0 ? this.log : this.log.slice(0, -this.#hidden);
  }

  /** Keeps the last events, those to come included, from REST. */
  hide(events: number): void {
    this.#hidden = events;
  }

  /** Adds events silently, up to a length of the log; stamped with `time`, and with so many `characters` more. */
  fill(length: number, { time, characters = 0 }: { readonly time?: string; readonly characters?: number } = {}): void {
    while (this.log.length < length) {
      const parent = this.#leaf === null ? {} : { parent_id: this.#leaf };
      const content = `event ${this.log.length}${'.'.repeat(characters)}`;
      const draft = agentMessage({ content, llm_response_id: randomUUID() });
      const stamp = { id: randomUUID(), timestamp: time ?? this.#clock.next() };
      const event = { ...stamp, ...parent, ...draft } as unknown as FakeEvent;
      this.#leaf = event.id;
      this.log.push(event);
    }
  }

  /** Is as it was when the log had this length. */
  rollBack(length: number): void {
    this.log.length = length;
    this.#leaf = this.log.at(-1)?.id ?? null;
  }

  say(text: string): void {
    this.append(agentMessage({ content: text, llm_response_id: randomUUID() }));
  }

  /** Calls of the tool `echo`, of one answer. */
  call(...texts: readonly string[]): readonly ActionEvent[] {
    const response = randomUUID();
    return texts.map((text, at) => {
      const id = `${response}-${at}`;
      const draft = drafts.action({
        action: { kind: 'EchoAction', text } as never,
        tool_name: 'echo',
        tool_call_id: id,
        tool_call: { id, name: 'echo', arguments: JSON.stringify({ text }), origin: 'completion' },
        llm_response_id: response,
      });
      return this.append(draft) as unknown as ActionEvent;
    });
  }

  answer(calls: readonly ActionEvent[]): void {
    for (const call of calls)
      this.append(
        drafts.observation(call, { kind: 'EchoObservation', content: [{ type: 'text', text: 'ok' }] } as never),
      );
  }

  receive(content: unknown): FakeEvent {
    if (this.status === 'finished') this.setStatus('idle');
    return this.append(userMessage(content as never));
  }

  setStatus(status: string): void {
    this.status = status;
    const kind = 'ConversationStateUpdateEvent';
    const stamp = { id: randomUUID(), timestamp: this.#clock.next(), source: 'environment' };
    const event = { ...stamp, key: 'execution_status', value: status, kind };
    if (this.storesStatuses) this.log.push(event);
    this.#publish(event, this.storesStatuses ? this.log.length - 1 : undefined);
  }

  /** Starts a run, which begins at once or when the agent is ready; its turn decides how it ends. */
  run(turn: FakeTurn, ready?: Promise<void>): void {
    this.runs++;
    if (ready) this.running = ready.then(() => this.#begin(turn));
    else this.running = this.#begin(turn);
  }

  pause(): void {
    if (this.status !== 'idle' && this.status !== 'running') return;
    this.setStatus('paused');
    this.append(drafts.pause());
    this.publishState();
  }

  reject(reason: string): void {
    const pending = this.pending;
    if (this.status === 'waiting_for_confirmation') this.setStatus('idle');
    for (const call of pending) this.append(drafts.userReject(call, reason));
  }

  /** Calls without a result. */
  get pending(): readonly ActionEvent[] {
    const answered = new Set(this.log.map((event) => event['action_id']));
    return this.log.filter(({ kind, id }) => kind === 'ActionEvent' && !answered.has(id)) as unknown as ActionEvent[];
  }

  info(): Readonly<Record<string, unknown>> {
    return {
      id: this.id,
      agent: this.agent,
      workspace: this.request['workspace'],
      persistence_dir: null,
      max_iterations: this.request['max_iterations'],
      stuck_detection: true,
      execution_status: this.status,
      confirmation_policy: this.policy,
      security_analyzer: this.analyzer,
      stats: { usage_to_metrics: {} },
      tags: this.tags,
      title: this.title,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
      leaf_event_id: this.#leaf,
    };
  }

  publishState(): void {
    this.#publish(this.snapshot(), undefined);
  }

  snapshot(): FakeEvent {
    const kind = 'ConversationStateUpdateEvent';
    const stamp = { id: randomUUID(), timestamp: this.#clock.next(), source: 'environment' };
    return { ...stamp, key: 'full_state', value: this.info(), kind };
  }

  #begin(turn: FakeTurn): Promise<void> {
    this.setStatus('running');
    return this.#run(turn);
  }

  async #run(turn: FakeTurn): Promise<void> {
    this.setStatus(await turn(this));
    this.running = undefined;
    this.publishState();
  }

  #publish(event: FakeEvent, index: number | undefined): void {
    for (const listener of this.listeners) listener(event, index);
  }
}
