import {
  type Agent,
  type AgentSession,
  type AskResult,
  type CallContext,
  type StepContext,
  type StepOutcome,
} from '@conv/core';
import { agentMessage, drafts, type ActionEvent, type Event, type EventDraft, textContent } from '@conv/core/events';
import { isSameJson } from '@conv/core/platform';
import { text, type ToolSession } from '@conv/core/tool';

import { AcpAgentError } from './acp-agent-error.ts';
import type { AcpProgram } from './acp-program.ts';
import { boundedText, maskOf, type MaskText } from './bounded.ts';
import { Links } from './links.ts';
import { PERMISSION_TOOL, permissionDraft, permissionWire } from './permissions.ts';
import { CUT_OFF, newMessages, promptOf } from './prompt.ts';
import { sessionState } from './session-state.ts';
import { toolCallDraft } from './tool-calls.ts';
import type { Turn, TurnEnd } from './turn.ts';
import { recordOf, USAGE_ID } from './usage.ts';

/** The text of a conversation whose system prompt is the program's own. */
const SYSTEM_PROMPT =
  'The agent of this conversation is another program. Its system prompt and its tools are its own, and are not shown here.';

/** The words behind an answer that did not come to its end. */
const NOTES: Readonly<Record<string, string>> = {
  max_tokens: '[The answer stops here, at the limit of tokens of the program.]',
  max_turn_requests: '[The turn stopped here, at the limit of requests of the program.]',
  refusal: '[The model of the program refused to continue.]',
  cancelled: '[The program cancelled the turn.]',
};

/** The words of a turn without any. */
const SILENT = '[The program ended its turn without a word.]';

type Response = Extract<TurnEnd, { readonly response: unknown }>['response'];

/**
 * The work of a program in one conversation.
 *
 *     step ──► prompt ──► updates … ──► events, as they come ──► the answer: a message, `finished`
 *                            │
 *                            └──► question for permission ──► a call in the log, `continue`
 *                                       ▲                          │ the policy of the conversation, or a person
 *                                       ├── allowed ◄── execute ◄──┤
 *                                       └── refused ◄── next step ◄┘
 *
 * The turn stays open while its question waits, as long as the program lives. The program goes on as soon as a question is answered, so
 * a step begins with what it has done meanwhile.
 */
export class AcpSession implements AgentSession {
  readonly tools: AgentSession['tools'] = [{ name: PERMISSION_TOOL, readOnly: false }];
  readonly #session: ToolSession;
  readonly #mask: MaskText;
  readonly #links: Links;
  #program: AcpProgram;
  /** The turn that is open. */
  #turn: Turn | undefined;
  /** The turn that an interruption cancelled, and whose last events the next step stores. */
  #cancelled: { readonly turn: Turn; readonly over: Promise<void> } | undefined;
  /** The open tool calls that the log notes. */
  #open: Readonly<Record<string, string>> = {};

  constructor(program: AcpProgram, session: ToolSession, programOf: (agent: Agent) => AcpProgram) {
    this.#program = program;
    this.#session = session;
    this.#mask = maskOf(session);
    this.#links = new Links(session, this.#mask);
    this.switchTo = (agent) => {
      this.#program = programOf(agent);
    };
  }

  /** Uses the model of this agent from the next turn on. */
  readonly switchTo: (agent: Agent) => void;

  systemPrompt(): EventDraft {
    return drafts.systemPrompt(SYSTEM_PROMPT, [], this.#program.instructions ?? '');
  }

  async step(context: StepContext): Promise<StepOutcome> {
    try {
      return await this.#step(context);
    } catch (error) {
      // fence: this step stores nothing more; the next one waits until the program has ended the turn
      const turn = this.#turn;
      this.#turn = undefined;
      if (turn) this.#cancelled = { turn, over: this.#links.cancel(turn) };
      throw error;
    } finally {
      this.#turn?.show(undefined);
    }
  }

  /** The calls of a turn that is cancelled end with the interruption, because the next step may come late or never. */
  interrupted(): ReturnType<NonNullable<AgentSession['interrupted']>> {
    const turn = this.#turn ?? this.#cancelled?.turn;
    // calls that a process left open before are ended by the next turn
    if (!turn) return { events: [], agentState: {} };
    this.#open = {};
    return { events: [...turn.takeDrafts(), ...turn.calls.close('failed')], agentState: { acp_open_calls: {} } };
  }

  resources(): readonly string[] {
    return [];
  }

  /** Answers a question of the program, which the conversation has allowed. */
  async execute(action: ActionEvent, { signal }: CallContext): Promise<EventDraft> {
    signal.throwIfAborted();
    const allowed = this.#turn?.allow(action.tool_call_id);
    if (allowed === undefined) {
      const words = 'The program does not wait for this permission any more. It asks again if it still needs it.';
      return drafts.agentError(action, words, { kind: 'internal', retryable: true, user_action: 'none' });
    }
    const said = { content: text(`Allowed: ${boundedText(allowed, this.#mask)}`) };
    return drafts.observation(action, permissionWire.toObservation(said, {}) as never);
  }

  answer(): Promise<AskResult> {
    const words = 'the agent is another program, which answers messages alone: send the question as a message';
    return Promise.reject(new AcpAgentError('UNSUPPORTED', words));
  }

  close(): Promise<void> {
    this.#turn = undefined;
    return this.#links.close();
  }

  async #step(context: StepContext): Promise<StepOutcome> {
    await this.#storeCancelled(context);
    let events = await context.view();
    if (!(await this.#isReplaced(context, events))) this.#turn?.refuse('reject');
    for (;;) {
      const turn = (this.#turn ??= await this.#begin(context, events));
      turn.show(context.onToken);
      await turn.wait(this.#program.promptTimeout, context.signal);
      if (turn.isToBeNoted) await this.#notePrompted(context, turn);
      const { end } = turn;
      if (end) return this.#finish(context, turn, end);
      await this.#store(context, turn, turn.takeDrafts());
      if (!turn.hasQuestions) continue;
      // a message that came meanwhile takes the place of the turn before the program does more
      events = await context.view();
      if (await this.#isReplaced(context, events)) continue;
      await this.#ask(context, turn);
      return 'continue';
    }
  }

  /** Ends the open turn if users have sent messages that it does not answer. Returns true if it did. */
  async #isReplaced(context: StepContext, events: readonly Event[]): Promise<boolean> {
    const turn = this.#turn;
    if (!turn || !newMessages(events, turn.prompted).some(({ source }) => source === 'user')) return false;
    await this.#links.cancel(turn);
    context.signal.throwIfAborted();
    this.#turn = undefined;
    await this.#storeRest(context, turn);
    return true;
  }

  /** The folder of the conversation as the log has it. */
  get #folder(): string {
    return this.#mask(this.#session.workingDirectory);
  }

  async #begin(context: StepContext, events: readonly Event[]): Promise<Turn> {
    const kept = sessionState(context.state, events, this.#folder);
    const lost = Object.entries(kept.openCalls);
    // a process that died left them open
    if (lost.length > 0) {
      const failed = lost.map(([toolCallId, title]) => ({ toolCallId, title, status: 'failed' }) as const);
      await context.emit(failed.map((call) => toolCallDraft(call, this.#mask)));
      await context.setAgentState({ acp_open_calls: {} });
      this.#open = {};
    }
    const link = await this.#links.open(this.#program, { context, kept, events });
    const { acp_prompted: prompted } = context.state.agentState as { acp_prompted?: string | null };
    const { instructions } = this.#program;
    const prompt = promptOf({ events, prompted, takesImages: link.takesImages, instructions });
    // fence: an interrupted step sends nothing, and takes the place of no turn
    context.signal.throwIfAborted();
    return link.begin(prompt, events.at(-1)?.id ?? '');
  }

  /** Notes what the program was given. A message counts as given when the program has reacted to it. */
  async #notePrompted(context: StepContext, turn: Turn): Promise<void> {
    // first: a step that fails here says nothing more, and the next one does not repeat it
    turn.noted();
    await context.setAgentState({ acp_prompted: turn.prompted });
  }

  /** Stores the calls of the questions, with what was said before them. The policy of the conversation decides on them in the same commit. */
  async #ask(context: StepContext, turn: Turn): Promise<void> {
    const { text: said, thoughts } = turn.takeSaid();
    const around = {
      responseId: turn.id,
      thought: said === '' ? [] : [textContent(boundedText(said, this.#mask))],
      reasoning: thoughts === '' ? undefined : boundedText(thoughts, this.#mask),
    };
    const none = { ...around, thought: [], reasoning: undefined };
    const questions = turn.takeQuestions();
    await context.emit(
      questions.map((question, at) => permissionDraft(question, at === 0 ? around : none, this.#mask)),
    );
  }

  async #finish(context: StepContext, turn: Turn, end: TurnEnd): Promise<StepOutcome> {
    this.#turn = undefined;
    if ('error' in end) {
      await this.#storeRest(context, turn);
      throw end.error;
    }
    await this.#store(context, turn, [...turn.takeDrafts(), ...turn.calls.close('completed')]);
    const { text: said, thoughts } = turn.takeSaid();
    const note = NOTES[end.response.stopReason];
    const words = [said, note ?? (said === '' ? SILENT : '')].filter((part) => part !== '').join('\n\n');
    const answer = agentMessage({
      content: [textContent(boundedText(words, this.#mask))],
      llm_response_id: turn.id,
      ...(thoughts === '' ? {} : { reasoning_content: boundedText(thoughts, this.#mask) }),
    });
    const record = this.#recordOf(context, turn, end.response);
    const [stored] = await context.emit([answer], record ? [record] : []);
    this.#links.answered(stored?.id);
    return 'finished';
  }

  #recordOf({ state }: StepContext, turn: Turn, response: Response): ReturnType<typeof recordOf> {
    const { platform } = this.#program;
    const { total, contextWindow } = turn.cost;
    const { counted } = sessionState(state, [], this.#folder);
    return recordOf({
      response,
      model: this.#links.model ?? USAGE_ID,
      responseId: turn.id,
      cost: total === undefined ? undefined : this.#links.costOf(total, counted),
      contextWindow,
      took: platform.monotonic() - turn.began,
      now: platform.now(),
    });
  }

  /** Stores what is left of a turn that did not come to its end. The note behind its text keeps the text from being an answer. */
  async #storeRest(context: StepContext, turn: Turn): Promise<void> {
    await this.#store(context, turn, [...turn.takeDrafts(), ...turn.calls.close('failed')]);
    const { text: said } = turn.takeSaid();
    if (said === '') return;
    const words = [textContent(boundedText(said, this.#mask))];
    await context.emit([
      agentMessage({ content: words, llm_response_id: turn.id }),
      drafts.environmentMessage(CUT_OFF),
    ]);
  }

  /** Stores the last events of a turn that an interruption cancelled. Its text is dropped, as readers were told. */
  async #storeCancelled(context: StepContext): Promise<void> {
    const cancelled = this.#cancelled;
    if (!cancelled) return;
    await cancelled.over;
    context.signal.throwIfAborted();
    const { turn } = cancelled;
    await this.#store(context, turn, [...turn.takeDrafts(), ...turn.calls.close('failed')]);
    this.#cancelled = undefined;
  }

  /**
   * Stores events of tool calls. Open calls are noted before their first event is stored, and until their last one is, so that none of
   * them stays open after a crash.
   */
  async #store(context: StepContext, turn: Turn, due: readonly EventDraft[]): Promise<void> {
    if (due.length === 0) return;
    const { open } = turn.calls;
    await this.#noteOpen(context, { ...this.#open, ...open });
    await context.emit(due);
    await this.#noteOpen(context, open);
  }

  async #noteOpen(context: StepContext, open: Readonly<Record<string, string>>): Promise<void> {
    if (isSameJson(open, this.#open)) return;
    await context.setAgentState({ acp_open_calls: open });
    this.#open = open;
  }
}
