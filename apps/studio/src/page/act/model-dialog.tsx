import { type ReactElement, useEffect, useState } from 'react';
import { useStudio } from '../app/studio.ts';
import { serverRequests } from '../data/requests.ts';
import { Choice } from '../design/choice.tsx';
import type { ActDialogProps } from './act-dialog-props.ts';
import { ActForm } from './act-form.tsx';
import { useActing } from './actions.ts';
import { ModelFields, type ModelText, toLlm } from './model-fields.tsx';

interface Profile {
  readonly name: string;
  readonly model?: string | null;
}

/** Switches the model to a profile of the server, or to another model. */
export function ModelDialog({ onClose }: ActDialogProps): ReactElement {
  const { api } = useStudio();
  const { conversation } = useActing();
  const [profiles, setProfiles] = useState<readonly Profile[]>([]);
  const [profile, setProfile] = useState<string>();
  const [model, setModel] = useState<ModelText>({ model: '', baseUrl: '', apiKey: '' });
  useEffect(() => {
    // a server without profiles has none to offer
    api.call<{ readonly profiles?: readonly Profile[] }>(serverRequests.getProfiles).then(
      ({ profiles: found = [] }) => setProfiles(found),
      () => {},
    );
  }, [api]);
  const switchModel = async (): Promise<void> => {
    if (profile === undefined) return conversation.settings.setModel(toLlm(model));
    const params = { conversation_id: conversation.id };
    await api.call(serverRequests.switchProfile, { params, body: { profile_name: profile } });
  };
  return (
    <ActForm
      title="Switch the model"
      about="The next request goes to the new model. The log stays as it is."
      verb="Switch"
      onClose={onClose}
      onSubmit={switchModel}
      unavailable={profile === undefined && model.model.trim() === '' ? 'Choose a model first.' : null}
    >
      {profiles.length > 0 && (
        <fieldset className="stack">
          <legend>Model</legend>
          {profiles.map(({ name, model: its }) => (
            <Choice key={name} name="profile" title={name} checked={profile === name} onChoose={() => setProfile(name)}>
              {its ?? 'no model'}
            </Choice>
          ))}
          <Choice
            name="profile"
            title="Another model"
            checked={profile === undefined}
            onChoose={() => setProfile(undefined)}
          />
        </fieldset>
      )}
      {profile === undefined && <ModelFields model={model} onChange={setModel} />}
    </ActForm>
  );
}
