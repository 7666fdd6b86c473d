/** A part of a user's message in a Responses request. */
export type ResponsesPart =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image_url: string; readonly detail: 'auto' };

/** The model's reasoning, sent back. */
export interface ResponsesReasoning {
  readonly type: 'reasoning';
  readonly id: string;
  readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[];
  readonly content?: readonly { readonly type: 'reasoning_text'; readonly text: string }[];
  readonly encrypted_content?: string;
  readonly status?: string;
}

/** Item of a Responses request. */
export type ResponsesItem =
  | { readonly type: 'message'; readonly role: 'user'; readonly content: readonly ResponsesPart[] }
  | {
      readonly type: 'message';
      readonly role: 'assistant';
      readonly content: readonly { readonly type: 'output_text'; readonly text: string }[];
    }
  | ResponsesReasoning
  | {
      readonly type: 'function_call';
      readonly id: string;
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    }
  | {
      readonly type: 'function_call_output';
      readonly call_id: string;
      readonly output: string | readonly ResponsesPart[];
    };

/** The history in a Responses request. */
export interface ResponsesInput {
  /** Absent when there is no system text. */
  readonly instructions?: string;
  readonly input: readonly ResponsesItem[];
}
