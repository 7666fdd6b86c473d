import type { CanaryValues } from './canaries.ts';

/** Writes secrets into texts, each behind a mark that says which way it is taking: `@title/plain-token=…`. */
export class Carrier {
  readonly values: CanaryValues;

  constructor(values: CanaryValues) {
    this.values = values;
  }

  /** Every id, or all but some. */
  ids(...without: readonly string[]): readonly string[] {
    return Object.keys(this.values).filter((id) => !without.includes(id));
  }

  value(id: string): string {
    const value = this.values[id];
    if (value === undefined) throw new Error(`no secret is called ${id}`);
    return value;
  }

  /** Returns a value with its mark. */
  one(way: string, id: string, write: (value: string) => string = (value) => value): string {
    return `@${way}/${id}=${write(this.value(id))}`;
  }

  /** Returns these values, default all, one after the other. */
  all(way: string, ids: readonly string[] = this.ids(), write?: (value: string) => string): string {
    return `${ids.map((id) => this.one(way, id, write)).join(' ;\n')} ;\n`;
  }
}

/** The ways that are marked in bytes, each with the secrets that took it. */
export function waysIn(bytes: Buffer): ReadonlyMap<string, ReadonlySet<string>> {
  const ways = new Map<string, Set<string>>();
  for (const [, way = '', id = ''] of bytes.toString('latin1').matchAll(/@([a-z0-9-]+)\/([a-z0-9-]+)=/g)) {
    const ids = ways.get(way);
    if (ids) ids.add(id);
    else ways.set(way, new Set([id]));
  }
  return ways;
}
