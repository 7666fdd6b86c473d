import { lazy, memo, type ReactElement, Suspense } from 'react';
import { plainText } from '../text/plain-text.ts';
import { FoldedText } from './folded-text.tsx';

/** The part that is shown before a person asks for more: enough for the usual answer. */
const SOME = { lines: 60, characters: 8_000 };

/**
 * Shows Markdown of people and models. It becomes React elements and never HTML: HTML in it is text, images are named and not
 * loaded, and links open in a page of their own that does not learn where it was opened from.
 */
export const MarkdownText: React.NamedExoticComponent<{ readonly text: string }> = memo(function MarkdownText({
  text,
}: {
  readonly text: string;
}): ReactElement {
  return (
    <FoldedText text={text} first={SOME}>
      {(part) => <Part text={part} />}
    </FoldedText>
  );
});

const MarkdownPart = lazy(async () => ({ default: (await import('./markdown-part.tsx')).MarkdownPart }));

function Part({ text }: { readonly text: string }): ReactElement {
  const plain = plainText(text);
  const words = <p className="conv-words">{plain}</p>;
  if (!hasMarkdown(plain)) return words;
  return (
    <Suspense fallback={words}>
      <MarkdownPart text={plain} />
    </Suspense>
  );
}

/**
 * Maximum characters of a text that is parsed, so that a hostile text does not freeze the page; a longer text is shown as plain
 * text.
 */
const LONGEST = 20_000;

/** Characters without which a text has no Markdown in it. Parsing costs time, and most messages need none. */
const SIGNS = /[*_`#[\]>|~<&\\]|^\s*(?:[-+]|\d+[.)])\s|\n\s*(?:=|-)|https?:|www\.|@/mu;

function hasMarkdown(text: string): boolean {
  return text.length <= LONGEST && SIGNS.test(text);
}
