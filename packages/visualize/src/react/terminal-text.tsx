import anser from 'anser';
import type { ReactElement } from 'react';
import { plainText } from '../text/plain-text.ts';
import { ansiColor } from './ansi-color.ts';
import { FoldedText } from './folded-text.tsx';

/** Shows output of a terminal with its colours. Every other control sequence in it is dropped or made visible. */
export function TerminalText({ text }: { readonly text: string }): ReactElement {
  return (
    <FoldedText text={text}>
      {(part) => (
        <pre className="conv-output">
          {anser.ansiToJson(part, { use_classes: true, remove_empty: true }).map((piece, index) => (
            <span key={index} className={classOf(piece)}>
              {plainText(piece.content)}
            </span>
          ))}
        </pre>
      )}
    </FoldedText>
  );
}

function classOf(piece: anser.AnserJsonEntry): string | undefined {
  const color = ansiColor(piece.fg, piece.fg_truecolor);
  const back = ansiColor(piece.bg, piece.bg_truecolor);
  const colors = [...(color ? [`ansi-${color}`] : []), ...(back ? [`ansi-on-${back}`] : [])];
  const names = [...colors, ...piece.decorations.map((decoration) => `ansi-${decoration}`)];
  return names.length === 0 ? undefined : names.join(' ');
}
