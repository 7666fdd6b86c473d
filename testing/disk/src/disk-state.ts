import type { Survival } from './survival.ts';
import { posix } from 'node:path';
import { diskError } from './disk-error.ts';
import { FileNode, FolderNode, type Node } from './nodes.ts';

/** A change of names that is atomic: all of it reaches the device or nothing. */
export interface NameChange {
  /** The number of earlier changes. */
  readonly order: number;
  readonly set: readonly { readonly folder: FolderNode; readonly name: string; readonly node: Node | undefined }[];
}

/** Files and folders: as programs see them, and what of that would survive a loss of power. */
export class DiskState {
  readonly root: FolderNode;
  /** Changes of names that no `syncFolder` has covered, in order. */
  #unsynced: NameChange[] = [];
  /** The number of changes of names so far. */
  nameChanges = 0;
  #clock = 0;

  constructor(root: FolderNode = new FolderNode()) {
    this.root = root;
  }

  /** Returns the node at a path; `undefined` when there is none. */
  find(path: string): Node | undefined {
    let node: Node | undefined = this.root;
    for (const name of path.split('/').filter((part) => part !== '')) {
      if (!(node instanceof FolderNode)) return undefined;
      node = node.entries.get(name);
    }
    return node;
  }

  folder(path: string, call: string): FolderNode {
    const node = this.find(path);
    if (!node) throw diskError('ENOENT', call, path);
    if (!(node instanceof FolderNode)) throw diskError('ENOTDIR', call, path);
    return node;
  }

  file(path: string, call: string): FileNode {
    const node = this.find(path);
    if (!node) throw diskError('ENOENT', call, path);
    if (!(node instanceof FileNode)) throw diskError('EISDIR', call, path);
    return node;
  }

  /** Gives paths to nodes, or takes them away, at once. */
  name(changes: readonly { readonly path: string; readonly node: Node | undefined }[], call: string): void {
    const set = changes.map(({ path, node }) => ({
      folder: this.folder(posix.dirname(path), call),
      name: posix.basename(path),
      node,
    }));
    for (const { folder, name, node } of set) {
      if (node) folder.entries.set(name, node);
      else folder.entries.delete(name);
      folder.modified = ++this.#clock;
    }
    this.#unsynced.push({ order: this.nameChanges++, set });
  }

  /** The names in a folder are durable, as far as they were there before the change with number `before`. */
  syncFolder(folder: FolderNode, before: number): void {
    this.#unsynced = this.#unsynced.flatMap((change) => {
      if (change.order >= before) return [change];
      for (const entry of change.set) if (entry.folder === folder) folder.makeDurable(entry.name, entry.node);
      const set = change.set.filter((entry) => entry.folder !== folder);
      return set.length > 0 ? [{ ...change, set }] : [];
    });
  }

  touch(): number {
    return ++this.#clock;
  }

  /** The disk as it is after a crash at this moment. */
  survivors(survival: Survival): DiskState {
    const names = new Map<FolderNode, Map<string, Node | undefined>>();
    for (const { set } of this.#unsynced) {
      if (!survival.names()) continue;
      for (const { folder, name, node } of set) names.set(folder, (names.get(folder) ?? new Map()).set(name, node));
    }
    const copies = new Map<Node, Node>();
    const copy = (node: Node): Node => {
      const known = copies.get(node);
      if (known) return known;
      const made = node instanceof FileNode ? node.survivor(survival) : new FolderNode();
      copies.set(node, made);
      if (node instanceof FolderNode && made instanceof FolderNode) {
        for (const [name, child] of [...node.durable, ...(names.get(node) ?? [])]) {
          if (child) made.put(name, copy(child));
          else made.take(name);
        }
      }
      return made;
    };
    return new DiskState(copy(this.root) as FolderNode);
  }
}
