import type { StateFields, Visualizer } from '@conv/core';
import { type Event, isEvent } from '@conv/core/events';
import { plainLine } from '@conv/visualize/text';

import { describeAction } from '../../conversation/call-text.ts';
import { amount } from '../../terminal/amount.ts';
import { statusText } from '../../terminal/status-text.ts';
import { price } from './status-facts.ts';

/** Characters of a name and of a step: more than a row shows. */
const NAME = 60;
const STEP = 200;

/** A sub-agent that works for the conversation on the screen. */
export interface ChildNews {
  readonly id: string;
  /** Its name and its task, made safe. */
  readonly name: string;
  readonly kind: 'began' | 'step' | 'ended';
  /** The last step, or the end in words; made safe. */
  readonly text: string;
  /** True if it ended because calls of it wait for a person. */
  readonly waits: boolean;
}

/** Returns news of a sub-agent as a line. */
export function childLine({ name, kind, text }: ChildNews): string {
  if (kind === 'began') return `${name} begins`;
  return text === '' ? name : `${name}: ${text}`;
}

/** Receives news of sub-agents. */
export type ChildListener = (news: ChildNews) => void;

type Child = Parameters<NonNullable<Visualizer['forChild']>>[0];

/** Tells in short what a sub-agent does: that it began, each step, and how it ended. */
export class ChildWatch implements Visualizer {
  readonly #child: Child;
  readonly #listener: ChildListener;
  #state: StateFields | undefined;
  #before = 0;
  #steps = 0;

  constructor(child: Child, listener: ChildListener) {
    this.#child = child;
    this.#listener = listener;
  }

  initialize(state: StateFields): void {
    this.#state = state;
    this.#before = costOf(state);
    this.#tell('began', '');
  }

  onEvent(event: Event): void {
    const step = stepOf(event);
    if (step === undefined) return;
    this.#steps += 1;
    this.#tell('step', plainLine(step.slice(0, STEP)));
  }

  onStateChange(state: StateFields): void {
    this.#state = state;
  }

  /** A sub-agent of a sub-agent is shown beside it. */
  forChild(child: Child): Visualizer {
    return new ChildWatch(child, this.#listener);
  }

  close(): void {
    if (this.#state === undefined) return;
    const spent = costOf(this.#state) - this.#before;
    const facts = [statusText(this.#state.executionStatus), amount(this.#steps, 'step')];
    if (spent > 0) facts.push(price(spent));
    this.#tell('ended', plainLine(facts.join(', ')));
  }

  #tell(kind: ChildNews['kind'], text: string): void {
    const { id, title, tags } = this.#child;
    const waits = this.#state?.executionStatus === 'waiting_for_confirmation';
    const name = [tags['subagent'], title].filter((part) => part !== undefined && part !== null).join(' · ');
    this.#listener({ id, name: plainLine((name || id).slice(0, NAME)), kind, text, waits });
  }
}

function stepOf(event: Event): string | undefined {
  if (isEvent(event, 'ActionEvent')) return `${event.tool_name} ${describeAction(event)}`;
  if (isEvent(event, 'MessageEvent') && event.source === 'agent') return 'answers';
  return undefined;
}

function costOf({ stats }: StateFields): number {
  return Object.values(stats).reduce((sum, { cost }) => sum + cost, 0);
}
