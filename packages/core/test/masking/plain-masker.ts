import { SECRET_MASK, type Masker } from '@conv/core';

/** Masks these values as they are, and knows no other form of them. Values can be added. */
export function plainMasker(...values: string[]): Masker & { add(value: string): void } {
  const mask = (text: string): string => values.reduce((rest, value) => rest.replaceAll(value, SECRET_MASK), text);
  return {
    get version() {
      return values.length;
    },
    mask,
    stream: () => {
      let held = '';
      return {
        write: (chunk) => {
          held += chunk;
          return '';
        },
        end: () => mask(held),
      };
    },
    add: (value) => void values.push(value),
  };
}
