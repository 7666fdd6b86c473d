/** Runs something and returns the warnings that the process gave of secrets meanwhile. */
export async function warningsOf(work: () => unknown): Promise<readonly string[]> {
  const heard: string[] = [];
  const hear = (warning: Error): void => {
    if (warning.name === 'SecretWarning') heard.push(warning.message);
  };
  process.on('warning', hear);
  try {
    await work();
    // Warnings come with the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    return heard;
  } finally {
    process.off('warning', hear);
  }
}
