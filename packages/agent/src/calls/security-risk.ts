import type { JsonObject, SecurityRisk } from '@conv/core/events';
import type { OfferedTool } from '../tools/offered-tool.ts';

/** Misspellings of `security_risk` that models have been seen to write. */
const MISSPELT = /^secur[ity]{2,4}[ _-]?r[a-z]{2,6}$/i;
const RISKS: readonly string[] = ['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH'] satisfies SecurityRisk[];

/** Returns arguments with a misspelt `security_risk` under its right name, unless it is a parameter of the tool. */
export function withRiskName(args: JsonObject, offered: OfferedTool): JsonObject {
  if ('security_risk' in args || offered.own.has('security_risk')) return args;
  const properties = Object(offered.schema['properties']) as object;
  const misspelt = Object.keys(args).find((name) => MISSPELT.test(name) && !Object.hasOwn(properties, name));
  if (misspelt === undefined) return args;
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name === misspelt ? 'security_risk' : name, value]),
  );
}

/**
 * Returns the risk that the model declared; `undefined` if it is none of the four values where the tool asks for a
 * risk. The risk counts only if an analyzer may use it, and then for every tool: a tool that calls itself read-only, or
 * has a parameter of that name, does not silence the model (P10).
 */
export function declaredRisk(args: JsonObject, offered: OfferedTool, hasAnalyzer: boolean): SecurityRisk | undefined {
  const declared = args['security_risk'];
  if (!hasAnalyzer || declared === undefined) return 'UNKNOWN';
  const risk = typeof declared === 'string' ? declared.trim().toUpperCase() : '';
  if (RISKS.includes(risk)) return risk as SecurityRisk;
  return offered.asksRisk ? undefined : 'UNKNOWN';
}
