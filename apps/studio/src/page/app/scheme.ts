const STORED = 'studio.scheme';

/** Colour scheme that a person chose; `system` follows the device. */
export type Scheme = 'system' | 'light' | 'dark';

/** Returns the stored choice. */
export function storedScheme(): Scheme {
  const stored = localStorage.getItem(STORED);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Applies a choice and stores it. */
export function applyScheme(scheme: Scheme): void {
  localStorage.setItem(STORED, scheme);
  if (scheme === 'system') delete document.documentElement.dataset['scheme'];
  else document.documentElement.dataset['scheme'] = scheme;
}
