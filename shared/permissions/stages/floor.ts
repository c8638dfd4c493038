/** What makes a call at least ask, whatever rules, mode and classifier say (rules.md, "Commands" and "Paths"; D14, D17). */

import type { PreparedCall } from '../prepare.ts';

export interface Floor {
  readonly code: 'critical-delete' | 'decode-and-run' | 'not-understood' | 'odd-path' | 'address';
  readonly why: string;
  /** Not even a person's grant answers it: a built-in ask rule (`humanRequired`). */
  readonly humanRequired: boolean;
}

export function floorOf(prepared: PreparedCall): Floor | undefined {
  const { shell } = prepared;
  const human = shell?.human[0];
  if (human !== undefined) return { code: human.code, why: human.message, humanRequired: true };
  const doubt = shell?.doubts[0];
  if (doubt !== undefined)
    return { code: 'not-understood', why: `The command is not fully understood: ${doubt}.`, humanRequired: false };
  const odd = prepared.paths.find((each) => (each.argument || each.isFolder) && each.path.finding?.level === 'ask');
  if (odd !== undefined)
    return { code: 'odd-path', why: `A path is not certain: ${odd.path.finding?.why}.`, humanRequired: false };
  if (prepared.call.toolName === 'WebFetch') {
    const { address } = prepared;
    if (address?.web !== true)
      return { code: 'address', why: 'Only http and https addresses can be fetched.', humanRequired: false };
    if (address.doubt !== undefined)
      return { code: 'address', why: `The address is not certain: ${address.doubt}.`, humanRequired: false };
  }
  return undefined;
}
