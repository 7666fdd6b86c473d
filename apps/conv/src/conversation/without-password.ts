/** The address without a password. */
export function withoutPassword(address: string): string {
  return address.replace(/:[^:@/]*@/, ':…@');
}
