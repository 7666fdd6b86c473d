import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import cpp from 'highlight.js/lib/languages/cpp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

/** A piece of code of one kind. */
export interface CodeToken {
  readonly text: string;
  /** The kind, which decides the colour; `undefined` for a piece without one. */
  readonly kind: CodeKind | undefined;
}

/** The kinds of pieces that have a colour. */
export type CodeKind = 'keyword' | 'text' | 'number' | 'comment' | 'name' | 'type' | 'added' | 'removed';

const GRAMMARS = {
  bash,
  cpp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};

/** The kinds of the scopes of highlight.js. A scope with `undefined` has the colour of plain code, inside of others too. */
const KINDS: Readonly<Record<string, CodeKind | undefined>> = {
  keyword: 'keyword',
  'selector-tag': 'keyword',
  'selector-pseudo': 'keyword',
  meta: 'keyword',
  doctag: 'keyword',
  literal: 'number',
  number: 'number',
  bullet: 'number',
  symbol: 'number',
  string: 'text',
  regexp: 'text',
  char: 'text',
  link: 'text',
  code: 'text',
  quote: 'comment',
  comment: 'comment',
  title: 'name',
  section: 'name',
  attr: 'name',
  attribute: 'name',
  property: 'name',
  name: 'keyword',
  type: 'type',
  built_in: 'type',
  class: 'type',
  variable: 'type',
  'template-variable': 'type',
  'selector-class': 'type',
  'selector-id': 'type',
  'selector-attr': 'type',
  addition: 'added',
  deletion: 'removed',
  subst: undefined,
};

/** Collects the pieces that highlight.js finds. It asks for HTML, which is not made. */
class TokenList {
  readonly tokens: CodeToken[] = [];
  readonly #kinds: (CodeKind | undefined)[] = [];

  openNode(name: string): void {
    const [scope = ''] = name.split('.');
    this.#kinds.push(scope in KINDS ? KINDS[scope] : this.#kinds.at(-1));
  }

  closeNode(): void {
    this.#kinds.pop();
  }

  // highlight.js uses both pairs of names
  startScope(name: string): void {
    this.openNode(name);
  }

  endScope(): void {
    this.closeNode();
  }

  addText(text: string): void {
    if (text !== '') this.tokens.push({ text, kind: this.#kinds.at(-1) });
  }

  __addSublanguage({ tokens }: TokenList): void {
    this.tokens.push(...tokens);
  }

  finalize(): void {}

  toHTML(): string {
    return '';
  }
}

const engine = highlighter.newInstance();
engine.configure({ __emitter: TokenList });
for (const [name, grammar] of Object.entries(GRAMMARS)) engine.registerLanguage(name, grammar);
engine.registerAliases(['javascript', 'js', 'jsx', 'mjs', 'cjs'], { languageName: 'typescript' });
engine.registerAliases(['c', 'h'], { languageName: 'cpp' });

/**
 * Returns the pieces of each line of a code, which together are the code; `undefined` for a language without a grammar, and for a
 * failure of it. A piece that spans lines, such as a comment, is in each of them.
 */
export function codeLines(code: string, language: string): readonly (readonly CodeToken[])[] | undefined {
  if (!engine.getLanguage(language)) return undefined;
  const { _emitter: found, errorRaised: failed } = engine.highlight(code, { language, ignoreIllegals: true });
  if (!(found instanceof TokenList) || failed) return undefined;
  const lines: CodeToken[][] = [[]];
  for (const { text, kind } of found.tokens)
    for (const [place, part] of text.split('\n').entries()) {
      if (place > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push({ text: part, kind });
    }
  return lines;
}
