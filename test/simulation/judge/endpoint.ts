/** Judges the endpoint of Slack's requests: it answers what Slack signed, and nothing else counts. */
import type { History } from '../model/history.ts';
import type { Fail } from '../world/remains.ts';

/** Requests whose bytes are Slack's own; the record says why they do not count. */
const IS_SIGNED: ReadonlySet<string> = new Set(['another app', 'another workspace']);
const REFUSALS: ReadonlySet<number> = new Set([401, 405]);
/** After an answer that does not come from the endpoint's own judgement: a fault, which lets nothing in. */
const isFault = (status: number): boolean => status >= 500;

export function judgeEndpoint({ forged, replays, signed, troubled, endpoint, broken }: History, fail: Fail): void {
  // A key that Slack signs with is known a minute after it was added, whatever others sent meanwhile.
  const isNew = (at: number) => endpoint && at >= endpoint.switchedAt && at < endpoint.addedAt + KNOWN_MS;
  for (const id of replays) fail('G20', `a click on ${id} that is replayed counts once more`);
  for (const { at, id, who, how, status, heard } of forged) {
    const what = `a click of ${who} on ${id} (${how})`;
    if (heard === 'counted') fail('G19', `${what} counts`);
    if (IS_SIGNED.has(how)) {
      if (!troubled.length && heard === undefined && !(status === 401 && isNew(at)))
        fail('G20', `${what} is not on record`);
    } else if (heard !== undefined) fail('G19', `${what} is read before its signature is verified`);
    else if (status !== undefined && !REFUSALS.has(status) && !isFault(status))
      fail('G19', `${what} is answered with ${status}`);
  }
  // A row that cannot be read takes no click, and ends by the reconciler.
  if (troubled.length || broken.size) return;
  for (const { at, status } of signed)
    if (status !== 200 && !isNew(at)) fail('A23', `a request of Slack's is answered with ${status}`);
}

const KNOWN_MS = 65_000;
