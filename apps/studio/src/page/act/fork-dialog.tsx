import { type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import { nameOf } from '../data/row.ts';
import { Field } from '../design/field.tsx';
import type { ActDialogProps } from './act-dialog-props.ts';
import { ActForm } from './act-form.tsx';
import { useActing } from './actions.ts';

/** Makes a new conversation from all of this one, and goes there. */
export function ForkDialog({ onClose }: ActDialogProps): ReactElement {
  const { conversation } = useActing();
  const [, navigate] = useLocation();
  const [title, setTitle] = useState(() =>
    `Fork of ${nameOf({ id: conversation.id, title: conversation.state.title })}`.slice(0, 200),
  );
  const fork = async (): Promise<void> => {
    const wanted = title.trim();
    const id = await conversation.history.fork(wanted === '' ? {} : { title: wanted });
    navigate(`/c/${id}`);
  };
  return (
    <ActForm
      title="Fork this conversation"
      about="The fork begins with the same events, settings and policy. Both continue independently; they share the workspace folder."
      verb="Fork"
      onClose={onClose}
      onSubmit={fork}
      keepOpen
    >
      <Field label="Title of the fork">
        {(input) => (
          <input {...input} value={title} maxLength={200} onChange={(event) => setTitle(event.target.value)} />
        )}
      </Field>
    </ActForm>
  );
}
