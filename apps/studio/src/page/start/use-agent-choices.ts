import { useEffect, useState } from 'react';
import { useStudio } from '../app/studio.ts';
import { serverRequests } from '../data/requests.ts';
import { type AgentChoices, type SaidModels, type SaidProfiles, toChoices } from './agent-choices.ts';

const NONE: AgentChoices = { profiles: [], preferred: { own: true } };

/** Reads the agents that the server keeps. A server without profiles offers none. */
export function useAgentChoices(): AgentChoices {
  const { api } = useStudio();
  const [choices, setChoices] = useState(NONE);
  useEffect(() => {
    const agents = api.call<SaidProfiles>(serverRequests.getAgentProfiles).catch((): SaidProfiles => ({}));
    const models = api.call<SaidModels>(serverRequests.getProfiles).catch((): SaidModels => ({}));
    void Promise.all([agents, models]).then(([said, known]) => setChoices(toChoices(said, known)));
  }, [api]);
  return choices;
}
