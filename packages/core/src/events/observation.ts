import { z } from 'zod';
import {
  type FinishObservation,
  finishObservationSchema,
  type ThinkObservation,
  thinkObservationSchema,
} from './built-in-tools.ts';
import type { ContentPart } from './content.ts';
import {
  type ClientToolObservation,
  clientToolObservationSchema,
  type McpToolObservation,
  mcpToolObservationSchema,
} from './external-tools.ts';
import { type FileEditorObservation, fileEditorObservationSchema } from './file-editor-tool.ts';
import { isObject, type Json } from '../platform/json.ts';
import { model, pickSchema } from './model.ts';
import { type ObservationBase, observationBase } from './observation-base.ts';
import {
  type BrowserObservation,
  browserObservationSchema,
  type TaskObservation,
  taskObservationSchema,
} from './rendered-observations.ts';
import { type TaskTrackerObservation, taskTrackerObservationSchema } from './task-tracker-tool.ts';
import { type TerminalObservation, terminalObservationSchema } from './terminal-tool.ts';
import { unreadableReason } from './unreadable.ts';

/** An observation whose fields are known here. */
export type KnownObservation =
  | TerminalObservation
  | FileEditorObservation
  | TaskTrackerObservation
  | FinishObservation
  | ThinkObservation
  | McpToolObservation
  | ClientToolObservation
  | BrowserObservation
  | TaskObservation;

/** Any other observation; kept as it is. */
export interface OpenObservation extends ObservationBase {
  readonly kind: string;
  readonly [field: string]: Json | readonly ContentPart[] | undefined;
}

/** The answer of a tool. Narrow it with {@link isObservation}. */
export type Observation = KnownObservation | OpenObservation;

/** The known observation of one kind. */
export type ObservationOfKind<Kind extends KnownObservation['kind']> = Extract<
  KnownObservation,
  { readonly kind: Kind }
>;

const members = {
  TerminalObservation: terminalObservationSchema,
  FileEditorObservation: fileEditorObservationSchema,
  TaskTrackerObservation: taskTrackerObservationSchema,
  FinishObservation: finishObservationSchema,
  ThinkObservation: thinkObservationSchema,
  MCPToolObservation: mcpToolObservationSchema,
  ClientToolObservation: clientToolObservationSchema,
  BrowserObservation: browserObservationSchema,
  TaskObservation: taskObservationSchema,
} satisfies { [Kind in KnownObservation['kind']]: z.ZodType<ObservationOfKind<Kind>> };

const knownObservationSchemas = new Map<unknown, z.ZodType>(Object.entries(members));

/** An observation of any kind, with a look at nothing but its content. */
const openObservationSchema: z.ZodType = model('keep', { ...observationBase, kind: z.string() });

/** An observation: the fields of known kinds are checked, other kinds pass. */
export const observationSchema: z.ZodType<Observation> = pickSchema({ name: 'Observation', members }, (observation) =>
  isObject(observation)
    ? (knownObservationSchemas.get(observation['kind']) ?? openObservationSchema)
    : openObservationSchema,
);

/** Narrows an observation to one of the known kinds. */
export function isObservation<Kind extends KnownObservation['kind']>(
  observation: Observation,
  kind: Kind,
): observation is ObservationOfKind<Kind> {
  return observation.kind === kind && unreadableReason(observation) === undefined;
}
