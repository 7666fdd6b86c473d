import { type ClipboardEvent, type DragEvent, type KeyboardEvent, type ReactElement, useRef, useState } from 'react';
import { useShortcut } from '../app/shortcuts.ts';
import { Button } from '../design/button.tsx';
import { AttachmentList } from './attachment-list.tsx';
import { filesIn, toAttachments } from './attachments.ts';
import type { Draft } from './message-content.ts';

/** Properties of {@link Composer}. */
export interface ComposerProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  /** Called when the message is to be sent; not with an empty draft. */
  readonly onSend: (run: boolean) => void;
  /** The reason why nothing can be sent; `null` if it can. */
  readonly unavailable: string | null;
  /** Text below the field. */
  readonly hint: string;
}

/** The field for a message, with attached images and files: chosen, dropped or pasted. */
export function Composer({ draft, onChange, onSend, unavailable, hint }: ComposerProps): ReactElement {
  const field = useRef<HTMLTextAreaElement>(null);
  const [over, setOver] = useState(false);
  const { text, attachments } = draft;
  const isEmpty = text.trim() === '' && attachments.length === 0;
  const add = (files: Iterable<File>): void =>
    onChange({ text, attachments: [...attachments, ...toAttachments(files)] });
  const send = (run: boolean): void => {
    if (!isEmpty && unavailable === null) onSend(run);
  };
  const takeFiles = (event: ClipboardEvent | DragEvent, data: DataTransfer | null): void => {
    setOver(false);
    if (filesIn(data).length === 0) return;
    event.preventDefault();
    add(filesIn(data));
  };
  useShortcut('c', 'Write a message', () => field.current?.focus());
  return (
    <div
      className="composer"
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => takeFiles(event, event.dataTransfer)}
    >
      <AttachmentList
        attachments={attachments}
        onRemove={(id) => onChange({ text, attachments: attachments.filter((each) => each.id !== id) })}
      />
      <div className="composer-grow" data-text={`${text}\n`}>
        <textarea
          ref={field}
          aria-label="Message"
          placeholder={
            unavailable === null ? 'Write a message. Paste or drop images and files.' : 'Nothing can be sent here.'
          }
          disabled={unavailable !== null}
          value={text}
          rows={1}
          onChange={(event) => onChange({ text: event.target.value, attachments })}
          onPaste={(event) => takeFiles(event, event.clipboardData)}
          onKeyDown={(event) => sendOnEnter(event, () => send(true))}
        />
      </div>
      <div className="row">
        <AttachButton onFiles={add} unavailable={unavailable} />
        <span className="composer-hint quiet small grow">{hint}</span>
        <Button
          look="plain"
          unavailable={unavailable ?? (isEmpty ? 'Write something first' : null)}
          onClick={() => send(false)}
        >
          Send only
        </Button>
        <Button
          look="main"
          icon="send"
          unavailable={unavailable ?? (isEmpty ? 'Write something first' : null)}
          onClick={() => send(true)}
        >
          Send
        </Button>
      </div>
    </div>
  );
}

/** Sends on Enter. Shift+Enter inserts a new line, and Enter in an input method's composition only ends the composition. */
function sendOnEnter(event: KeyboardEvent, send: () => void): void {
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  send();
}

/** Properties of {@link AttachButton}. */
export interface AttachButtonProps {
  readonly onFiles: (files: readonly File[]) => void;
  readonly unavailable?: string | null;
  /** True if its label is shown beside its icon. */
  readonly withWords?: boolean;
}

/** A button that lets a person choose files. */
export function AttachButton({ onFiles, unavailable = null, withWords = false }: AttachButtonProps): ReactElement {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      <Button
        look="plain"
        icon="attach"
        iconOnly={!withWords}
        unavailable={unavailable}
        onClick={() => input.current?.click()}
      >
        Attach images or files
      </Button>
    </>
  );
}
