import { SECRET_MASK } from '@conv/core';

/** Members whose texts are secrets, all the way down. */
const SECRET_MEMBER = /key|token|secret|passw|credential|auth|cookie|headers|^env$/i;

/** Members of secrets that only say what they are. */
const PLAIN_MEMBER = /^(?:kind|name|description|strategy|header_name|username|url|secrets_encrypted)$/i;

/** Shorter texts stand in too many others. */
const SHORTEST = 8;

/** The secrets that a client has sent to its server: an answer that repeats one must not bring it into errors and logs. */
export class SentSecrets {
  readonly #values = new Set<string>();

  /** Remembers the secrets in the headers or the body of a request. */
  learn(sent: unknown, isSecret: boolean = false): void {
    if (typeof sent === 'string') {
      if (isSecret && sent.length >= SHORTEST && sent !== SECRET_MASK && !/^\*+$/.test(sent)) this.#values.add(sent);
      return;
    }
    if (typeof sent !== 'object' || sent === null) return;
    for (const [name, value] of Object.entries(sent)) {
      const isPlain = PLAIN_MEMBER.test(name) && typeof value === 'string';
      this.learn(value, !isPlain && (isSecret || SECRET_MEMBER.test(name)));
    }
  }

  /** The text without them, the longest first, also as JSON writes them. */
  mask(text: string): string {
    let masked = text;
    for (const value of [...this.#values].toSorted((one, other) => other.length - one.length))
      masked = masked.replaceAll(value, SECRET_MASK).replaceAll(JSON.stringify(value).slice(1, -1), SECRET_MASK);
    return masked;
  }
}
