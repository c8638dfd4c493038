/**
 * Takes the hash of a seal out of the account once a day.
 *
 * Nobody inside can then cut off or rewrite the seals unnoticed.
 */
import type { PolicyPeople } from '../../config/readers/people-of.ts';
import { type Anchor, anchorName, readAnchor, textOfAnchor, toldName } from '../../domain/archive/anchor.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Archive } from '../../ports/stores/archive.ts';

interface AnchorDependencies {
  readonly archive: Archive;
  readonly clock: Clock;
  /** Tells people and programs outside. Is called again, with the same anchor, after a crash. */
  tell(anchor: Anchor): Promise<void>;
}

/**
 * The anchor of a day is fixed before anybody is told: a run after a crash repeats the same hash, and two runs at once tell of one.
 *
 * @param seal the newest seal
 */
export async function anchorSeal(
  { number, hash }: Pick<Anchor, 'number' | 'hash'>,
  { archive, clock, tell }: AnchorDependencies,
): Promise<void> {
  const now = clock.now();
  const name = anchorName(now);
  if ((await archive.read(toldName(name))) !== undefined) return;
  const anchor = await fixed(name, { number, hash, at: new Date(now).toISOString() }, archive);
  await tell(anchor);
  await archive.put(toldName(name), textOfAnchor(anchor));
}

async function fixed(name: string, anchor: Anchor, archive: Archive): Promise<Anchor> {
  if (await archive.put(name, textOfAnchor(anchor))) return anchor;
  const before = readAnchor((await archive.read(name)) ?? '');
  if (!before) throw new Error(`${name} holds no anchor`);
  return before;
}

/** The line for the channel: it has to explain itself to whoever finds it a year later. */
export const textOfAnnouncement = ({ number, hash }: Anchor, deployment: string): string =>
  `The record of ${deployment} was sealed (number ${number}): \`${hash}\`. ` +
  'Leave this message here. `countersign audit verify --anchor` with this hash notices a record that was cut off or written again.';

/** Where the approvers of the deployment read: the channel of its usual group, else of its first one. Undefined: the policy file has no group. */
export function recordChannelOf({ settings, channelOf }: PolicyPeople): string | undefined {
  const { approvers, stages } = settings.approvals;
  const usual = approvers ?? stages?.flatMap(({ group }) => group ?? [])[0] ?? Object.keys(settings.approvers)[0];
  return usual === undefined ? undefined : channelOf(usual).id;
}
