/** Judges the canary: what it finds is true, and nobody hears of its questions. */
import { CANARY } from '../../../shared/domain/canary.ts';
import type { History } from '../model/history.ts';
import type { Fail, Remains } from '../world/remains.ts';

/** The guarantee that is broken where a check of the canary finds the gate looser than it must be. */
const BREAKS = { deny: 'G1', ask: 'G5', allow: 'G12', redeem: 'G25', expire: 'G21' } as const;

export function judgeCanary(history: History, { bothered = [] }: Remains, fail: Fail): void {
  for (const one of bothered) fail('G12', `people are shown a card of the canary: ${one}`);
  if (history.events.flat().some(({ agentId }) => agentId === CANARY))
    fail('G12', 'an event of the canary is sent again');
  const isLeftAlone = !history.troubled.length && !history.operations.length;
  for (const { report } of history.canaries)
    for (const { expected, result, got } of report.checks) {
      if (result === 'wrong') fail(BREAKS[expected], `the canary finds ${got} where it expects ${expected}`);
      else if (isLeftAlone && result !== 'right') fail('G12', `the canary finds ${got} where it expects ${expected}`);
    }
}
