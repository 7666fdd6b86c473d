import { setImmediate } from 'node:timers/promises';
import { systemPlatform, type Platform } from '@conv/core/platform';
import { diskError } from './disk-error.ts';
import { DiskState } from './disk-state.ts';
import type { Survival } from './survival.ts';
import { FileNode, FolderNode } from './nodes.ts';

/** A call that changed or synced something, as the observer of a run sees it. */
export interface Operation {
  readonly kind:
    | 'open'
    | 'write'
    | 'sync'
    | 'syncFolder'
    | 'makeFolder'
    | 'rename'
    | 'link'
    | 'remove'
    | 'removeFolder';
  readonly path: string;
  /** Of a sync: its name. */
  readonly site?: string;
}

/** Effect of a fault on an operation: fails it, or lets a write take only some of its bytes. */
export type Fault = { readonly code: string } | { readonly bytes: number };

/** Options of a {@link SimulatedDisk}. */
export interface SimulatedDiskOptions {
  /** Clocks and timers of the host of this disk. Default: those of this process. */
  readonly platform?: Platform;
  /** Syncs with these names do nothing. Read at each sync, so that it may change. */
  readonly without?: ReadonlySet<string>;
  /** Called before each operation. The fault that it returns happens instead. */
  readonly fault?: (operation: Operation) => Fault | undefined;
  /** Called after each operation: the moment for a crash. */
  readonly observe?: (operation: Operation, disk: SimulatedDisk) => void;
}

interface OpenFile {
  readonly path: string;
  readonly node: FileNode;
}

/**
 * A disk in memory. It knows of every byte and every name whether a sync has made it durable. {@link
 * SimulatedDisk.crash} returns the disk that a loss of power at this moment would leave. Its methods are those of the
 * disk port of `@conv/persist-fs`.
 */
export class SimulatedDisk {
  readonly platform: Platform;
  readonly #state: DiskState;
  readonly #options: SimulatedDiskOptions;
  readonly #files = new Map<number, OpenFile>();
  #nextFile = 3;
  /** The number of calls of each sync. */
  readonly syncs: Map<string, number> = new Map();

  constructor(options: SimulatedDiskOptions = {}, state: DiskState = new DiskState()) {
    this.platform = options.platform ?? systemPlatform;
    this.#options = options;
    this.#state = state;
  }

  /** Returns the disk after a loss of power at this moment. */
  crash(survival: Survival, options: SimulatedDiskOptions = {}): SimulatedDisk {
    return new SimulatedDisk(options, this.#state.survivors(survival));
  }

  open(path: string, mode: 'read' | 'update' | 'create'): number {
    if (mode === 'create') {
      this.#before({ kind: 'open', path });
      if (this.#state.find(path)) throw diskError('EEXIST', 'open', path);
      this.#state.name([{ path, node: new FileNode() }], 'open');
    }
    const node = this.#state.file(path, 'open');
    const file = this.#nextFile++;
    this.#files.set(file, { path, node });
    if (mode === 'create') this.#after({ kind: 'open', path });
    return file;
  }

  close(file: number): void {
    this.#files.delete(file);
  }

  write(file: number, bytes: Uint8Array, position: number): number {
    const { path, node } = this.#opened(file);
    const fault = this.#before({ kind: 'write', path });
    const taken = fault && 'bytes' in fault ? bytes.subarray(0, fault.bytes) : bytes;
    node.write(taken, position);
    node.modified = this.#state.touch();
    this.#after({ kind: 'write', path });
    return taken.length;
  }

  async createFile(path: string, bytes: Uint8Array): Promise<void> {
    const file = this.open(path, 'create');
    try {
      for (let written = 0; written < bytes.length;) written += this.write(file, bytes.subarray(written), written);
    } finally {
      this.close(file);
    }
  }

  read(file: number, target: Uint8Array, position: number): number {
    return this.#opened(file).node.read(target, position);
  }

  async readFile(path: string): Promise<Uint8Array> {
    const node = this.#state.file(path, 'open');
    const bytes = Buffer.alloc(node.size);
    node.read(bytes, 0);
    return bytes;
  }

  size(file: number): number {
    return this.#opened(file).node.size;
  }

  async sync(file: number, site: string): Promise<void> {
    const { path, node } = this.#opened(file);
    // Writes during the device's work are not covered.
    const covered = node.writes;
    await this.#device({ kind: 'sync', path, site });
    if (!this.#options.without?.has(site)) node.makeDurable(covered);
    this.#after({ kind: 'sync', path, site });
  }

  async syncFolder(path: string, site: string): Promise<void> {
    const folder = this.#state.folder(path, 'fsync');
    const covered = this.#state.nameChanges;
    await this.#device({ kind: 'syncFolder', path, site });
    if (!this.#options.without?.has(site)) this.#state.syncFolder(folder, covered);
    this.#after({ kind: 'syncFolder', path, site });
  }

  stat(path: string): { kind: 'file' | 'folder'; size: number; inode: number; modified: number } | undefined {
    const node = this.#state.find(path);
    if (!node) return undefined;
    const { inode, modified } = node;
    return node instanceof FileNode
      ? { kind: 'file', size: node.size, inode, modified }
      : { kind: 'folder', size: 0, inode, modified };
  }

  list(path: string): string[] {
    return [...this.#state.folder(path, 'scandir').entries.keys()];
  }

  async readFolder(path: string): Promise<string[]> {
    return this.list(path);
  }

  makeFolder(path: string): void {
    this.#before({ kind: 'makeFolder', path });
    if (this.#state.find(path)) throw diskError('EEXIST', 'mkdir', path);
    this.#state.name([{ path, node: new FolderNode() }], 'mkdir');
    this.#after({ kind: 'makeFolder', path });
  }

  rename(from: string, to: string): void {
    this.#before({ kind: 'rename', path: to });
    const node = this.#state.find(from);
    if (!node) throw diskError('ENOENT', 'rename', from);
    const target = this.#state.find(to);
    if (target instanceof FolderNode && target.entries.size > 0) throw diskError('ENOTEMPTY', 'rename', to);
    this.#state.name(
      [
        { path: to, node },
        { path: from, node: undefined },
      ],
      'rename',
    );
    this.#after({ kind: 'rename', path: to });
  }

  link(existing: string, path: string): void {
    this.#before({ kind: 'link', path });
    if (this.#state.find(path)) throw diskError('EEXIST', 'link', path);
    this.#state.name([{ path, node: this.#state.file(existing, 'link') }], 'link');
    this.#after({ kind: 'link', path });
  }

  remove(path: string): void {
    this.#before({ kind: 'remove', path });
    this.#state.file(path, 'unlink');
    this.#state.name([{ path, node: undefined }], 'unlink');
    this.#after({ kind: 'remove', path });
  }

  async removeFolder(path: string): Promise<void> {
    this.#before({ kind: 'removeFolder', path });
    if (this.#state.find(path)) this.#state.name([{ path, node: undefined }], 'rmdir');
    this.#after({ kind: 'removeFolder', path });
  }

  resolve(path: string): string {
    return path;
  }

  fileSystem(): number {
    return 0;
  }

  watch(): () => void {
    return () => {};
  }

  #opened(file: number): OpenFile {
    const open = this.#files.get(file);
    if (!open) throw diskError('EBADF', 'access', String(file));
    return open;
  }

  #before(operation: Operation): Fault | undefined {
    const fault = this.#options.fault?.(operation);
    if (fault && 'code' in fault) throw diskError(fault.code, operation.kind, operation.path);
    return fault;
  }

  async #device(operation: Operation & { readonly site: string }): Promise<void> {
    this.syncs.set(operation.site, (this.syncs.get(operation.site) ?? 0) + 1);
    await setImmediate();
    this.#before(operation);
  }

  #after(operation: Operation): void {
    this.#options.observe?.(operation, this);
  }
}
