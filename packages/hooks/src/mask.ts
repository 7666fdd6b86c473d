import { type Masker, SECRET_MASK } from '@conv/core';

/** Masks a text, and hides all of it when that fails. */
export function maskOrHide(text: string, masker: Masker | undefined): string {
  try {
    return masker?.mask(text) ?? text;
  } catch {
    return SECRET_MASK;
  }
}

/** Masks the beginning of a text as {@link maskOrHide} does, and also the possible beginning of a value at its end. */
export function maskBeginning(text: string, masker: Masker | undefined): string {
  if (!masker) return text;
  try {
    const stream = masker.stream();
    return stream.write(text) + stream.end();
  } catch {
    return SECRET_MASK;
  }
}
