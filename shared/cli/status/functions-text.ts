/** Names the functions that run the same package and policy, each with its share while calls shift. */
import type { FunctionVersion } from '../../adapters/lambda/versions.ts';

/** `whole`: how many there are in all groups. */
export const functionsText = (group: readonly FunctionVersion[], whole: number): string =>
  group.length === whole && group.every((one) => remarkOn(one) === '')
    ? `all ${whole}`
    : group.map((one) => `${one.name}${remarkOn(one)}`).join(', ');

const remarkOn = ({ share, aliasUnread }: FunctionVersion): string =>
  share !== undefined
    ? ` (${Math.round(share * 100)} % of its calls)`
    : aliasUnread
      ? ' (its newest; its alias may not be read)'
      : '';
