import { SECRET_MASK, type Masker, type MaskStream, type MissingSecret, type ToolSecrets } from '@conv/core';

/** Secrets that a test can change, with a masker that looks for values as they are. */
export interface FakeSecrets extends ToolSecrets {
  readonly set: (name: string, value: string) => void;
  readonly hide: (value: string) => void;
}

export function fakeSecrets(
  values: Readonly<Record<string, string>>,
  missing: readonly MissingSecret[] = [],
): FakeSecrets {
  const current = new Map(Object.entries(values));
  const known = new Set(current.values());
  const masker = replacing(known);
  return {
    masker,
    set: (name, value) => {
      current.set(name, value);
      known.add(value);
    },
    hide: (value) => void known.add(value),
    environmentFor: async (text, signal) => {
      signal.throwIfAborted();
      const named = new Set(text.match(/[A-Za-z_][A-Za-z0-9_]*/g));
      return {
        environment: Object.fromEntries([...current].filter(([name]) => named.has(name))),
        missing: missing.filter(({ name }) => named.has(name)),
      };
    },
  };
}

function replacing(known: ReadonlySet<string>): Masker {
  const longestFirst = (): string[] => [...known].sort((one, other) => other.length - one.length);
  const mask = (text: string): string =>
    longestFirst().reduce((masked, value) => masked.replaceAll(value, SECRET_MASK), text);
  return {
    get version() {
      return known.size;
    },
    mask,
    stream: () => streaming(longestFirst, mask),
  };
}

// holds back the longest end that is the beginning of a value
function streaming(values: () => readonly string[], mask: (text: string) => string): MaskStream {
  let held = '';
  const partial = (text: string): number =>
    values().reduce((longest, value) => {
      for (let length = Math.min(value.length - 1, text.length); length > longest; length--)
        if (value.startsWith(text.slice(-length))) return length;
      return longest;
    }, 0);
  return {
    write: (chunk) => {
      const text = mask(held + chunk);
      const length = partial(text);
      held = text.slice(text.length - length);
      return text.slice(0, text.length - length);
    },
    end: () => (held.length >= 4 ? SECRET_MASK : held),
  };
}
