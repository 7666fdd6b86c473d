/**
 * Characters of a name or an attribute.
 *
 * @internal
 */
export const LONGEST_TEXT = 256;

/**
 * Characters of content.
 *
 * @internal
 */
export const LONGEST_CONTENT = 16_384;

/** Characters to which texts in JSON are cut before all of it becomes one text. */
const SHORTEST = 16;

type Attributes = Record<string, string | number>;

/** Texts of spans: masked, and then cut, because half a value is not recognised. */
export class SpanText {
  readonly #mask: (text: string) => string;

  constructor(mask: (text: string) => string) {
    this.#mask = mask;
  }

  /** Returns a name or the text of an attribute. */
  short(text: string): string {
    return this.#mask(text).slice(0, LONGEST_TEXT);
  }

  /** Returns content. */
  long(text: string): string {
    return this.#mask(text).slice(0, LONGEST_CONTENT);
  }

  /** Returns content that is JSON and stays JSON. Text that is none is cut as any other. */
  json(json: string): string {
    const masked = this.#mask(json);
    return masked.length <= LONGEST_CONTENT ? masked : (shortJson(masked) ?? masked.slice(0, LONGEST_CONTENT));
  }

  attributes(attributes: Attributes): Attributes {
    return Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [name, typeof value === 'string' ? this.short(value) : value]),
    );
  }
}

/** Returns JSON with its texts cut until it fits; if they do not suffice, the beginning of it as one text. */
function shortJson(json: string): string | undefined {
  const value = parsed(json);
  if (value === undefined) return undefined;
  for (let most = LONGEST_CONTENT; most >= SHORTEST; most /= 2) {
    const short = JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'string' ? member.slice(0, most) : member,
    );
    if (short.length <= LONGEST_CONTENT) return short;
  }
  // two quotes, a backslash before each character, and half of a surrogate pair
  return JSON.stringify(json.slice(0, LONGEST_CONTENT / 2 - 8));
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
