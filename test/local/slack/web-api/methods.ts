/**
 * Lists the methods of the Web API that exist here.
 *
 * Each has its scope, its rate tier (calls a minute), and its effect.
 */
import type { Dict } from '../types.ts';
import type { World } from '../world.ts';
import { addReaction, getPermalink, postEphemeral, postMessage, remove, update } from './chat.ts';
import {
  botsInfo,
  conversationsHistory,
  conversationsInfo,
  conversationsList,
  conversationsMembers,
  conversationsOpen,
  conversationsReplies,
  userGroupsList,
  userGroupsUsersList,
  usersConversations,
  usersInfo,
  usersList,
} from './reads.ts';
import * as views from './views.ts';

export type Method = {
  /** Any one of these will do; none needed when empty. */
  scopes: string[];
  perMinute: number;
  open?: boolean;
  run: (world: World, args: Dict) => Dict;
};

const TIER_2 = 20;
const TIER_3 = 50;
const TIER_4 = 100;

const READ = ['channels:read', 'groups:read', 'im:read', 'mpim:read'];
const HISTORY = ['channels:history', 'groups:history', 'im:history', 'mpim:history'];
const method = (run: Method['run'], perMinute: number, ...scopes: string[]): Method => ({ run, perMinute, scopes });

export const METHODS: Record<string, Method> = {
  'api.test': { ...method((_world, args) => ({ args }), TIER_4), open: true },
  'auth.test': method(authTest, 600),
  'bots.info': method(botsInfo, TIER_3, 'users:read'),
  'chat.delete': method(remove, TIER_3, 'chat:write'),
  'chat.getPermalink': method(getPermalink, 600),
  'chat.postEphemeral': method(postEphemeral, TIER_4, 'chat:write'),
  'chat.postMessage': method(postMessage, 600, 'chat:write'),
  'chat.update': method(update, TIER_3, 'chat:write'),
  'conversations.history': method(conversationsHistory, TIER_3, ...HISTORY),
  'conversations.info': method(conversationsInfo, TIER_3, ...READ),
  'conversations.list': method(conversationsList, TIER_2, ...READ),
  'conversations.members': method(conversationsMembers, TIER_4, ...READ),
  'conversations.open': method(conversationsOpen, TIER_3, 'im:write', 'mpim:write'),
  'conversations.replies': method(conversationsReplies, TIER_3, ...HISTORY),
  'reactions.add': method(addReaction, TIER_3, 'reactions:write'),
  'usergroups.list': method(userGroupsList, TIER_2, 'usergroups:read'),
  'usergroups.users.list': method(userGroupsUsersList, TIER_2, 'usergroups:read'),
  'users.conversations': method(usersConversations, TIER_3, ...READ),
  'users.info': method(usersInfo, TIER_4, 'users:read'),
  'users.list': method(usersList, TIER_2, 'users:read'),
  'views.open': method(views.open, TIER_4),
  'views.publish': method(views.publish, TIER_4),
  'views.push': method(views.push, TIER_4),
  'views.update': method(views.update, TIER_4),
};

function authTest(world: World): Dict {
  const bot = world.users.get(world.app.botUserId);
  return {
    url: `${world.url}/`,
    team: world.team.name,
    user: bot?.name ?? '',
    team_id: world.team.id,
    user_id: world.app.botUserId,
    bot_id: world.app.botId,
    is_enterprise_install: false,
  };
}
