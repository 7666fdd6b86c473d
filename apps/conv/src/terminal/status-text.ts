/** A status as people say it. */
export function statusText(status: string): string {
  return status === 'waiting_for_confirmation' ? 'waiting' : status;
}
