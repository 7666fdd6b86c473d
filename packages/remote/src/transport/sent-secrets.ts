import { SECRET_MASK } from '@conv/core';

/** Members whose texts are secrets, at any depth. */
const SECRET_MEMBER = /key|token|secret|passw|credential|auth|cookie|headers|^env$/i;

/** Members of secrets that only describe them. */
const PLAIN_MEMBER = /^(?:kind|name|description|strategy|header_name|username|url|secrets_encrypted)$/i;

/** Minimum length of a masked text, because shorter texts are part of too many others. */
const SHORTEST = 8;

/** The secrets that a client has sent to its server. They are masked in errors and logs, because an answer may repeat them. */
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

  /** Returns the text without the secrets, the longest first, also in their JSON form. */
  mask(text: string): string {
    let masked = text;
    for (const value of [...this.#values].toSorted((one, other) => other.length - one.length))
      masked = masked.replaceAll(value, SECRET_MASK).replaceAll(JSON.stringify(value).slice(1, -1), SECRET_MASK);
    return masked;
  }
}
