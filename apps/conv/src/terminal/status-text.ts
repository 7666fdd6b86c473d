/** Returns a status in words. */
export function statusText(status: string): string {
  return status === 'waiting_for_confirmation' ? 'waiting' : status;
}
