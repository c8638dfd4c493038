/** Checks that a call's folder is the approved one: a link on its way may be swapped meanwhile. */
import { realpath } from 'node:fs/promises';

/** Symbolic links as they are now, as `redeem` takes them. */
export interface Links {
  readonly symlinks: Readonly<Record<string, string>>;
}

/** Where a folder's links lead; `undefined` if there is no such folder on this machine, which may be another one's. */
export type RealPath = (folder: string) => Promise<string | undefined>;

export const realPathHere: RealPath = (folder) => realpath(folder).catch(() => undefined);

/** Links to state of a folder that leads elsewhere than at the proposal. A folder that is gone leads nowhere, like a link to itself. */
export function movedLinks(folder: string, before: string | undefined, now: string | undefined): Links | undefined {
  return before === now ? undefined : { symlinks: { [folder]: now ?? folder } };
}
