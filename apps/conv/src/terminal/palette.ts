import process from 'node:process';

import pc from 'picocolors';

/** Paints text, or leaves it as it is. */
export type Palette = ReturnType<typeof pc.createColors>;

/** Returns the colours for a stream according to FORCE_COLOR, NO_COLOR and TERM, as the visualizer does. */
export function paletteFor(stream: { readonly isTTY?: boolean }): Palette {
  const { FORCE_COLOR: force, NO_COLOR: none, TERM: terminal } = process.env;
  if (force !== undefined && force !== '') return pc.createColors(force !== '0' && force !== 'false');
  if (none !== undefined && none !== '') return pc.createColors(false);
  return pc.createColors(stream.isTTY === true && terminal !== 'dumb');
}
