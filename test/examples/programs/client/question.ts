/** Asks people which region to use, and goes on with their answer. */
import { CountersignClient } from 'countersign';
import { createTestGate } from 'countersign/testing';

const policy = `
people: { olga: { team: T1, user: U1, name: Olga }, alice: { team: T1, user: U2, name: Alice } }
agents: { shop: { owner: olga } }
channels: { approvals: { team: T1, id: C1 } }
approvers: { platform: { members: [alice], channel: approvals } }
approvals: { approvers: platform }
`;

const gate = createTestGate({ policy, approver: () => ({ choice: 'respond', answer: 'eu-west-1' }) });
const client = new CountersignClient(gate.clientOptions('shop'));
const region = await client.ask('Which region?', { choices: ['eu-west-1', 'us-east-1'] });
console.log(`creates the shop in ${region}`);
gate.stop();

// Prints:
// creates the shop in eu-west-1
