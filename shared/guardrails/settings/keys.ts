/**
 * Names the shared counters.
 *
 * Names are built only from the policy and the authenticated principal, length-delimited.
 */
import { lengthDelimited, sha256Hex } from '../../domain/digest.ts';
import { ByNames } from './by-names.ts';

/** `kind#` and a whole SHA-256, so that no choice of names makes two counters one. */
const key = (...names: [kind: string, ...fields: string[]]): string => KNOWN.get(names, made);

const made = ([kind, ...fields]: readonly string[]): string => `${kind}#${sha256Hex(lengthDelimited(fields))}`;

/** A call needs the same few keys several times. */
const KNOWN = new ByNames<string>(1000);

export interface ToolIdentity {
  readonly toolName: string;
  readonly origin: string;
}

/** A breaker for each tool and origin. */
export const circuitKey = ({ origin, toolName }: ToolIdentity): string => key('circuit', origin, toolName);

/** `scope`: empty for everybody, else whom the limit counts. */
export const toolRateKey = ({ origin, toolName }: ToolIdentity, scope: string): string =>
  key('rate', 'tool', origin, toolName, scope);
export const providerRateKey = (provider: string): string => key('rate', 'provider', provider);
export const toolSlotsKey = ({ origin, toolName }: ToolIdentity, scope: string): string =>
  key('slots', 'tool', origin, toolName, scope);
export const providerSlotsKey = (provider: string): string => key('slots', 'provider', provider);
export const budgetKey = (id: string, kind: string): string => key('budget', id, kind);

/** For people: `local::search`, `mcp::github::search`. */
export const toolId = ({ origin, toolName }: ToolIdentity): string => `${origin}::${toolName}`;
