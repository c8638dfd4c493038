/** Declares approvers, quorums and time-outs of the policy file: groups, stages and delegations. */
import * as z from 'zod';
import { instant } from '../../contract/primitives.ts';
import { tooManyToCarry, WAITING } from '../../domain/approval/waiting-limits.ts';
import { name, section, slackGroup, waitingTime } from './common-fields.ts';

export const group = section({
  members: z.array(name).min(1, 'names nobody').optional().describe('People of this file.'),
  userGroup: slackGroup
    .optional()
    .describe('A Slack user group instead of members. Whoever may edit it in Slack decides who approves.'),
  channel: name.describe('Where their cards are posted, of channels.'),
  maxWaiting: z
    .int()
    .min(1)
    .max(WAITING.group.most, tooManyToCarry('group'))
    .optional()
    .describe(`So many questions may wait at once for this group to answer first. Default: ${WAITING.group.usual}.`),
});

const stage = section({
  group: name.optional().describe('Who is asked, of approvers.'),
  by: z
    .enum(['group', 'requester'])
    .default('group')
    .describe(
      '`requester`: the person in whose name it is asked confirms it; only for a tool of low or medium severity.',
    ),
  quorum: z.int().min(1).max(20).default(1).describe('How many different people have to approve.'),
  timeout: waitingTime.optional().describe('Then it escalates, or the wait ends.'),
  remind: waitingTime.optional().describe('How often its channel is reminded.'),
  escalateTo: name.optional().describe('The group that may vote as well after the time-out.'),
  reject: z
    .enum(['ends', 'counts'])
    .default('ends')
    .describe('`counts`: a rejection ends it only when the quorum cannot be reached any more.'),
});
export type StageSetting = z.infer<typeof stage>;

/** The people whom a rule, a tool, an agent or the deployment asks: one of the two fields, or none. */
export const asks = {
  approvers: name.optional().describe('The group that is asked; one of them is enough.'),
  stages: z.array(stage).min(1, 'holds no stage').max(10).optional().describe('Instead of approvers: in this order.'),
};

export const timeoutBehavior = z
  .enum(['Reject', 'Approve'])
  .optional()
  .describe(
    '`Approve`: no answer in time lets it run, unless the call needs a person in any case, such as a critical delete. Refused for a tool of high severity (D32). Default: it expires.',
  );

/** Somebody votes in the place of another person, or of a group as one more of it, until a date. */
export const delegation = section({
  person: name.optional().describe('The owner of the seat: a person, or a group.'),
  group: name.optional().describe('The group that has one more member.'),
  to: name.describe('Who votes.'),
  from: instant.optional().describe('Default: at once.'),
  until: instant.describe('When it ends.'),
});
export const delegations = z.array(delegation).max(200).default([]).describe('Who votes for somebody who is away.');
