import { STUCK_SENDER, type StuckDetector, type StuckFinding } from '@conv/core';
import {
  drafts,
  type ActionEvent,
  agentMessage,
  type Event,
  type EventDraft,
  stampEvent,
  textContent,
  userMessage,
} from '@conv/core/events';

/** The result of a call: the text of an observation, or a draft made from the call. */
export type Result = string | ((call: ActionEvent) => EventDraft);

/** A call in short: the terminal's command and its answer. */
export interface ShortCall {
  readonly command?: string;
  readonly tool?: string;
  readonly result?: Result;
  readonly thought?: string;
  readonly action?: ActionEvent['action'];
  readonly arguments?: string;
}

/** Writes a history with real events, and gives each to a detector. */
export class History<State> {
  readonly events: Event[] = [];
  state: State;
  readonly #detector: StuckDetector<State>;
  #responses = 0;

  constructor(detector: StuckDetector<State>) {
    this.#detector = detector;
    this.state = detector.initial;
  }

  /** The finding that the runtime gets before its next model call. */
  get finding(): StuckFinding | undefined {
    return this.#detector.find(this.state);
  }

  /** `warn repeat` and the like, or nothing. */
  get verdict(): string | undefined {
    const { finding } = this;
    return finding === undefined ? undefined : `${finding.action} ${finding.pattern}`;
  }

  add<Draft extends EventDraft>(draft: Draft): ReturnType<typeof stampEvent<Draft>> {
    const number = String(this.events.length + 1).padStart(6, '0');
    const event = stampEvent(draft, { id: `event-${number}`, timestamp: `2026-03-01T10:00:00.${number}` });
    this.events.push(event);
    this.state = this.#detector.apply(this.state, event);
    return event;
  }

  /** The calls of one response and then their results, in the order of `answers` if that is given. */
  respond(calls: readonly ShortCall[], answers: readonly number[] = calls.map((_, index) => index)): void {
    this.#responses += 1;
    const made = calls.map((call, index) => this.add(this.#draft(call, index)));
    for (const index of answers) {
      const call = made[index];
      const short = calls[index];
      if (call !== undefined && short !== undefined) this.answer(call, short.result ?? 'ok');
    }
  }

  call(command: string, result: Result = 'ok'): void {
    this.respond([{ command, result }]);
  }

  answer(call: ActionEvent, result: Result): void {
    this.add(typeof result === 'string' ? drafts.observation(call, output(result)) : result(call));
  }

  say(text = 'I am thinking.'): void {
    this.#responses += 1;
    this.add(agentMessage({ content: text, llm_response_id: `response-${this.#responses}` }));
  }

  condense(): void {
    this.add(drafts.condensation({ llm_response_id: `response-${this.#responses}` }));
  }

  ask(text = 'Go on.'): void {
    this.add(userMessage(text));
  }

  /** Warns of the finding, as the runtime does. */
  warn(): void {
    const { finding } = this;
    if (finding?.action !== 'warn') throw new Error(`no warning to give, but ${this.verdict}`);
    this.add(drafts.environmentMessage(finding.message, { sender: `${STUCK_SENDER}${finding.pattern}` }));
  }

  #draft(call: ShortCall, index: number): ReturnType<typeof drafts.action> {
    const { tool = 'terminal', command = 'ls', thought } = call;
    const id = `call-${this.#responses}-${index}`;
    const done =
      call.action === undefined ? { command, is_input: false, reset: false, kind: 'TerminalAction' } : call.action;
    const thoughts = thought === undefined ? [] : [textContent(thought)];
    return drafts.action({
      thought: thoughts,
      ...(done === null ? {} : { action: done }),
      tool_name: tool,
      tool_call_id: id,
      tool_call: { id, name: tool, arguments: call.arguments ?? JSON.stringify({ command }), origin: 'completion' },
      llm_response_id: `response-${this.#responses}`,
    });
  }
}

/** Returns the output of a command. */
export function output(
  text: string,
  exitCode = 0,
  workingDirectory = '/srv/demo',
): Parameters<typeof drafts.observation>[1] {
  return {
    content: [textContent(text)],
    command: 'ls',
    exit_code: exitCode,
    timeout: false,
    metadata: { exit_code: exitCode, pid: 42, working_dir: workingDirectory },
    kind: 'TerminalObservation',
  };
}

/** A tool's own failure. */
export function failure(text: string): (call: ActionEvent) => EventDraft {
  return (call) => drafts.observation(call, { ...output(text), is_error: true });
}

/** A failure around a tool. */
export function errorAround(text: string): (call: ActionEvent) => EventDraft {
  return (call) => drafts.agentError(call, text);
}

/** A rejection by the user or a hook. */
export function rejected(reason?: string, source?: 'user' | 'hook'): (call: ActionEvent) => EventDraft {
  return (call) => drafts.userReject(call, reason, source);
}

/** Repeats an action the given number of times. */
export function times(count: number, body: (index: number) => void): void {
  for (let index = 0; index < count; index += 1) body(index);
}
