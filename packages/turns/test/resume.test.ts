import { setImmediate as turn } from 'node:timers/promises';

import { drafts, isEvent, textContent, type ActionEvent } from '@conv/core/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { turnItems, TurnView, turns, type MessageItem, type TurnChange, type TurnItem } from '../src/index.ts';
import { answer, ask, Followed, toolCall } from './support/followed.ts';

const ACTS = [
  'ask',
  'answer',
  'call',
  'batch',
  'settle',
  'approve',
  'condense',
  'fail',
  'pause',
  'move',
  'stream',
  'retry',
  'abort',
] as const;

interface Act {
  readonly act: (typeof ACTS)[number];
  readonly number: number;
  /** True if the client leaves here, and comes back before the next act; else it reads what is there. */
  readonly cut: boolean;
}

const acts = fc.array(fc.record({ act: fc.constantFrom(...ACTS), number: fc.nat(99), cut: fc.boolean() }), {
  minLength: 1,
  maxLength: 40,
});

/** Lets chance happen to a conversation. */
class Chance {
  readonly followed: Followed = new Followed();
  #count = 0;
  #order = 0;
  #attempt = 1;
  #said = '';

  async take({ act, number }: Act): Promise<void> {
    const { followed } = this;
    const name = `${++this.#count}`;
    if (act === 'ask') await followed.append(ask(name));
    if (act === 'answer') await this.#answer(number, name);
    if (act === 'call')
      await followed.append({ ...toolCall(name), thought: number % 2 === 0 ? [textContent(name)] : [] });
    if (act === 'batch')
      await followed.append(...Array.from({ length: 1 + (number % 3) }, (_, at) => toolCall(`${name}-${at}`)));
    if (act === 'settle') await this.#settle(number, name);
    if (act === 'approve') await this.#approve(number);
    if (act === 'condense') await followed.append(drafts.condensation({ llm_response_id: name, summary: name }));
    if (act === 'fail')
      await followed.append(drafts.conversationError(name, name, { kind: 'unknown', retryable: false }));
    if (act === 'pause') await followed.append(drafts.pause());
    if (act === 'move') await this.#move(number);
    if (act === 'stream') this.#stream(name);
    if (act === 'retry') [this.#attempt, this.#order, this.#said] = [this.#attempt + 1, 0, ''];
    if (act === 'abort') this.#abort(number);
  }

  get #id(): string {
    return `answer-${this.#attempt - (this.#attempt % 3)}`;
  }

  #stream(text: string): void {
    this.followed.say(text, { eventId: this.#id, attempt: this.#attempt, order: this.#order++ });
    this.#said += text;
  }

  async #answer(number: number, name: string): Promise<void> {
    // the pieces before it are its beginning, or it has another text, or another id
    const text = number % 3 === 0 ? name : `${this.#said}${name}`;
    await this.followed.append(answer(text, number % 5 === 0 ? name : `${this.#id}-${name}`));
    this.#next();
  }

  #abort(number: number): void {
    this.followed.abort(number % 2 === 0 ? 'failed' : 'cancelled', this.#id);
    this.#next();
  }

  #next(): void {
    [this.#attempt, this.#order, this.#said] = [this.#attempt + 3, 0, ''];
  }

  async #settle(number: number, name: string): Promise<void> {
    const call = this.#pending(number);
    if (!call) return;
    const result = {
      kind: 'MCPToolObservation',
      tool_name: 'lookup',
      content: [textContent(name)],
      is_error: number % 2 === 0,
    };
    const drafted = [drafts.agentError(call, name), drafts.userReject(call, name), drafts.observation(call, result)];
    await this.followed.append(drafted[number % 3] ?? drafts.pause());
  }

  async #approve(number: number): Promise<void> {
    const call = this.#pending(number);
    const { state } = this.followed;
    const phase = number % 2 === 0 ? 'approved' : 'started';
    if (call) await state.update({ set: { calls: { ...state.calls, [call.id]: phase } } });
  }

  async #move(number: number): Promise<void> {
    const { state } = this.followed;
    const target = await state.events.idAt(number % Math.max(1, state.events.length));
    await state.transaction((transaction) => transaction.moveHead(target ?? null));
  }

  #pending(number: number): ActionEvent | undefined {
    const open = this.followed.state.pendingActions;
    return open[number % Math.max(1, open.length)];
  }
}

/** A client that reads what is there, and comes back with its cursor after a cut. */
class Client {
  readonly view: TurnView = new TurnView();
  readonly #followed: Followed;
  #changes: ReturnType<typeof turns> | undefined;
  #next: Promise<void> | undefined;
  #left = 0;
  #taken = 0;

  constructor(followed: Followed) {
    this.#followed = followed;
  }

  /** Takes changes until there are no more for now, and `count` at most. */
  async read(count: number = Number.POSITIVE_INFINITY): Promise<void> {
    this.#changes ??= turns(this.#followed.conversation, { after: this.view.resume() });
    this.#left = count;
    this.#next ??= this.#take(this.#changes).finally(() => (this.#next = undefined));
    let before: number;
    do {
      before = this.#taken;
      // everything is in memory, so whatever there is comes within this turn
      await turn();
    } while (before !== this.#taken);
  }

  async cut(): Promise<void> {
    this.#left = 0;
    const changes = this.#changes;
    this.#changes = undefined;
    await changes?.return?.();
    await this.#next;
  }

  async #take(changes: ReturnType<typeof turns>): Promise<void> {
    while (this.#left-- > 0) {
      const { value, done } = await changes.next();
      // a change on its way when the connection was cut
      if (done === true || this.#changes !== changes) return;
      this.#taken++;
      this.view.take(value);
    }
  }
}

const isEnd = ({ content: [part] }: MessageItem): boolean =>
  part !== undefined && 'text' in part && part.text === 'the end';

/** An item without what the state says: the phase of an open call, and where HEAD moved also which calls are open. */
function durable(item: TurnItem, hasMoved: boolean): unknown {
  if (item.kind !== 'call' || (item.phase === 'done' && !hasMoved)) return item;
  const { phase: _, reasons: __, risk: ___, ...call } = item;
  return hasMoved ? { ...call, result: undefined } : call;
}

test('P11: a client that is cut off anywhere shows the items of the log once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (plan) => {
      const chance = new Chance();
      const client = new Client(chance.followed);
      for (const act of plan) {
        await chance.take(act);
        if (act.cut) await client.cut();
        await client.read(act.number % 4);
      }
      await client.read();
      const { events } = chance.followed.state;
      const log = await events.slice();
      const expected = turnItems(log.map((event, index) => ({ event, index })));
      const hasMoved = plan.some(({ act }) => act === 'move');
      const shown = (items: readonly TurnItem[]): readonly unknown[] => items.map((item) => durable(item, hasMoved));
      expect(shown(client.view.items)).toEqual(shown(expected));
      expect(expected.filter((item) => item.kind === 'call').map(({ actionId }) => actionId)).toEqual(
        log.filter((event) => isEvent(event, 'ActionEvent')).map(({ id }) => id),
      );
    }),
    { numRuns: 300 },
  );
});

test('P11: a client that stays shows the same phases as a client that comes back at the end', async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (plan) => {
      const chance = new Chance();
      const staying = new Client(chance.followed);
      for (const act of plan) {
        // the branch that is left keeps the phases that its calls had for a client that is away
        if (act.act !== 'move') await chance.take(act);
        await staying.read();
      }
      const coming = new Client(chance.followed);
      await coming.read();
      expect(staying.view.items).toEqual(coming.view.items);
      expect(staying.view.status).toBe(coming.view.status);
    }),
    { numRuns: 100 },
  );
});

interface OpenAnswer {
  readonly id: string;
  readonly text: string;
}

/** The answer in progress after a change; `undefined` if the change does not fit to it. */
function openAfter(open: OpenAnswer, change: TurnChange): OpenAnswer | undefined {
  const none = { id: '', text: '' };
  if (change.type === 'piece')
    return open.id === change.id || open.text === '' ? { id: change.id, text: open.text + change.text } : undefined;
  if (change.type === 'withdrawn') return change.id === open.id ? none : undefined;
  if (change.type !== 'item' || change.item.kind !== 'answer') return open;
  const isBeginning = change.item.text.startsWith(open.text) && change.streamed.text === open.text.length;
  return isBeginning ? none : undefined;
}

test('P11: the told pieces of an answer are its beginning, or are withdrawn before the next answer is told', async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (plan) => {
      const chance = new Chance();
      const changes = turns(chance.followed.conversation, { after: -1 });
      for (const act of plan) await chance.take(act);
      await chance.followed.append(ask('the end'));
      const wrong: TurnChange[] = [];
      let open = { id: '', text: '' };
      for await (const change of changes) {
        if (change.type === 'item' && change.item.kind === 'message' && isEnd(change.item)) break;
        const next = openAfter(open, change);
        if (!next) wrong.push(change);
        open = next ?? open;
      }
      expect(wrong).toEqual([]);
    }),
    { numRuns: 200 },
  );
});
