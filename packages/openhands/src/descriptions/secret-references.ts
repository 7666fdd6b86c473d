const REFERENCE = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|([A-Za-z_][A-Za-z0-9_]*))/g;
/** Matches references that can hardly be part of a password: in braces, or in capital letters. */
const CLEAR = /\$(?:\{[A-Za-z_][A-Za-z0-9_]*(?::-[^}]*)?\}|[A-Z_][A-Z0-9_]*(?![A-Za-z0-9_]))/g;
/** Matches the scheme of a header. */
const SCHEME = /^[A-Za-z][A-Za-z0-9-]* +(?=\S)/;

/** The values of secrets, and what becomes of names without one. */
export interface ReferenceValues {
  readonly values: Readonly<Record<string, string>>;
  /** True if `${NAME:-text}` means the text when NAME has no value. Default: it stays as it is, for a shell to read. */
  readonly defaults?: boolean;
}

/** A name in a text, as `$NAME`, `${NAME}` or `${NAME:-…}`. */
export interface SecretReference {
  readonly name: string;
  readonly hasDefault: boolean;
}

/** Returns the names in all texts of a value, but not in the names of its members. */
export function referencesIn(value: unknown): readonly SecretReference[] {
  const found: SecretReference[] = [];
  mapTexts(value, (text) => {
    for (const [, braced, fallback, bare] of text.matchAll(REFERENCE))
      found.push({ name: braced ?? bare ?? '', hasDefault: fallback !== undefined });
    return text;
  });
  return found;
}

/** True if the text names a secret. */
export function hasReference(text: string): boolean {
  return text.search(REFERENCE) >= 0;
}

/** True if the text is nothing but a reference, also behind the scheme of a header. `$name` in small letters is taken for a password. */
export function isReference(text: string): boolean {
  return text !== '' && withoutReferences(text.replace(SCHEME, '')) === '';
}

/** Returns the text without its references. `$name` in small letters stays, because passwords have it. */
export function withoutReferences(text: string): string {
  return text.replaceAll(CLEAR, '');
}

/** Returns `value` with its references replaced, but for unknown names. References in values stay. */
export function expandReferences<Value>(value: Value, { values, defaults = false }: ReferenceValues): Value {
  return mapTexts(value, (text) =>
    text.replaceAll(REFERENCE, (reference, braced?: string, fallback?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      if (Object.hasOwn(values, name)) return values[name] as string;
      return defaults && fallback !== undefined ? fallback : reference;
    }),
  ) as Value;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  // keys are names of parameters
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, change)]));
}
