import type { Writable } from 'node:stream';

/** The output of a visualizer: any stream. A terminal has a width, too. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The use of colour. `auto`: on terminals with colours, according to FORCE_COLOR, NO_COLOR and TERM. */
export type ColorMode = 'auto' | 'always' | 'never';

export function isColored(mode: ColorMode, stream: OutputStream, environment: NodeJS.ProcessEnv): boolean {
  if (mode !== 'auto') return mode === 'always';
  const { FORCE_COLOR: force, NO_COLOR: none, TERM: terminal } = environment;
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  if (none !== undefined && none !== '') return false;
  return stream.isTTY === true && terminal !== 'dumb';
}

const NARROWEST = 20;
/** Wider lines are hard to read. */
const WIDEST = 120;
const DEFAULT_WIDTH = 80;

/** Returns the number of columns that a line may fill. */
export function widthOf(stream: OutputStream, width: number | 'auto'): number {
  if (width !== 'auto') return Math.max(NARROWEST, Math.floor(width));
  const { columns } = stream;
  if (columns === undefined || columns <= 0) return DEFAULT_WIDTH;
  return Math.min(WIDEST, Math.max(NARROWEST, columns));
}

/** Writes text; resolves when the stream takes more, or undefined at once when it does. Text for a closed stream is lost. */
export function writeTo(stream: OutputStream, text: string): Promise<void> | undefined {
  if (!stream.writable) return undefined;
  if (stream.write(text)) return undefined;
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    // A stream that fails closes; without this listener its writers would wait for it forever.
    stream.on('drain', done).on('close', done);
  });
}
