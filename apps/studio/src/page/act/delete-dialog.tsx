import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { useStudio } from '../app/studio.ts';
import { serverRequests } from '../data/requests.ts';
import { nameOf } from '../data/row.ts';
import { amounts } from '../design/amounts.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Notice } from '../design/notice.tsx';
import type { ActDialogProps } from './act-dialog-props.ts';
import { useActing } from './actions.ts';

/** Asks before a conversation is deleted, and deletes it. */
export function DeleteDialog({ onClose }: ActDialogProps): ReactElement {
  const { api, list } = useStudio();
  const { conversation, actions } = useActing();
  const [, navigate] = useLocation();
  const { id, state, events } = conversation;
  const remove = async (): Promise<void> => {
    const call = { params: { conversation_id: id } };
    if (!(await actions.run('delete', () => api.call(serverRequests.deleteConversation, call)))) return;
    list.forget(id);
    navigate('/');
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Delete “${nameOf({ id, title: state.title })}”?`}
      about={`Its log of ${amounts.of(events.length, 'event')} is deleted for good. Files of its workspace stay, and so do its forks.`}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger" icon="trash" busy={actions.busy === 'delete'} onClick={() => void remove()}>
            Delete
          </Button>
        </>
      }
    >
      {actions.failure !== undefined && <Notice tone="bad">{actions.failure}</Notice>}
    </Dialog>
  );
}
