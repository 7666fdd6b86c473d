import type { Conversation } from '@conv/core';
import type { RemoteConversation } from '@conv/remote';
import { type FormEvent, type ReactElement, useState } from 'react';
import { explain } from '../data/explain.ts';
import { beginRun } from '../act/begin-run.ts';

/** Properties of {@link PointActions}. */
export interface PointActionsProps {
  readonly conversation: Conversation;
  /** The number of the event that is looked at. */
  readonly event: number;
  /** Resolves with a conversation that stays open while this page needs it. */
  readonly open: (id: string) => Promise<Conversation>;
  /** Goes to a path of this page. */
  readonly go: (path: string) => void;
  /** Leaves the time machine. */
  readonly onLive: () => void;
  /** The reason why nothing can be changed; `null` if it can. */
  readonly readOnly: string | null;
}

/** Forks at an event, goes back to it, and sends from it: into a fork, or here as a new branch. */
export function PointActions({ conversation, event, open, go, onLive, readOnly }: PointActionsProps): ReactElement {
  const [text, setText] = useState('');
  const [place, setPlace] = useState<'fork' | 'here'>('fork');
  const [busy, setBusy] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const work = async (name: string, action: () => Promise<void>): Promise<void> => {
    // a double click makes one fork
    if (busy !== undefined) return;
    setBusy(name);
    setFailure(undefined);
    try {
      await action();
    } catch (error) {
      setFailure(explain(error));
    } finally {
      setBusy(undefined);
    }
  };
  const fork = (): Promise<void> =>
    work('fork', async () => {
      go(`/c/${await forkAt(conversation, event)}`);
    });
  const send = (submitted: FormEvent): void => {
    submitted.preventDefault();
    if (text.trim() === '') return;
    void work('send', async () => {
      if (place === 'fork') {
        const id = await forkAt(conversation, event);
        await start(await open(id), text);
        go(`/c/${id}`);
      } else {
        await conversation.history.navigateTo(await idAt(conversation, event));
        await start(conversation, text);
        onLive();
      }
      setText('');
    });
  };
  if (readOnly !== null) return <p className="conv-quiet">{readOnly}</p>;
  return (
    <form className="tm-actions" onSubmit={send}>
      <textarea
        className="input"
        rows={2}
        aria-label={`Message from event ${event}`}
        placeholder={`Send from event ${event}`}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <fieldset className="row" data-wrap>
        <legend className="hidden">Where to send</legend>
        <label>
          <input type="radio" name="tm-place" checked={place === 'fork'} onChange={() => setPlace('fork')} /> in a fork
        </label>
        <label>
          <input type="radio" name="tm-place" checked={place === 'here'} onChange={() => setPlace('here')} /> here, as a
          new branch
        </label>
        <button
          type="submit"
          className="button"
          data-look="main"
          data-size="small"
          aria-disabled={text.trim() === '' || undefined}
        >
          {busy === 'send' ? 'Sending …' : 'Send'}
        </button>
        <button type="button" className="button" data-size="small" onClick={() => void fork()}>
          {busy === 'fork' ? 'Forking …' : 'Fork here'}
        </button>
        <button
          type="button"
          className="button"
          data-size="small"
          onClick={() => go(`/compare?a=${conversation.id}:${event}&b=${conversation.id}`)}
        >
          Compare with the end
        </button>
      </fieldset>
      {failure !== undefined && <p role="alert">{failure}</p>}
    </form>
  );
}

async function idAt({ events }: Conversation, event: number): Promise<string> {
  const id = await events.idAt(event);
  if (id === undefined) throw new Error(`expected event ${event} in the log, found none; choose another point`);
  return id;
}

async function forkAt(conversation: Conversation, event: number): Promise<string> {
  const title = conversation.state.title;
  return conversation.history.fork({
    from: await idAt(conversation, event),
    ...(title === null ? {} : { title: `${title} · fork at ${event}`.slice(0, 200) }),
  });
}

/** Sends a message and starts a run. Resolves when the run has begun or was refused. */
async function start(conversation: Conversation, text: string): Promise<void> {
  await conversation.sendMessage(text);
  // all conversations of studio are on a server, whose timeline shows the run and its end
  await beginRun(conversation as RemoteConversation);
}
