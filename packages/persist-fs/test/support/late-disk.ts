import { closeSync, openSync, writeSync } from 'node:fs';
import { nodeDisk, type Disk } from '../../src/index.ts';

/** Disk that takes the bytes of one group of commits late: the write, or each second time the flush, fails first. */
export class LateDisk {
  readonly disk: Disk;
  /** Files of epochs that are open, with their paths. */
  readonly #epochs = new Map<number, string>();
  /** The files that late bytes are written into, which may have lost their names by then. */
  readonly #late: number[] = [];
  #armed: 'write' | 'flush' | undefined;
  #failing: number | undefined;
  #delays = 0;
  #arrive: () => void = () => {};

  constructor() {
    this.disk = {
      ...nodeDisk,
      open: (path, mode) => {
        const file = nodeDisk.open(path, mode);
        if (path.endsWith('.wal') && mode !== 'read') this.#epochs.set(file, path);
        return file;
      },
      close: (file) => {
        this.#epochs.delete(file);
        nodeDisk.close(file);
      },
      write: (file, bytes, position) => this.#write(file, bytes, position),
      sync: async (file, site, mayBlock) => {
        if (file !== this.#failing || site !== 'group') return nodeDisk.sync(file, site, mayBlock);
        this.#failing = undefined;
        throw ioError();
      },
    };
  }

  /** Delays the next write into the file of an epoch. The returned function carries it out. */
  delay(): () => Promise<void> {
    this.#armed = this.#delays++ % 2 === 0 ? 'write' : 'flush';
    return async () => this.#arrive();
  }

  close(): void {
    for (const file of this.#late) closeSync(file);
  }

  #write(file: number, bytes: Uint8Array, position: number): number {
    const [path, armed] = [this.#epochs.get(file), this.#armed];
    if (path === undefined || armed === undefined) return nodeDisk.write(file, bytes, position);
    this.#armed = undefined;
    const late = openSync(path, 'r+');
    this.#late.push(late);
    const kept = Uint8Array.from(bytes);
    this.#arrive = () => void writeSync(late, kept, 0, kept.length, position);
    if (armed === 'write') throw ioError();
    this.#failing = file;
    return bytes.length;
  }
}

function ioError(): Error {
  return Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
}
