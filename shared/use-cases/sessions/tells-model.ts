/** Tells whether the policy has a model that is told of the recent calls of a session. */
import type { Policy } from '../../config/compile.ts';

/** Nobody else reads them, so that without such a model they are neither read nor remembered. */
export const tellsModel = ({ settings }: Pick<Policy, 'settings'>): boolean => settings.classifier?.model !== undefined;
