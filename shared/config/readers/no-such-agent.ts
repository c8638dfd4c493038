/** Words the mistake of naming an agent that the policy file does not declare. */
import { orNearest } from '../../domain/text/nearest.ts';

/** With those that there are, and the nearest of them. */
export const noSuchAgent = (name: string, declared: readonly string[]): string =>
  `the policy file declares no agent ${name}; it declares ${declared.join(', ') || 'none'}${orNearest(name, declared)}`;
