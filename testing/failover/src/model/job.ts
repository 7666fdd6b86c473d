/** A job of an agent. */
export interface Job {
  /** The unique name of the job. */
  readonly name: string;
  /** Commands that it takes. */
  readonly steps: number;
}

/** The message that gives an agent a job. */
export function jobMessage({ name, steps }: Job): string {
  return `job ${name} takes ${steps} steps`;
}

/** The last job that a text gives. */
export function jobIn(text: string): Job | undefined {
  const [, name, steps] = [...text.matchAll(/job (\S+) takes (\d+) steps/g)].at(-1) ?? [];
  return name === undefined ? undefined : { name, steps: Number(steps) };
}

/** Returns the model's message when a job is done. */
export function doneMessage({ name }: Job): string {
  return `job ${name} is done`;
}
