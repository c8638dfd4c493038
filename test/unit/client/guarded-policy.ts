/** Makes a policy file with a tool that is asked about, one that is allowed and one that is denied. */
export const GUARDED_POLICY = `
people:
  olga: { team: T1, user: U1, name: Olga }
  alice: { team: T1, user: U2, name: Alice }
  bob: { team: T1, user: U3, name: Bob }
agents:
  coder: { owner: olga }
channels:
  approvals: { team: T1, id: C1 }
approvers:
  platform: { members: [olga, alice, bob], channel: approvals }
approvals: { approvers: platform, timeout: 1h }
tools:
  Refund: { permissions: [Sensitive], effect: IdempotentWrite }
  Lookup: { permissions: [Network], effect: Pure }
  Wipe: { permissions: [Sensitive] }
rules:
  deny: [{ rule: Wipe, reason: Nothing is wiped. }]
  ask: [Refund]
  allow: [Lookup]
`;
