import { forEachChild, type ParsedScript, type SyntaxNode } from 'unbash';

/** Beginnings of scripts inside of other text. */
const OPENS = ['$(', '`', '<(', '>('];
/** A beginning of a script that no backslash takes its meaning. */
const OPENED = /(?<!\\)(?:\\\\)*(?:`|\$\()/;

const SCRIPTS: ReadonlySet<SyntaxNode['type']> = new Set([
  'CommandExpansion',
  'ProcessSubstitution',
  'ArithmeticCommandExpansion',
]);

/** True if a text may hold scripts inside of words. */
export function mayHoldScripts(text: string): boolean {
  return OPENS.some((sign) => text.includes(sign));
}

/** True if a tree holds a script inside of a word that is not among `read`, or a text that looks like one. */
export function holdsUnread(root: ParsedScript, read: WeakSet<ParsedScript>): boolean {
  const nodes: SyntaxNode[] = [root];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (SCRIPTS.has(node.type) && 'script' in node) {
      if (node.script === undefined || !read.has(node.script)) return true;
      nodes.push(node.script);
    } else if (isOpened(node)) return true;
    else if (node.type !== 'ArithmeticExpansion' || OPENED.test(node.text.slice(2)))
      forEachChild(node, (child) => void nodes.push(child));
  }
  return false;
}

function isOpened(node: SyntaxNode): boolean {
  if (node.type === 'Literal') return OPENED.test(node.text);
  if (node.type === 'ArithmeticWord') return node.parts === undefined && OPENED.test(node.value);
  if (node.type === 'Unknown') return mayHoldScripts(`$${node.operator}`);
  return false;
}
