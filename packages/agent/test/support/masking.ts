import { SECRET_MASK, type ToolSecrets } from '@conv/core';

/** The secrets of a conversation that has this one. */
export function secretsOf(value: string): ToolSecrets {
  const mask = (text: string): string => text.replaceAll(value, SECRET_MASK);
  return secretsWith(mask);
}

/** Secrets that are masked in this way. */
export function secretsWith(mask: (text: string) => string): ToolSecrets {
  return {
    masker: {
      version: 1,
      mask,
      stream: () => ({ write: mask, end: () => '' }),
    },
    environmentFor: async () => ({ environment: {}, missing: [] }),
  };
}
