import type { UnresolvedReferences } from '../hosting/host-options.ts';
import { ApiError } from '../http/api-error.ts';

/** Returns a sentence for each kind of references that lead nowhere, in the words of OpenHands' server. */
export function problemsOf({ llmProfile, mcpServers, metaProfile, metaModels }: UnresolvedReferences): string[] {
  return [
    ...(llmProfile === null ? [] : [`LLM profile '${llmProfile}' not found`]),
    ...(mcpServers.length === 0 ? [] : [`MCP server(s) not configured: ${mcpServers.join(', ')}`]),
    ...(metaProfile === null ? [] : [`Meta-profile '${metaProfile}' not found`]),
    ...(metaModels.length === 0
      ? []
      : [`LLM profile(s) routed to by the meta-profile not found: ${metaModels.join(', ')}`]),
  ];
}

/** Throws {@link ApiError} 422 with the answer of OpenHands' server if a profile has references that lead nowhere. */
export function refuseUnresolved(unresolved: UnresolvedReferences | undefined): void {
  const problems = unresolved ? problemsOf(unresolved) : [];
  if (!unresolved || problems.length === 0) return;
  throw new ApiError(422, {
    code: 'unresolved_profile_references',
    message: problems.join('; '),
    dangling_llm_profile_ref: unresolved.llmProfile,
    dangling_mcp_server_refs: unresolved.mcpServers,
    dangling_meta_profile_ref: unresolved.metaProfile,
    dangling_meta_profile_llm_refs: unresolved.metaModels,
  });
}
