import { type ReactElement, useEffect, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import type { Attachment } from './attachments.ts';

/** Properties of {@link AttachmentList}. */
export interface AttachmentListProps {
  readonly attachments: readonly Attachment[];
  /** Removes an attachment; absent if nothing can be removed. */
  readonly onRemove?: (id: string) => void;
}

/** Shows attached images and files. */
export function AttachmentList({ attachments, onRemove }: AttachmentListProps): ReactElement | null {
  if (attachments.length === 0) return null;
  return (
    <ul className="attachments" aria-label="Attachments">
      {attachments.map((attachment) => (
        <li key={attachment.id} className="attachment">
          {attachment.isImage ? <Preview file={attachment.file} /> : <Icon name="attach" />}
          <span className="cut" title={attachment.file.name} dir="auto">
            {attachment.file.name}
          </span>
          <span className="quiet small numbers">{size(attachment.file.size)}</span>
          {onRemove && (
            <Button look="plain" size="small" icon="close" iconOnly onClick={() => onRemove(attachment.id)}>
              {`Remove ${attachment.file.name}`}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

function Preview({ file }: { readonly file: File }): ReactElement {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return url === undefined ? <Icon name="attach" /> : <img src={url} alt="" className="attachment-image" />;
}

function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
