import { z } from 'zod';

/** The assessed danger of an action. LOW < MEDIUM < HIGH; UNKNOWN is comparable to none of them. */
export type SecurityRisk = 'UNKNOWN' | 'LOW' | 'MEDIUM' | 'HIGH';

/** One of the four risks. */
export const securityRiskSchema: z.ZodType<SecurityRisk> = z.enum(['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH']);
