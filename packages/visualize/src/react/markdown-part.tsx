import { marked, type Token } from 'marked';
import { type ReactElement, useMemo } from 'react';
import { MarkdownTokens } from './markdown-tokens.tsx';

/** Shows a text as Markdown. A module of its own, because the parser is loaded with the first text that needs it. */
export function MarkdownPart({ text }: { readonly text: string }): ReactElement {
  const tokens = useMemo((): readonly Token[] => marked.lexer(text), [text]);
  return (
    <div className="conv-markdown">
      <MarkdownTokens tokens={tokens} />
    </div>
  );
}
