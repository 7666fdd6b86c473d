import type { RiskAssessment } from '../state/risk-assessment.ts';
import type { EventDraftOfKind } from '../../events/index.ts';
import type { JsonObject } from '../../platform/json.ts';

/** Resources of the program that runs the agent. An action that uses one of them is `HIGH`. */
export interface ProtectedPlaces {
  /** Addresses at which the program itself listens: `http://127.0.0.1:8000`, or `host:port`. */
  readonly addresses: readonly string[];
  /** Absolute paths of its keys and settings, files and folders. */
  readonly paths: readonly string[];
}

/** Circumstances in which an action will run. */
export interface AssessOptions {
  /** Aborted by an interrupt, which does not wait for the analyzer. */
  readonly signal: AbortSignal;
  /** Absolute path of the folder that the agent works in. Without it no path is known to lie in a workspace. */
  readonly workingDirectory?: string;
  /** Default: none. */
  readonly protectedPlaces?: ProtectedPlaces;
  /**
   * Absolute paths of the folders in which the agent's shell may be, as its results tell: a shell keeps its folder from
   * call to call. Default: `workingDirectory` alone.
   */
  readonly shellFolders?: readonly string[];
  /**
   * Actions that the shell may run before the rated action and whose folder no result tells yet, in order: they still
   * run, were interrupted, or stand before it in the same response. Default: none.
   */
  readonly earlierActions?: readonly EventDraftOfKind<'ActionEvent'>[];
}

/** Rates actions before they run; the policy decides by its rating. */
export interface SecurityAnalyzer {
  /** The description as on the wire, with `kind`. A stored conversation finds its analyzer by it. */
  describe(): JsonObject;
  /**
   * Rates the action as it will run, secrets masked. An error that it throws, and a risk that is none of the four, count as
   * `HIGH`. Must heed `signal`: an interrupt does not wait for it.
   */
  assess(action: EventDraftOfKind<'ActionEvent'>, options: AssessOptions): RiskAssessment | Promise<RiskAssessment>;
}
