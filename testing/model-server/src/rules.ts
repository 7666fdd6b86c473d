import type { Api } from './model-request.ts';

/** Names of the rules a request is checked against; also the `code` of the 400 answer. */
export type RuleId =
  | 'body'
  | 'model'
  | 'messages'
  | 'role'
  | 'system-first'
  | 'content'
  | 'content-part'
  | 'assistant-empty'
  | 'tool-calls'
  | 'tool-call-id'
  | 'tool-call-id-unique'
  | 'tool-call-arguments'
  | 'tool-call-unanswered'
  | 'tool-result-orphan'
  | 'tool-result-twice'
  | 'tool-name'
  | 'tools'
  | 'tool-parameters'
  | 'tool-choice'
  | 'stream-options'
  | 'max-tokens'
  | 'input-item'
  | 'item-id'
  | 'item-id-unique'
  | 'item-reference'
  | 'previous-response'
  | 'reasoning-alone'
  | 'reasoning-missing'
  | 'reasoning-signature'
  | 'script';

/** A request that was refused, and why. */
export interface Violation {
  readonly rule: RuleId;
  readonly message: string;
  /** The place in the body, as in `messages[2].tool_calls[0].id`; empty for the body itself. */
  readonly param: string;
  readonly api: Api;
  /** The body as sent; its text when it was no JSON object. */
  readonly body: unknown;
}

/** Thrown where a rule is found broken; the server turns it into a 400 answer and a {@link Violation}. */
export class RuleBroken extends Error {
  readonly rule: RuleId;
  readonly param: string;

  constructor(rule: RuleId, param: string, message: string, options?: ErrorOptions) {
    super(param === '' ? message : `${param}: ${message}`, options);
    this.name = 'RuleBroken';
    this.rule = rule;
    this.param = param;
  }
}

/** Throws {@link RuleBroken} unless the condition holds. */
export function ensure(condition: unknown, rule: RuleId, param: string, message: string): asserts condition {
  if (!condition) throw new RuleBroken(rule, param, message);
}
