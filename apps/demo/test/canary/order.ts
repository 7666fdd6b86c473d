import type { CanaryValues } from './canaries.ts';

/** Folders of a run. The folder `searched` is searched; the workspace is the user's. */
export interface Places {
  readonly searched: string;
  readonly conversations: string;
  readonly temporary: string;
  readonly home: string;
  readonly workspace: string;
}

/** Variant of a run. */
export interface Variant {
  /** `false`: the vault's masker changes nothing. */
  readonly masking: boolean;
  /** True if values are stored, encrypted. */
  readonly cipher: boolean;
}

/** Order to a process of a run, through its channel to the parent: neither arguments nor environment hold a value. */
export interface Order {
  readonly life: 'first' | 'second';
  readonly values: CanaryValues;
  readonly variant: Variant;
  readonly places: Places;
  /** Of the model, with `/v1`. */
  readonly modelUrl: string;
  readonly lookupUrl: string;
  /** Of the conversation. */
  readonly id: string;
}
