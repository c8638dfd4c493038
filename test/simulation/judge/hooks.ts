/** Judges calls about which a hook is asked: its failure allows nothing, and its denial wins. */
import type { History } from '../model/history.ts';
import { HOOKED, hookOf, type ToolName } from '../model/policies.ts';
import type { Fail } from '../world/remains.ts';

/** A call that was approved, as it was then. */
interface Approved {
  readonly id: string;
  readonly tool: ToolName;
  readonly number: number;
  /** Whether somebody changed it to that number. */
  readonly isEdited: boolean;
  readonly isByPeople: boolean;
}

/** Whether the call could be allowed without people: its hook, if it has one, spoke of it and did not ask for them. */
export function judgeHook(approved: Approved, { heard, troubled }: History, fail: Fail): boolean {
  const { id, tool, number, isEdited, isByPeople } = approved;
  if (!HOOKED.some((one) => one === tool)) return true;
  const hook = hookOf(tool, number);
  // A denial that is lost on the way is no answer, after which people decide; where a failure denies as well, nothing is left to them.
  const isCertain = tool === 'Seal' || !troubled.length || !isByPeople;
  if (hook === 'denies' && isCertain)
    fail(isEdited ? 'D56' : 'R4-156', `${id} is approved with ${number}, and its hook denies it`);
  const isHeard = heard.some((one) => one.id === id && one.number === number);
  const asksPeople = hook === 'asks' || hook === 'no answer';
  if (!isByPeople && asksPeople)
    fail(
      'G9',
      `${id} is approved by no person, and its hook ${hook === 'asks' ? 'wants one asked' : 'did not answer'}`,
    );
  else if (!isByPeople && !isHeard) fail('G9', `${id} is approved by no person, and its hook was not asked`);
  return isHeard && !asksPeople;
}
