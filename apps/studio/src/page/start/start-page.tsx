import { type FormEvent, type ReactElement, useState } from 'react';
import { Link, useLocation } from 'wouter';
import '../act/act.css';
import './start.css';
import { AttachButton } from '../act/composer.tsx';
import { AttachmentList } from '../act/attachment-list.tsx';
import { filesIn, toAttachments } from '../act/attachments.ts';
import { LimitsFields } from '../act/limits-fields.tsx';
import { PolicyChoice } from '../act/policy-choice.tsx';
import { useServer, useStudio } from '../app/studio.ts';
import { explain } from '../data/explain.ts';
import { Button } from '../design/button.tsx';
import { Empty } from '../design/empty.tsx';
import { Field } from '../design/field.tsx';
import { Notice } from '../design/notice.tsx';
import { AgentFields } from './agent-fields.tsx';
import { EMPTY_FORM, mistakeIn, type StartForm } from './start-form.ts';
import { startConversation } from './start-conversation.ts';
import { useAgentChoices } from './use-agent-choices.ts';
import { useFolders } from './use-folders.ts';

/** The form that starts a conversation. */
export function StartPage(): ReactElement {
  const { readOnly } = useServer();
  if (readOnly !== null)
    return (
      <Empty
        title="No conversation can be started here"
        actions={
          <Link href="/" className="button">
            All conversations
          </Link>
        }
      >
        {readOnly}
      </Empty>
    );
  return <StartFormView />;
}

function StartFormView(): ReactElement {
  const { api, list } = useStudio();
  const { confining } = useServer();
  const [, navigate] = useLocation();
  const [form, setForm] = useState<StartForm>(EMPTY_FORM);
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<string>();
  const choices = useAgentChoices();
  const folders = useFolders();
  // every attempt has the same id, so that a repeated request makes no second conversation
  const [id] = useState(() => crypto.randomUUID());
  const set = (change: Partial<StartForm>): void => setForm((before) => ({ ...before, ...change }));
  const workspace = form.workspace ?? folders[0] ?? '';
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const whole = { ...form, workspace, agent: form.agent ?? choices.preferred };
    const mistake = mistakeIn(whole);
    setWrong(mistake);
    if (mistake !== undefined || busy) return;
    setBusy(true);
    try {
      await startConversation(api, id, whole);
      void list.refresh();
      navigate(`/c/${id}`);
    } catch (error) {
      setWrong(explain(error));
      setBusy(false);
    }
  };
  return (
    <form className="start" onSubmit={(event) => void submit(event)}>
      <h1>Start a conversation</h1>
      <div
        className="field"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          set({ attachments: [...form.attachments, ...toAttachments(filesIn(event.dataTransfer))] });
        }}
      >
        <Field label="First message" hint="Paste or drop images and files. Files go into the workspace.">
          {(input) => (
            <textarea
              {...input}
              rows={5}
              autoFocus
              placeholder="What should the agent do?"
              value={form.text}
              onChange={(event) => set({ text: event.target.value })}
              onPaste={(event) => {
                const files = filesIn(event.clipboardData);
                if (files.length === 0) return;
                event.preventDefault();
                set({ attachments: [...form.attachments, ...toAttachments(files)] });
              }}
            />
          )}
        </Field>
        <div className="row" data-wrap>
          <AttachButton
            withWords
            onFiles={(files) => set({ attachments: [...form.attachments, ...toAttachments(files)] })}
          />
          <AttachmentList
            attachments={form.attachments}
            onRemove={(gone) => set({ attachments: form.attachments.filter((each) => each.id !== gone) })}
          />
        </div>
      </div>
      <AgentFields form={form} choices={choices} onChange={set} />
      <Field
        label="Workspace"
        hint={`The folder on the server in which the agent works. It is created if it does not exist. ${confining}`}
      >
        {(input) => (
          <>
            <input
              {...input}
              list="start-folders"
              spellCheck={false}
              value={workspace}
              onChange={(event) => set({ workspace: event.target.value })}
            />
            <datalist id="start-folders">
              {folders.map((folder) => (
                <option key={folder} value={folder} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      <PolicyChoice policy={form.policy} onChange={(policy) => set({ policy })} />
      <details className="start-more">
        <summary>Limits, title and tags</summary>
        <div className="stack">
          <LimitsFields limits={form.limits} onChange={(limits) => set({ limits })} />
          <div className="fields-2">
            <Field label="Title" hint="If empty, made from the first message.">
              {(input) => (
                <input
                  {...input}
                  maxLength={200}
                  value={form.title}
                  onChange={(event) => set({ title: event.target.value })}
                />
              )}
            </Field>
            <Field label="Tags" hint="One per line: name or name: value.">
              {(input) => (
                <textarea
                  {...input}
                  rows={2}
                  value={form.tags}
                  onChange={(event) => set({ tags: event.target.value })}
                />
              )}
            </Field>
          </div>
        </div>
      </details>
      {wrong !== undefined && <Notice tone="bad">{wrong}</Notice>}
      <div className="row" data-end>
        <Link href="/" className="button">
          Cancel
        </Link>
        <Button type="submit" look="main" icon="play" busy={busy}>
          Start
        </Button>
      </div>
    </form>
  );
}
