import type { RiskAssessment, SecurityAnalyzer } from '@conv/core';
import type { EventDraftOfKind } from '@conv/core/events';

type Said = RiskAssessment | Promise<RiskAssessment>;

/** An analyzer that says what the test says, and keeps what it was asked about. */
export class FakeAnalyzer implements SecurityAnalyzer {
  readonly asked: EventDraftOfKind<'ActionEvent'>[] = [];
  readonly #say: (tool: string, signal: AbortSignal) => Said;
  readonly #kind: string;

  constructor(say: (tool: string, signal: AbortSignal) => Said, kind = 'FakeAnalyzer') {
    this.#say = say;
    this.#kind = kind;
  }

  describe(): { kind: string } {
    return { kind: this.#kind };
  }

  assess(action: EventDraftOfKind<'ActionEvent'>, { signal }: { signal: AbortSignal }): Said {
    this.asked.push(action);
    return this.#say(action.tool_name, signal);
  }
}
