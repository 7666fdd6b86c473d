import type { OpenAI } from 'openai';

import type { Said } from '../door/door.ts';

/** A message that is repeated as it was sent first. */
export interface RepeatedMessage extends Said {
  /** True if its image stands before its text. Default false. */
  readonly isImageFirst?: boolean;
}

/** The answers to one request for a chat completion. A request that is repeated is answered from the beginning. */
export class CompletionDisplay {
  readonly message: RepeatedMessage;
  /** The key that makes a repetition harmless. */
  readonly key: string;
  /** True if a part of the answer has come. */
  hasBegun = false;
  /** True if the answer says that it has ended. */
  isOver = false;
  #content = '';
  #failure: string | undefined;

  constructor(message: RepeatedMessage, key: string) {
    this.message = message;
    this.key = key;
  }

  /** True if the answer ended with an error. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
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
    return [`user: ${this.message.text}`, ...texts.map((text) => `text: ${text}`), ...failure];
  }
}
