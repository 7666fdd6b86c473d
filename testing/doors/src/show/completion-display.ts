import type { OpenAI } from 'openai';

/** The answers to one request for a chat completion. A request that is repeated is answered from the beginning. */
export class CompletionDisplay {
  readonly text: string;
  /** The key that makes a repetition harmless. */
  readonly key: string;
  /** True if a part of the answer has come. */
  hasBegun = false;
  /** True if the answer says that it has ended. */
  isOver = false;
  #content = '';
  #failure: string | undefined;

  constructor(text: string, key: string) {
    this.text = text;
    this.key = key;
  }

  /** Shows that the request is sent, again. */
  ask(): void {
    this.isOver = false;
    this.#content = '';
    this.#failure = undefined;
  }

  take({ choices: [choice] }: OpenAI.ChatCompletionChunk): void {
    this.hasBegun = true;
    this.#content += choice?.delta.content ?? '';
    this.isOver = choice?.finish_reason === 'stop';
  }

  fail(code: string): void {
    this.isOver = true;
    this.#failure = code;
  }

  lines(): readonly string[] {
    const texts = this.#content.split('\n\n').filter((text) => text !== '');
    const failure = this.#failure === undefined ? [] : [`error: ${this.#failure}`];
    return [`user: ${this.text}`, ...texts.map((text) => `text: ${text}`), ...failure];
  }
}
