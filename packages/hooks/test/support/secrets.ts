import { type Masker, SECRET_MASK, type ToolSecrets } from '@conv/core';

/** Secrets that are known by the time they are named, as a conversation has them. */
export function secretsOf(values: Readonly<Record<string, string>>): ToolSecrets & { readonly named: string[] } {
  const known = new Set<string>();
  const named: string[] = [];
  const mask = (text: string): string => {
    const byLength = [...known].toSorted((one, other) => other.length - one.length);
    return byLength.reduce((masked, value) => masked.replaceAll(value, SECRET_MASK), text);
  };
  return {
    named,
    masker: maskerOf(known, mask),
    environmentFor: async (text) => {
      const names = Object.keys(values).filter((name) => new RegExp(`\\b${name}\\b`).test(text));
      for (const name of names) known.add(values[name] ?? '');
      named.push(...names);
      const environment = Object.fromEntries(names.map((name) => [name, values[name] ?? '']));
      const missing = /\bLOST\b/.test(text) ? [{ name: 'LOST', reason: 'its source does not answer' }] : [];
      return { environment, missing };
    },
  };
}

function maskerOf(known: ReadonlySet<string>, mask: (text: string) => string): Masker {
  return {
    get version() {
      return known.size;
    },
    mask,
    stream: () => {
      let held = '';
      return {
        write: (chunk) => {
          held += chunk;
          return '';
        },
        end: () => {
          const masked = mask(held);
          for (const value of known) {
            for (let length = value.length - 1; length >= 4; length--) {
              if (masked.endsWith(value.slice(0, length))) return masked.slice(0, -length) + SECRET_MASK;
            }
          }
          return masked;
        },
      };
    },
  };
}
