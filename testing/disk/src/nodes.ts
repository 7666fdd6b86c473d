import type { Survival } from './survival.ts';

/** Bytes that a device writes as a whole. */
const SECTOR = 512;

let inodes = 0;

/** A file: its bytes, and which of them are on the device. */
export class FileNode {
  readonly inode: number = ++inodes;
  modified = 0;
  /** The number of writes so far. */
  writes = 0;
  #bytes: Buffer;
  #size: number;
  #durable: Buffer;
  #unsynced: { readonly order: number; readonly position: number; readonly bytes: Buffer }[] = [];

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#bytes = Buffer.from(bytes);
    this.#size = bytes.length;
    this.#durable = Buffer.from(bytes);
  }

  get size(): number {
    return this.#size;
  }

  write(bytes: Uint8Array, position: number): void {
    const end = position + bytes.length;
    if (end > this.#bytes.length) {
      const grown = Buffer.alloc(Math.max(end, this.#bytes.length * 2));
      this.#bytes.copy(grown, 0, 0, this.#size);
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, position);
    this.#size = Math.max(this.#size, end);
    this.#unsynced.push({ order: this.writes++, position, bytes: Buffer.from(bytes) });
  }

  read(target: Uint8Array, position: number): number {
    const bytes = this.#bytes.subarray(position, Math.min(this.#size, position + target.length));
    target.set(bytes);
    return bytes.length;
  }

  /** The writes before the one with number `before` are on the device. */
  makeDurable(before: number): void {
    while (this.#unsynced[0] && this.#unsynced[0].order < before) {
      const { position, bytes } = this.#unsynced[0];
      this.#durable = overlaid(this.#durable, bytes, position);
      this.#unsynced.shift();
    }
  }

  /** The file as it is after a crash: what was durable, and of the rest any sectors in any order. */
  survivor(survival: Survival): FileNode {
    let content = Buffer.from(this.#durable);
    for (const { order, position, bytes } of this.#unsynced) {
      for (let from = 0; from < bytes.length;) {
        const to = Math.min(bytes.length, from + SECTOR - ((position + from) % SECTOR));
        if (survival.sector(order === this.writes - 1))
          content = overlaid(content, bytes.subarray(from, to), position + from);
        from = to;
      }
    }
    const survivor = new FileNode(content);
    survivor.modified = this.modified;
    return survivor;
  }
}

/** A folder: its names, and which of them are on the device. */
export class FolderNode {
  readonly inode: number = ++inodes;
  modified = 0;
  readonly entries: Map<string, Node> = new Map();
  readonly durable: Map<string, Node> = new Map();

  makeDurable(name: string, node: Node | undefined): void {
    if (node) this.durable.set(name, node);
    else this.durable.delete(name);
  }

  put(name: string, node: Node): void {
    this.entries.set(name, node);
    this.durable.set(name, node);
  }

  take(name: string): void {
    this.entries.delete(name);
    this.durable.delete(name);
  }
}

/** Target of a name. */
export type Node = FileNode | FolderNode;

/** `base` with `bytes` at `position`; a hole reads as zeros. */
function overlaid(base: Buffer, bytes: Uint8Array, position: number): Buffer<ArrayBuffer> {
  const result = Buffer.alloc(Math.max(base.length, position + bytes.length));
  base.copy(result);
  result.set(bytes, position);
  return result;
}
