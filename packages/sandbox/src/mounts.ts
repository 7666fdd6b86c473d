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

  /** Returns the same paths, to which others can be added. */
  copy(): Mounts {
    const copy = new Mounts();
    for (const mount of this.#mounts.values()) copy.set(mount);
    return copy;
  }

  /** True if a path is the same inside as outside, by itself or in a folder. */
  covers(path: string): boolean {
    const [nearest] = [...this.#mounts.values()].filter((mount) => isWithin(mount.path, path)).sort(deepestFirst);
    return (nearest?.kind === 'read' || nearest?.kind === 'write') && nearest.source === nearest.path;
  }

  /** Lists folders before what lies in them, the order in which they must be mounted. */
  inOrder(): readonly Mount[] {
    return [...this.#mounts.values()].sort((one, other) => -deepestFirst(one, other));
  }
}

/** True if `path` is `folder` or lies in it. Both are absolute and hold no `..`. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function deepestFirst(one: Mount, other: Mount): number {
  return depthOf(other.path) - depthOf(one.path);
}

function depthOf(path: string): number {
  return path.split('/').filter(Boolean).length;
}
