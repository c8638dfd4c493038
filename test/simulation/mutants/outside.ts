/** Lists defects of Slack's endpoint, the chat, the canary and dead letters. */
import type { Mutant } from './mutant.ts';

const conversation = (file: string) => `shared/use-cases/conversation/${file}.ts`;

export const OF_OUTSIDE: readonly Mutant[] = [
  {
    name: 'a signature of any time counts',
    file: 'shared/adapters/slack/signature.ts',
    find: "if (Math.abs(now / 1000 - Number(timestamp)) > SKEW_S) return { ok: false, why: 'time' };",
    put: '',
  },
  {
    name: 'a request without a signature is let in',
    file: 'shared/adapters/slack/signature.ts',
    find: "if (!timestamp || !signature) return { ok: false, why: 'missing' };",
    put: 'if (!timestamp || !signature) return { ok: true };',
  },
  {
    name: 'a click counts whose request is for another app',
    file: 'functions/slack/clicks.ts',
    find: "isPress(body) && body.api_app_id === appId && body.message?.['app_id'] === appId;",
    put: 'isPress(body) && appId.length > 0;',
  },
  {
    name: 'a click counts that was made in another workspace',
    file: 'shared/use-cases/people/seats.ts',
    find: "if (workspace !== undefined && !namesWorkspace(workspace, policy)) return 'foreign';",
    put: '',
  },
  {
    name: 'a new signing secret is in use only when the older one is forgotten',
    file: 'functions/slack/verify-request.ts',
    find: "if (first.why !== 'signature' || !(await secrets.refresh())) return first.why;",
    put: 'if (first.why) return first.why;',
  },
  {
    name: 'a chat is remembered for as long as its row stands',
    file: conversation('chat-history'),
    find: 'now - Date.parse(timestamp) < HISTORY_LIFETIME_MS',
    put: 'now - Date.parse(timestamp) < 24 * HISTORY_LIFETIME_MS',
  },
  {
    name: 'a question of the task agent may be answered at any time',
    file: 'shared/task-agent/rules/rule-1-pending-confirmation.ts',
    find: 'if (isExpired(read.data, turn.now)) return respond(CONFIRMATION.expired);',
    put: '',
  },
  {
    name: 'a message to the task agent that comes again is answered again',
    file: conversation('reply'),
    find: 'if (known && (known.final || !decision)) return;',
    put: 'if (known && !decision) return;',
    also: [{ find: 'let message = known ??', put: 'let message = (known?.final ? undefined : known) ??' }],
  },
  {
    name: 'a question of the task agent that is over keeps its buttons',
    file: conversation('reply'),
    find: 'const question = await replies.read(askedBy);',
    put: "const question = await replies.read('');",
  },
  {
    name: 'a card of the canary is posted',
    file: 'shared/adapters/slack/posting/draw.ts',
    find: "if (isCanary(view.approval.agent)) return only === 'update' ? undefined : drawNothing(view, drawing);",
    put: '',
  },
  {
    name: 'events of the canary are sent again with those of others',
    file: 'shared/use-cases/operations/replay-events.ts',
    find: '.filter((name) => !isCanary(name))',
    put: '',
  },
  {
    name: 'a dead letter is deleted although its queue did not take it',
    file: 'shared/adapters/sqs/dead-letters.ts',
    find: 'const done = taken.map(',
    put: 'const done = batch.map(',
  },
];
