import type { AssessOptions, RiskAssessment, SecurityAnalyzer } from '@conv/core';
import type { EventDraftOfKind } from '@conv/core/events';

type Said = RiskAssessment | Promise<RiskAssessment>;

/** An analyzer that says what the test says, and keeps what it was asked about. */
export class FakeAnalyzer implements SecurityAnalyzer {
  readonly asked: EventDraftOfKind<'ActionEvent'>[] = [];
  /** Circumstances of each question. */
  readonly told: AssessOptions[] = [];
  readonly #say: (tool: string, signal: AbortSignal) => Said;
  readonly #kind: string;

  constructor(say: (tool: string, signal: AbortSignal) => Said, kind = 'FakeAnalyzer') {
    this.#say = say;
    this.#kind = kind;
  }

  describe(): { kind: string } {
    return { kind: this.#kind };
  }

  assess(action: EventDraftOfKind<'ActionEvent'>, options: AssessOptions): Said {
    this.asked.push(action);
    this.told.push(options);
    return this.#say(action.tool_name, options.signal);
  }
}
