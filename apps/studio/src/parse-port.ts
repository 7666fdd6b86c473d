import { InvalidArgumentError } from 'commander';

/** Reads a port. Throws for a text that is none, with what was expected. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('expected a whole number from 0 to 65535.');
}
