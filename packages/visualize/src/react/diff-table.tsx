import { type ReactElement, useMemo, useState } from 'react';
import { amount } from '../text/amounts.ts';
import { visibleText } from '../text/plain-text.ts';
import type { FileChange } from '../timeline/call-content.ts';
import { type DiffLine, fileDiff } from '../timeline/file-diff.ts';

/** Lines of a diff that are shown before a person asks for more. */
const FEW_LINES = 24;

/** Characters of one line that are shown. */
const LONGEST_LINE = 2_000;

/** Shows a change of a file as a unified diff; signs say what colours say. */
export function DiffTable({ change }: { readonly change: FileChange }): ReactElement {
  const [whole, setWhole] = useState(false);
  const { added, removed, hunks } = useMemo(() => fileDiff(change), [change]);
  const lines = hunks?.flatMap((hunk, index) => [...(index > 0 ? [undefined] : []), ...hunk]) ?? [];
  const shown = whole ? lines : lines.slice(0, FEW_LINES);
  if (!hunks) return <p className="conv-quiet">{`${amount(removed, 'line')} replaced by ${added}`}</p>;
  return (
    <div className="conv-diff">
      <table aria-label={`Changes: ${amount(added, 'line')} added, ${amount(removed, 'line')} removed`}>
        <tbody>
          {shown.map((line, index) => (
            <DiffRow key={index} line={line} />
          ))}
        </tbody>
      </table>
      {lines.length > shown.length && (
        <button type="button" className="conv-more" onClick={() => setWhole(true)}>
          Show more ({amount(lines.length - shown.length, 'more line')})
        </button>
      )}
    </div>
  );
}

function DiffRow({ line }: { readonly line: DiffLine | undefined }): ReactElement {
  if (!line)
    return (
      <tr className="conv-gap">
        <td colSpan={3}>⋯</td>
      </tr>
    );
  const { sign, text, before, after } = line;
  const shown = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE).toWellFormed()} …` : text;
  return (
    <tr className={sign === '+' ? 'conv-added' : sign === '-' ? 'conv-removed' : undefined}>
      <td className="conv-number">{before ?? after ?? ''}</td>
      <td className="conv-sign">{sign === '-' ? '−' : sign}</td>
      <td className="conv-code">{visibleText(shown)}</td>
    </tr>
  );
}
