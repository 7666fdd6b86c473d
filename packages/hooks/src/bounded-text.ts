/** Keeps the beginning of a text that arrives in pieces. */
export class BoundedText {
  readonly #limit: number;
  #text = '';
  #complete = true;

  /** Takes the limit in UTF-16 units. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get text(): string {
    return this.#text;
  }

  /** True if no text was left out. */
  get complete(): boolean {
    return this.#complete;
  }

  write(piece: string): void {
    const free = this.#limit - this.#text.length;
    if (piece.length > free) this.#complete = false;
    if (free > 0) this.#text += piece.slice(0, free);
  }
}

/** Returns the beginning of a text, at most `limit` characters and 3 × `limit` bytes of JSON, and what is missing. */
export function cutText(text: string, limit: number): string {
  const whole = text.toWellFormed();
  if (fits(whole, limit)) return whole;
  const note = (left: number): string => ` … ${left} more characters`;
  let kept = whole.slice(0, Math.max(0, limit - note(whole.length).length));
  while (kept !== '' && !fits(kept + note(whole.length), limit)) kept = kept.slice(0, Math.floor(kept.length * 0.7));
  kept = kept.replace(/[\uD800-\uDBFF]$/, '');
  return kept + note(whole.length - kept.length);
}

function fits(text: string, limit: number): boolean {
  return text.length <= limit && (text.length * 6 <= limit * 3 || Buffer.byteLength(JSON.stringify(text)) <= limit * 3);
}
