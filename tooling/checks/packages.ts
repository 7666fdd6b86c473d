import { workspacePackages } from '../bootstrap/workspace.mjs';

/** Members of a `package.json` that the checks read. */
export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly type?: string;
  readonly sideEffects?: boolean | readonly string[];
  readonly description?: string;
  readonly files?: readonly string[];
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly engines?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly publishConfig?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** A package of the workspace. */
export interface Package {
  /** Relative to the root of the workspace. */
  readonly dir: string;
  readonly name: string;
  readonly manifest: Manifest;
}

/** An entry point of a package: its import specifier, and its source file. */
export interface Entry {
  readonly specifier: string;
  readonly source: string;
  readonly types: string;
}

/** Every package of the workspace at `root`. */
export function allPackages(root: string): readonly Package[] {
  return workspacePackages(root);
}

/** The packages that are published. */
export function publicPackages(root: string): readonly Package[] {
  return allPackages(root).filter(({ manifest }) => manifest.private !== true);
}

/** The code entries of a package, `./package.json` left out. */
export function entriesOf({ name, manifest }: Package): readonly Entry[] {
  return Object.entries(manifest.exports ?? {}).flatMap(([subpath, target]) => {
    if (typeof target === 'string') return [];
    const types = target['types'] ?? '';
    const source = (target['default'] ?? '').replace('./dist/', 'src/').replace(/\.js$/, '.ts');
    return [{ specifier: name + subpath.slice(1), source, types }];
  });
}
