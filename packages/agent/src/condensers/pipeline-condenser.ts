import { checkMembers } from '../base/check-members.ts';
import type { Condensed, CondenseOptions, Condenser } from './condenser.ts';

/** Asks condensers up to the first condensation: the wire's `PipelineCondenser`. Members take requests or get none. */
export function pipelineCondenser(condensers: readonly Condenser[]): Condenser {
  checkMembers('pipelineCondenser: condensers', condensers, {
    list: '[llmSummarizingCondenser()]',
    member: 'a condenser such as llmSummarizingCondenser()',
    methods: ['condense', 'describe'],
  });
  const members = [...condensers];
  return {
    handlesRequests: members.some(({ handlesRequests }) => handlesRequests),
    describe: (llm) => ({ condensers: members.map((member) => member.describe(llm)), kind: 'PipelineCondenser' }),
    secretValues: () => members.flatMap((member) => member.secretValues?.() ?? []),
    condense: (input) => firstOf(members, input),
  };
}

async function firstOf(members: readonly Condenser[], input: CondenseOptions): Promise<Condensed | undefined> {
  for (const member of members) {
    input.signal.throwIfAborted();
    const { handlesRequests } = member;
    const requested = input.requested && handlesRequests;
    const condensed = await member.condense({ ...input, requested, reset: input.reset && handlesRequests });
    if (condensed) return condensed;
  }
  return undefined;
}
