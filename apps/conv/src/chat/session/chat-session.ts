import {
  type Conversation,
  errorText,
  type PendingAction,
  type StateFields,
  type Subscriber,
  type Subscription,
} from '@conv/core';
import { type Event, isEvent } from '@conv/core/events';
import { TerminalVisualizer } from '@conv/visualize';
import { plainLine } from '@conv/visualize/text';
import pc from 'picocolors';

import { fieldsOf } from '../../conversation/readable-conversation.ts';
import type { ServerEvent } from '../../server/server-watch.ts';
import type { ChatHome } from '../home/chat-home.ts';
import type { ChatScreen } from '../screen/chat-screen.ts';
import { Approvals } from './approvals.ts';
import { childLine, type ChildNews } from './child-news.ts';
import { ChatRun } from './chat-run.ts';
import { OwnRuns } from './own-runs.ts';
import { statusFacts } from './status-facts.ts';
import { fitted, wrapIndented, wrapWords } from '../../terminal/wrap-words.ts';
import { StreamedText } from './streamed-text.ts';
import { ANSWER_HINT, openQuestion, questionLines } from './user-question.ts';

/** Milliseconds between two looks at the clock while the agent works. */
const TICK = 1_000;

/** Dependencies of {@link ChatSession}. */
export interface ChatSessionDeps {
  readonly home: ChatHome;
  readonly screen: ChatScreen;
  readonly conversation: Conversation;
  /** Called with the error by which this process lost the conversation. */
  readonly onLost: (error: unknown) => void;
}

/** The questions on the screen: a line that is typed now answers them. They may have ended since they were shown. */
export interface AskedOnScreen {
  /** The id of the question. */
  readonly question?: string | undefined;
  /** The ids of the calls that wait for an approval. */
  readonly calls: readonly string[];
}

/** A conversation on the screen: its log, what streams in, its questions and its runs. */
export class ChatSession {
  readonly conversation: Conversation;
  readonly approvals: Approvals;
  readonly run: ChatRun;
  readonly #deps: ChatSessionDeps;
  readonly #visualizer: TerminalVisualizer;
  readonly #ownRuns: OwnRuns;
  readonly #streamed = new StreamedText();
  /** The last step of each sub-agent at work, by id. */
  readonly #children = new Map<string, string>();
  readonly #ends: (() => void)[] = [];
  #subscription: Subscription | undefined;
  #since: number | undefined;
  #call: { readonly id: string; readonly text: string } | undefined;
  #isAway = false;
  #asked: AskedOnScreen = { calls: [] };

  constructor(deps: ChatSessionDeps) {
    const { conversation, home, screen } = deps;
    this.#deps = deps;
    this.conversation = conversation;
    this.#visualizer = new TerminalVisualizer({
      stream: screen.log,
      color: screen.color ? 'always' : 'never',
      statusLine: false,
    });
    this.#ownRuns = new OwnRuns({
      visualizer: this.#visualizer,
      state: () => fieldsOf(conversation.state),
      caughtUp: async () => this.#subscription?.caughtUp(conversation.events.length as Subscription['position']),
    });
    const shared = { conversation, note: (line: string) => this.note(line) };
    this.run = new ChatRun({
      ...shared,
      run: (options) => this.#ownRuns.during(() => home.run(conversation, options)),
      onFailure: (error) => this.fail(error),
      onChange: () => this.show(),
    });
    this.approvals = new Approvals({
      ...shared,
      form: () => ({ columns: screen.log.columns ?? 80, color: screen.color }),
      say: (...lines) => this.say(...lines),
      goOn: () => this.run.goOn(),
    });
  }

  /** The question that waits for the user; `undefined` also where no answer can be given. */
  get question(): PendingAction | undefined {
    const { features, state } = this.conversation;
    return features.answerCall ? openQuestion(state) : undefined;
  }

  get asked(): AskedOnScreen {
    return this.#asked;
  }

  /** Shows the events from this number on, and everything that follows. Resolves when the screen has caught up. */
  async follow(from: number): Promise<void> {
    const { conversation, home } = this.#deps;
    this.#visualizer.initialize(conversation.state);
    const end = conversation.events.length;
    this.#subscription = conversation.subscribe(this.#subscriber(), { from: from as Subscription['position'] });
    await this.#subscription.caughtUp(end as Subscription['position']);
    const connectionEnd = home.connection?.watch((event) => this.#onConnection(event));
    const clock = setInterval(() => this.show(), TICK).unref();
    const loginsEnd = home.watchLogins?.((line) => this.tell(line));
    const childrenEnd = home.watchChildren(conversation, (news) => this.#onChild(news));
    const ends = [connectionEnd, loginsEnd, childrenEnd].filter((end) => end !== undefined);
    this.#ends.push(...ends, () => clearInterval(clock));
    this.show();
  }

  /** Ends what `follow` began. The conversation stays open. */
  detach(): void {
    this.#subscription?.unsubscribe();
    this.#visualizer.close();
    for (const end of this.#ends.splice(0)) end();
  }

  /** Writes lines into the log, in which text of others was made safe. */
  say(...lines: readonly string[]): void {
    this.#deps.screen.log.write(lines.map((line) => `${line}\n`).join(''));
  }

  /** Writes lines without colours into the log, wrapped between words. */
  tell(...lines: readonly string[]): void {
    const columns = (this.#deps.screen.log.columns ?? 80) - 1;
    this.say(...lines.flatMap((line) => wrapIndented(line, columns)));
  }

  /** Writes a short note about the chat itself into the log. */
  note(line: string): void {
    const { screen } = this.#deps;
    const { dim } = pc.createColors(screen.color);
    const [first = '', ...rest] = wrapWords(plainLine(line), (screen.log.columns ?? 80) - 3);
    this.say(dim(`· ${first}`), ...rest.map((row) => dim(`  ${row}`)));
  }

  /** Shows an error. */
  fail(error: unknown): void {
    const { red } = pc.createColors(this.#deps.screen.color);
    const [first = '', ...rest] = wrapWords(plainLine(errorText(error)), (this.#deps.screen.log.columns ?? 80) - 3);
    this.say(`${red('!')} ${first}`, ...rest.map((line) => `  ${line}`));
    this.#deps.onLost(error);
  }

  /** Shows the changing part of the screen as it is now. */
  show(): void {
    const { state } = this.conversation;
    const { question } = this;
    if (question && question.id !== this.#asked.question) this.tell('', ...questionLines(question));
    this.#asked = { question: question?.id, calls: this.approvals.asked };
    this.#since = this.run.isWorking ? (this.#since ?? Date.now()) : undefined;
    const working = this.#since === undefined ? undefined : Date.now() - this.#since;
    this.#deps.screen.show({
      answer: this.#streamed.answer,
      reasoning: this.#streamed.reasoning,
      output: this.#streamed.output,
      children: [...this.#children.values()],
      queued: state.queue.map(({ draft }) => textOf(draft)),
      question: this.approvals.question ?? (question && ANSWER_HINT),
      status: statusFacts(state, { working, call: this.#call?.text, isAway: this.#isAway }),
    });
  }

  #subscriber(): Subscriber {
    return {
      onEvent: async (event) => {
        this.#followCalls(event);
        // what streamed in leaves the screen with the write that shows its event
        this.show();
        await this.#visualizer.onEvent(event);
        this.show();
      },
      onStateChange: (state) => this.#onState(state),
      onToken: (delta) => {
        this.#streamed.add(delta);
        this.show();
      },
      onOutput: (output) => {
        this.#streamed.addOutput(output);
        this.show();
      },
      onAnswerAborted: (eventId) => {
        this.#streamed.endAnswer(eventId);
        this.show();
      },
      onError: (error) => this.fail(error),
    };
  }

  async #onState(state: StateFields): Promise<void> {
    await this.#ownRuns.show(state);
    await this.approvals.update().catch((error: unknown) => this.fail(error));
    this.show();
  }

  #followCalls(event: Event): void {
    if (event.source === 'agent') this.#streamed.endAnswer(event.id);
    if (isEvent(event, 'ActionEvent')) {
      this.#streamed.beginOutput(event.tool_call_id);
      const summary = typeof event.summary === 'string' ? event.summary : '';
      this.#call = { id: event.tool_call_id, text: plainLine(`${event.tool_name} ${summary}`).trim().slice(0, 40) };
    } else if ('tool_call_id' in event && typeof event.tool_call_id === 'string') {
      this.#streamed.endOutput(event.tool_call_id);
      if (event.tool_call_id === this.#call?.id) this.#call = undefined;
    }
  }

  /** Shows of a sub-agent a line when it begins, its last step while it works, and a line when it ends. */
  #onChild(news: ChildNews): void {
    const { home, screen } = this.#deps;
    const { id, name, kind, waits } = news;
    const { dim } = pc.createColors(screen.color);
    if (kind === 'ended') this.#children.delete(id);
    else this.#children.set(id, kind === 'began' ? name : childLine(news));
    if (kind !== 'step') this.say(dim(fitted(`↳ ${childLine(news)}`, (screen.log.columns ?? 80) - 1)));
    if (kind === 'ended' && waits) this.note(`its calls wait for you; decide with: ${home.commandFor(id, 'chat')}`);
    this.show();
  }

  #onConnection(event: ServerEvent): void {
    this.#isAway = event !== 'back';
    if (event === 'back') this.note('the server answers again; caught up');
    else this.note(`the server does not answer (${event.away}); trying again until it does`);
    this.show();
  }
}

function textOf({ llm_message: message }: Record<string, unknown>): string {
  const { content } = (message ?? {}) as { readonly content?: readonly { readonly text?: unknown }[] };
  return (content ?? []).map(({ text }) => (typeof text === 'string' ? text : '[image]')).join(' ');
}
