import { type ReactElement, useState } from 'react';
import { Field } from '../design/field.tsx';
import type { ActDialogProps } from './act-dialog-props.ts';
import { ActForm } from './act-form.tsx';
import { useActing } from './actions.ts';
import { parseTags, tagsText } from './tags-text.ts';

/** Changes the title and the tags. */
export function LabelsDialog({ onClose }: ActDialogProps): ReactElement {
  const { conversation } = useActing();
  const { settings, state } = conversation;
  const [title, setTitle] = useState(state.title ?? '');
  const [tags, setTags] = useState(tagsText(state.tags));
  const parsed = parseTags(tags);
  const save = async (): Promise<void> => {
    const wanted = title.trim() === '' ? null : title.trim();
    if (wanted !== state.title) await settings.setTitle(wanted);
    if (typeof parsed !== 'string' && tags !== tagsText(state.tags)) await settings.setTags(parsed);
  };
  return (
    <ActForm
      title="Title and tags"
      verb="Save"
      onClose={onClose}
      onSubmit={save}
      unavailable={typeof parsed === 'string' ? parsed : null}
    >
      <Field label="Title">
        {(input) => (
          <input {...input} value={title} maxLength={200} onChange={(event) => setTitle(event.target.value)} />
        )}
      </Field>
      <Field label="Tags" hint="One per line: name or name: value. Names are lower-case letters and digits.">
        {(input) => <textarea {...input} rows={4} value={tags} onChange={(event) => setTags(event.target.value)} />}
      </Field>
    </ActForm>
  );
}
