import { dirname, relative, resolve } from 'node:path';

/** A path inside. `link`: a symbolic link to `source`. `empty`: a folder of its own, in which nothing can be written. `blank`: an empty file. */
export type Mount =
  | { readonly kind: 'read' | 'write' | 'link'; readonly path: string; readonly source: string }
  | { readonly kind: 'empty' | 'blank'; readonly path: string };

/** The paths that programs see inside. A path that is added later takes the place of the same path that was added before. */
export class Mounts {
  readonly #mounts = new Map<string, Mount>();

  /** Adds paths that are the same inside and outside. */
  add(kind: 'read' | 'write', paths: Iterable<string>): this {
    for (const path of paths) this.set({ kind, path, source: path });
    return this;
  }

  set(mount: Mount): this {
    this.#mounts.set(mount.path, mount);
    return this;
  }

  drop(path: string): void {
    this.#mounts.delete(path);
  }

  /** Returns the same paths, to which others can be added. */
  copy(): Mounts {
    const copy = new Mounts();
    for (const mount of this.#mounts.values()) copy.set(mount);
    return copy;
  }

  /** Returns the mount that decides what a path is: its own, or that of the nearest folder around it. */
  around(path: string): Mount | undefined {
    for (let at = path; ; at = dirname(at)) {
      const mount = this.#mounts.get(at);
      if (mount !== undefined || at === dirname(at)) return mount;
    }
  }

  /** True if a path leads to the same inside as outside, by itself, in a folder or by a link. */
  covers(path: string): boolean {
    const around = this.around(path);
    if (around?.kind === 'link')
      return this.covers(resolve(dirname(around.path), around.source, relative(around.path, path)));
    return (around?.kind === 'read' || around?.kind === 'write') && around.source === around.path;
  }

  /** True if a path has a mount of its own, of the same file as outside. */
  isMounted(path: string): boolean {
    const mount = this.#mounts.get(path);
    return (mount?.kind === 'read' || mount?.kind === 'write') && mount.source === path;
  }

  /** True if programs may write to a path inside, and it is the same file outside. */
  shares(path: string): boolean {
    const around = this.around(path);
    return around?.kind === 'write' && around.source === around.path;
  }

  /** True if programs do not see a path, because it or a folder around it is hidden. */
  hides(path: string): boolean {
    const kind = this.around(path)?.kind;
    return kind === 'empty' || kind === 'blank';
  }

  /** True if programs see something in a folder. */
  leadsFrom(folder: string): boolean {
    return [...this.#mounts.keys()].some((path) => isWithin(folder, path));
  }

  /** True if programs write in a folder around a path, which has a mount of its own. */
  leadsInto(path: string): boolean {
    return path !== '/' && this.around(dirname(path))?.kind === 'write';
  }

  /** True if programs do not see something in a folder. */
  hidesIn(folder: string): boolean {
    return [...this.#mounts.values()].some(
      ({ kind, path }) => /^(?:empty|blank)$/.test(kind) && isWithin(folder, path),
    );
  }

  /**
   * Makes the folders around each path that programs must not write mount points, as far as they write in those. Otherwise a
   * program could give such a folder another name, and the next program would find the path in it without its mount.
   */
  pin(): this {
    for (const { kind, path } of this.inOrder()) {
      if (kind === 'write' || kind === 'link') continue;
      for (let folder = dirname(path); this.shares(folder); folder = dirname(folder)) this.add('write', [folder]);
    }
    return this;
  }

  /** Lists folders before what lies in them, the order in which they must be mounted. */
  inOrder(): readonly Mount[] {
    return [...this.#mounts.values()].sort(outermostFirst);
  }
}

/** True if `path` is `folder` or lies in it. Both are absolute and hold no `..`. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Compares by length, because a path is longer than that of a folder around it. */
function outermostFirst(one: Mount, other: Mount): number {
  return one.path.length - other.path.length;
}
