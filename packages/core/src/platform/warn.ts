/** Reports an error that no caller can receive: in Node as a process warning of this type, elsewhere on the console. */
export function warn(error: unknown, type: string): void {
  const warning = error instanceof Error ? error : String(error);
  const { process, console } = globalThis as Host;
  if (process?.emitWarning) process.emitWarning(warning, type);
  else console?.warn(type, warning);
}

interface Host {
  readonly process?: { emitWarning?(warning: Error | string, type: string): void };
  readonly console?: { warn(...parts: readonly unknown[]): void };
}
