import type { Agent } from '@conv/core';

import { programOf } from './acp-agent.ts';
import { Link } from './link.ts';
import { environmentOf } from './links.ts';
import type { AcpModel } from './models.ts';

/** The offer of a program in a new session. */
export interface AcpOffer {
  /** Its name and its version; `''` where it gives none. */
  readonly name: string;
  readonly version: string;
  /** The model that it uses if none is chosen; null when it gives none. */
  readonly currentModel: string | null;
  readonly models: readonly AcpModel[];
}

/**
 * Starts the program of an agent of {@link acpAgent} in a folder, asks it for a session, and ends it. `environment`: further variables, such as its
 * key. Resolves with what it offers; rejects {@link AcpAgentError}, or with `signal.reason`.
 */
export async function acpModels(
  agent: Agent,
  place: { readonly workingDirectory: string; readonly environment?: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<AcpOffer> {
  const program = programOf(agent);
  const { workingDirectory: cwd, environment } = place;
  const conversationId = program.platform.id();
  const confinement = await program.sandbox?.open({ conversationId, workingDirectory: cwd });
  try {
    const env = environmentOf(program, environment ?? {});
    const asked = {
      model: undefined,
      mcp: undefined,
      resume: undefined,
      ownMode: undefined,
      mask: (text: string) => text,
      cwd,
      env,
      confinement,
    };
    const link = await Link.open({ ...program, ...asked }, signal);
    await link.close();
    return { ...link.about, currentModel: link.choice?.current ?? null, models: link.choice?.models ?? [] };
  } finally {
    await confinement?.close();
  }
}
