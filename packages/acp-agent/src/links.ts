import type { JsonObject, StepContext } from '@conv/core';
import type { Event } from '@conv/core/events';
import type { Confinement, ToolSession } from '@conv/core/tool';
import { expandReferences, referencesIn } from '@conv/openhands/references';

import { AcpAgentError } from './acp-agent-error.ts';
import type { AcpProgram } from './acp-program.ts';
import type { MaskText } from './bounded.ts';
import { Link } from './link.ts';
import { enabledServers } from './mcp-servers.ts';
import { modelState, openedState, type SessionState } from './session-state.ts';
import type { Turn } from './turn.ts';

/** The step that needs a program. */
export interface LinkNeed {
  readonly context: StepContext;
  readonly kept: SessionState;
  readonly events: readonly Event[];
}

/** The program of a conversation: it is started when a step needs it, and again after its end. */
export class Links {
  readonly #session: ToolSession;
  readonly #mask: MaskText;
  #confinement: Promise<Confinement> | undefined;
  #link: Link | undefined;
  #model: string | undefined;
  /** The id of the newest answer of this process. A branch without it is another one than the program knows. */
  #answer: string | undefined;
  /** US dollars that the session had cost at the last turn of this process, as the program told. */
  #total: number | undefined;

  constructor(session: ToolSession, mask: MaskText) {
    this.#session = session;
    this.#mask = mask;
  }

  /** The model that the program says it uses. */
  get model(): string | undefined {
    return this.#link?.choice?.current ?? this.#model;
  }

  /** Resolves with the program, its session and its model. Rejects as {@link Link.open}, {@link Link.setModel} and {@link Link.ask} do. */
  async open(program: AcpProgram, need: LinkNeed): Promise<Link> {
    const link = await this.#linkFor(program, need);
    const { confirmationPolicy: policy } = need.context.state;
    if (program.mode !== undefined) return link;
    // a mode that is not noted is not left again, so that a program which asks goes on to ask
    if (await link.ask(policy['kind'] !== 'NeverConfirm', need.context.signal))
      await need.context.setAgentState({ acp_own_mode: link.ownMode ?? null });
    return link;
  }

  async #linkFor(program: AcpProgram, { context, kept, events }: LinkNeed): Promise<Link> {
    const { workingDirectory: cwd } = this.#session;
    const isOther = this.#answer !== undefined && !events.some(({ id }) => id === this.#answer);
    const resume = isOther ? undefined : kept.sessionId;
    const link = this.#link;
    if (link && !link.isLost && link.sessionId === resume) {
      if (program.model === this.#model || program.model === undefined) return link;
      await link.setModel(program.model, context.signal);
      this.#model = program.model;
      await context.setAgentState(modelState(link));
      return link;
    }
    this.#link = undefined;
    await link?.close();
    const env = environmentOf(program, await this.#secrets(context, program));
    const confinement = await this.#confined(program);
    const { ownMode } = kept;
    const place = { cwd, env, resume, ownMode, confinement, mask: this.#mask };
    const opened = await Link.open({ ...program, ...place }, context.signal);
    this.#link = opened;
    this.#model = program.model;
    this.#answer = this.#total = undefined;
    await context.setAgentState(openedState(context.state, opened, this.#mask(cwd)));
    return opened;
  }

  /** Notes the answer of a turn. */
  answered(id: string | undefined): void {
    this.#answer = id;
  }

  /**
   * Returns what a turn cost of a session that has cost `total` US dollars. A program that goes on with a session may count from zero again.
   *
   * @param counted what the log has of the session
   */
  costOf(total: number, counted: number): number {
    const before = this.#total ?? counted;
    this.#total = total;
    return total < before ? total : total - before;
  }

  /** Cancels a turn. Resolves when it has ended. */
  async cancel(turn: Turn): Promise<void> {
    await this.#link?.cancel(turn);
  }

  /** Ends the program, and leaves the sandbox. Idempotent. */
  async close(): Promise<void> {
    const [link, confinement] = [this.#link, this.#confinement];
    this.#link = this.#confinement = undefined;
    await link?.close();
    await (await confinement?.catch(() => undefined))?.close();
  }

  /** Opens the sandbox once. After a failure the next step tries again. */
  async #confined({ sandbox }: AcpProgram): Promise<Confinement | undefined> {
    try {
      return await (this.#confinement ??= sandbox?.open(this.#session));
    } catch (error) {
      this.#confinement = undefined;
      throw error;
    }
  }

  /**
   * Returns the secrets of the conversation, as variables. The program cannot ask for single ones. Rejects `LOGIN_REQUIRED` if its variables name a
   * secret that has no value here, or if its MCP servers do and it has no variable of this name.
   */
  async #secrets({ secrets, signal }: StepContext, program: AcpProgram): Promise<Readonly<Record<string, string>>> {
    const inServers = referencesIn(enabledServers(program.mcp).map(([, server]) => usedBy(server)));
    // servers get the program's own variables as well
    const needed = [...referencesIn(program.env), ...inServers.filter(({ name }) => !Object.hasOwn(program.env, name))];
    const names = [...secrets, ...needed].map(({ name }) => name).join(' ');
    const named = await this.#session.secrets?.environmentFor(names, signal);
    const wanting = (named?.missing ?? []).filter(({ name }) =>
      needed.some((reference) => reference.name === name && !reference.hasDefault),
    );
    if (wanting.length === 0) return named?.environment ?? {};
    const list = wanting.map(({ name, reason }) => `${name} (${reason.replace(/\.$/, '')})`).join(', ');
    const text = `the program ${program.command} needs secrets that have no value here: ${list}; give them again, or leave out what names them`;
    throw new AcpAgentError('LOGIN_REQUIRED', text);
  }
}

/** Returns the variables of a program: its own, with the secrets that they name, and all secrets. */
export function environmentOf(
  { env }: Pick<AcpProgram, 'env'>,
  secrets: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return { ...expandReferences(env, { values: secrets, defaults: true }), ...secrets };
}

/** Returns an MCP server without its texts for people, which name no secret. */
function usedBy(server: JsonObject): JsonObject {
  return { ...server, description: null, icon: null };
}
