import { parseAst } from 'rolldown/parseAst';

/** Name of a test as its file states it. */
export interface TestName {
  /** The line where it begins, counted from 1. */
  readonly line: number;
  /** Its text. Values that a template computes are left out of it. */
  readonly name: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
}

interface Call extends Node {
  readonly callee: Node;
  readonly arguments: readonly Node[];
}

/** Lists the names that a file gives to `test` and `it`, in tables too. A name that a variable holds is not listed. */
export function testNamesOf(file: string, source: string): readonly TestName[] {
  const { body } = parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
  return callsIn(body).flatMap((call) => {
    const [first] = call.arguments;
    const name = first && isTest(call) ? textOf(first) : undefined;
    if (first === undefined || name === undefined) return [];
    return [{ line: source.slice(0, first.start).split('\n').length, name }];
  });
}

/** Lists the calls in a tree, in the order of the source. */
function callsIn(value: unknown): readonly Call[] {
  if (Array.isArray(value)) return value.flatMap(callsIn);
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(callsIn);
  return (value as Node).type === 'CallExpression' ? [value as Call, ...inner] : inner;
}

/** True if a call begins with `test` or `it`, such as `test.skipIf(isWindows).each(rows)('name', …)`. */
function isTest(node: Node): boolean {
  const { callee, object, tag, name } = node as Node & {
    readonly callee?: Node;
    readonly object?: Node;
    readonly tag?: Node;
    readonly name?: string;
  };
  const inner = callee ?? object ?? tag;
  return inner ? isTest(inner) : node.type === 'Identifier' && (name === 'test' || name === 'it');
}

function textOf(node: Node): string | undefined {
  const { value, quasis } = node as Node & {
    readonly value?: unknown;
    readonly quasis?: readonly { readonly value: { readonly cooked: string | null } }[];
  };
  if (node.type === 'TemplateLiteral') return quasis?.map((part) => part.value.cooked ?? '').join('');
  return node.type === 'Literal' && typeof value === 'string' ? value : undefined;
}
