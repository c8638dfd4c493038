/** Finds agents whose mode leaves to something what the file does not have. */
import type { PolicyDocument } from '../../config/document.ts';

interface About {
  readonly code: string;
  readonly where: string;
  readonly message: string;
}

/** Such a mode only asks people: safe, and not what somebody wrote it for. */
export function modesWithoutEffect({ policy: { agents, bypass, classifier } }: PolicyDocument): About[] {
  return Object.entries(agents).flatMap(([name, { mode, parents }]) => {
    const missing =
      mode === 'bypass' && !bypass.enabled
        ? 'bypass.enabled is false: its sessions are in mode default'
        : mode === 'auto' && !classifier
          ? 'there is no classifier: people decide whatever no rule does'
          : mode === 'bubble' && !parents?.length
            ? 'it has no parents: people decide whatever no rule does'
            : undefined;
    return missing === undefined
      ? []
      : [{ code: 'mode_without_effect', where: `agents.${name}`, message: `is in mode ${mode}, and ${missing}` }];
  });
}
