import { type ReactElement, type ReactNode, useState } from 'react';
import { amount } from '../text/amounts.ts';

/** The part of a text that is shown before a person asks for more. */
const FEW = { lines: 14, characters: 4_000 };

/** Characters that each request for more adds. */
const MORE_CHARACTERS = 200_000;

/** Shows the beginning of a text, and more of it on request, so that no text makes a page slow. */
export function FoldedText({
  text,
  first = FEW,
  children,
}: {
  readonly text: string;
  /** The part that is shown before a person asks for more. Default: 14 lines, 4,000 characters. */
  readonly first?: { readonly lines: number; readonly characters: number };
  /** Shows the part that is shown. */
  readonly children: (part: string) => ReactNode;
}): ReactElement {
  const [shown, setShown] = useState(0);
  const part = shown === 0 ? beginning(text, first) : text.slice(0, shown).toWellFormed();
  const left = text.length - part.length;
  return (
    <>
      {children(part)}
      {left > 0 && (
        <button type="button" className="conv-more" onClick={() => setShown(part.length + MORE_CHARACTERS)}>
          Show more ({leftOut(text.slice(part.length))})
        </button>
      )}
      {left <= 0 && shown > 0 && (
        <button type="button" className="conv-more" onClick={() => setShown(0)}>
          Show less
        </button>
      )}
    </>
  );
}

function beginning(text: string, { lines, characters }: typeof FEW): string {
  let end = -1;
  for (let line = 0; line < lines; line++) {
    const next = text.indexOf('\n', end + 1);
    if (next === -1 || next > characters) return text.slice(0, characters).toWellFormed();
    end = next;
  }
  return text.slice(0, end);
}

function leftOut(rest: string): string {
  const lines = rest.split('\n', 100_000).length - 1;
  return lines > 1 ? amount(lines, 'more line') : amount(rest.length, 'more character');
}
