/** Names the functions that run the same package and policy, each with its share while calls shift. */
import type { FunctionVersion } from '../../adapters/lambda/versions.ts';

/** `whole`: how many there are in all groups. */
export const functionsText = (group: readonly FunctionVersion[], whole: number): string =>
  group.length === whole && group.every(({ share }) => share === undefined)
    ? `all ${whole}`
    : group
        .map(({ name, share }) => (share === undefined ? name : `${name} (${Math.round(share * 100)} % of its calls)`))
        .join(', ');
