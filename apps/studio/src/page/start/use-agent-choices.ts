import { useEffect, useState } from 'react';
import { useStudio } from '../app/studio.ts';
import { type AgentChoices, type SaidModels, type SaidProfiles, toChoices } from './agent-choices.ts';

const NONE: AgentChoices = { profiles: [], preferred: { own: true } };

/** Reads the agents that the server keeps. A server without profiles offers none. */
export function useAgentChoices(): AgentChoices {
  const { api } = useStudio();
  const [choices, setChoices] = useState(NONE);
  useEffect(() => {
    const agents = api.call<SaidProfiles>('GET', '/api/agent-profiles').catch((): SaidProfiles => ({}));
    const models = api.call<SaidModels>('GET', '/api/profiles').catch((): SaidModels => ({}));
    void Promise.all([agents, models]).then(([said, known]) => setChoices(toChoices(said, known)));
  }, [api]);
  return choices;
}
