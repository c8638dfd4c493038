/** Makes the id of an event, by which receivers know one that they were sent before. */
import { sha256Hex } from '../digest.ts';

/** An event, of which `entry` names the entry of the record that it tells of. */
interface Identified {
  readonly name: string;
  readonly entry?: string | undefined;
}

/** Half of a digest: enough for the events of any deployment. */
const ID_LENGTH = 32;

/** The same whoever tells the event, and whenever: an event of an entry is that entry's, any other one is its words. */
export const eventIdOf = (deployment: string, event: Identified): string =>
  sha256Hex(JSON.stringify([deployment, event.entry === undefined ? event : [event.name, event.entry]])).slice(
    0,
    ID_LENGTH,
  );
