import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { entriesOf, publicPackages } from '../packages.ts';

/** A public name: an export of a package, or a member of an exported interface or class. */
export interface PublicName {
  /** Relative to the root of the workspace. */
  readonly file: string;
  /** The export. */
  readonly owner: string;
  /** The export itself, or its member. */
  readonly name: string;
}

type Node = ReturnType<typeof parseAst>['body'][number];

/** Lists the public names that the built declarations of the public packages have. A package that is not built throws. */
export function publicNames(root: string): readonly PublicName[] {
  const files = new Map<string, readonly Node[]>();
  const bodyOf = (file: string): readonly Node[] => {
    const known = files.get(file) ?? parseAst(readFileSync(join(root, file), 'utf8'), { lang: 'dts' }).body;
    files.set(file, known);
    return known;
  };
  const entries = publicPackages(root).flatMap((each) =>
    entriesOf(each).map(({ types }) => join(each.dir, types.replace('./', ''))),
  );
  return entries.flatMap((file) => exportsOf(file, bodyOf));
}

function exportsOf(file: string, bodyOf: (file: string) => readonly Node[]): readonly PublicName[] {
  return bodyOf(file).flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration') return [];
    if (node.declaration) return namesOf(file, node.declaration);
    const from = node.source ? target(file, node.source.value) : file;
    return node.specifiers.flatMap(({ local, exported }) => {
      const owner = textOf(exported);
      const members =
        from === undefined ? [] : declared(from, textOf(local), bodyOf).filter(({ name, owner: of }) => name !== of);
      return [{ file, owner, name: owner }, ...members.map((member) => ({ ...member, owner }))];
    });
  });
}

/** Follows a relative import; names of other packages are read where those packages export them. */
function target(file: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? join(dirname(file), specifier.replace(/\.tsx?$|\.js$/, '.d.ts')) : undefined;
}

function declared(file: string, name: string, bodyOf: (file: string) => readonly Node[]): readonly PublicName[] {
  return bodyOf(file).flatMap((node) => {
    const declaration = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
    if (declaration) return namesOf(file, declaration).filter(({ owner }) => owner === name);
    return exportsOf(file, bodyOf).filter(({ owner }) => owner === name);
  });
}

/** Lists a declaration's own name and its members; members that are private or computed have no public name. */
function namesOf(file: string, node: object): readonly PublicName[] {
  const { id, body, declarations } = node as {
    readonly id?: { readonly name?: string };
    readonly body?: { readonly body?: readonly Member[] };
    readonly declarations?: readonly { readonly id: { readonly name?: string } }[];
  };
  const own = [id, ...(declarations ?? []).map((each) => each.id)].flatMap((each) => each?.name ?? []);
  const members = Array.isArray(body?.body) ? body.body : [];
  const names = members.flatMap(({ key, accessibility, computed }) =>
    key?.type === 'Identifier' && accessibility !== 'private' && computed !== true ? (key.name ?? []) : [],
  );
  return own.flatMap((owner) => [owner, ...names].map((name) => ({ file, owner, name })));
}

interface Member {
  readonly key?: { readonly type: string; readonly name?: string };
  readonly accessibility?: string | null;
  readonly computed?: boolean;
}

function textOf(name: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return name.name ?? String(name.value);
}
