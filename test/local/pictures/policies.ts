/**
 * Holds policies of the surfaces that the demo's own policy file does not reach.
 *
 * Surfaces: a choice, an escalation, a change of the policy.
 */

const ROOM = `
people:
  alice: { team: T0DEMO, user: U0ALICE, name: Alice Approver }
  bob: { team: T0DEMO, user: U0BOB, name: Bob Approver }
  carol: { team: T0DEMO, user: U0CAROL, name: Carol Lead }
  olga: { team: T0DEMO, user: U0OLGA, name: Olga Owner }
agents:
  demo-agent: { owner: olga, projectRoot: /workspace/app }
channels:
  approvals: { team: T0DEMO, id: C0APPROVALS }
approvers:
  platform: { members: [alice, bob], channel: approvals }
  leads: { members: [carol], channel: approvals }
approvals: { approvers: platform, timeout: 1h }
`;

/** People are asked about each push, as `asked` has it. */
const pushes = (asked: string): string =>
  `${ROOM}rules:\n  ask:\n    - { rule: 'Bash(git push:*)', reason: A push leaves this machine., ${asked} }\n`;

export const PUSH = pushes('approvers: platform');
export const PUSH_TO_LEADS = pushes('approvers: leads');
export const ESCALATING = pushes('stages: [{ group: platform, timeout: 30m, escalateTo: leads }]');
export const CHOOSING = `${ROOM}policies:
  payout:
    type: human-in-the-loop
    delegate: { type: first-available }
    timeout: 30m
`;
