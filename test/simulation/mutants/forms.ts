/** Lists defects of forms, App Home, commands, and words to the task agent over a queue. */
import type { Mutant } from './mutant.ts';

export const OF_FORMS: readonly Mutant[] = [
  {
    name: 'a form opens for whoever clicks',
    file: 'shared/use-cases/approvals/voting/cast-vote.ts',
    find: "if (cast.ok) return { kind: 'may', view, open };",
    put: "if (cast.ok || cast.refusal !== 'already_decided') return { kind: 'may', view, open };",
  },
  {
    name: 'nobody is told that Slack did not show a form',
    file: 'functions/slack/show-form.ts',
    find: "await notify(respond, SlackRefusedError.isFinal(slackError(error) ?? '') ? FORMS.notTaken : FORMS.notShown);",
    put: 'await Promise.resolve(FORMS.notShown);',
  },
  {
    name: 'a form counts that another app shows',
    file: 'functions/slack/clicks.ts',
    find: 'isOwn: (known) => isCardOf(known, context, body.view.app_id === appId && body.api_app_id === appId, shown),',
    put: 'isOwn: (known) => isCardOf(known, context, appId.length > 0, shown),',
  },
  {
    name: 'a form that is refused closes as if it counted',
    file: 'functions/slack/forms.ts',
    find: "if (sent.kind === 'counted') return ack();",
    put: "if (sent.kind === 'counted' || sent.kind === 'refused') return ack();",
  },
  {
    name: 'a seat that is passed on is another seat',
    file: 'shared/domain/approval/approval.ts',
    find: 'if (passedBy) return { standsFor: passedBy, passed: true };',
    put: 'if (passedBy) return { passed: true };',
  },
  {
    name: 'a question is passed on without a record',
    file: 'shared/use-cases/approvals/voting/cast-vote.ts',
    find: "const what = { type: 'pass', code: 'pass', via } as const;",
    put: "const what = { type: 'vote', code: 'pass', via } as const;",
  },
  {
    name: 'App Home lists whatever waits',
    file: 'shared/use-cases/approvals/voting/pending-for.ts',
    find: 'return isAsked && canAnswer(approval, voter, deps.clock.now());',
    put: 'return isAsked || canAnswer(approval, voter, deps.clock.now());',
  },
  {
    name: 'App Home lists approvals for later of others',
    file: 'functions/slack/revoke-grant.ts',
    find: '.filter((grant) => canRevoke(grant, { person, groups }, deps.policy));',
    put: '.filter((grant) => canRevoke(grant, { person, groups }, deps.policy) || person.user);',
  },
  {
    name: 'a click in the Home of another app is taken',
    file: 'functions/slack/home.ts',
    find: "if (!isPressInOwnView(body, appId) || body.view?.type !== 'home') return;",
    put: "if (body.view?.type !== 'home') return;",
  },
  {
    name: 'whoever has no seat gives one away',
    file: 'shared/use-cases/operations/slack-requests.ts',
    find: "if (!groupsOf(asked, deps).length) return refuse('no_place');",
    put: '',
  },
  {
    name: 'a grant that is taken back in Slack holds on',
    file: 'shared/use-cases/operations/session-operations.ts',
    find: "return withoutGrant(read, wanted.grant) ?? 'unknown_grant';",
    put: "return withoutGrant(read, wanted.grant) ? read : 'unknown_grant';",
  },
  {
    name: 'a command is answered that was typed to another app',
    file: 'functions/slack/command.ts',
    find: 'if (command.api_app_id !== listening.appId) return ack();',
    put: '',
  },
  {
    name: 'whoever asks once in Slack may ask no more',
    file: 'functions/slack/clicks.ts',
    find: 'user: string): string => sha256Hex(',
    put: 'user: string): string => sha256Hex(user || ',
  },
  {
    name: 'a command hands over for ever',
    file: 'functions/slack/command.ts',
    find: "const wanted = { kind: 'delegate', to: taker, until: new Date(until).toISOString() } as const;",
    put: "const wanted = { kind: 'delegate', to: taker, until: new Date(until + 6e6).toISOString() } as const;",
  },
  {
    name: 'agents share the tasks of users of one name',
    file: 'shared/use-cases/intake/evaluation/evaluate-task-message.ts',
    find: '...{ pid, scope: `agent:',
    put: '...{ pid, scope: `agent:` || `',
  },
  {
    name: 'users share a conversation of one name',
    file: 'shared/use-cases/conversation/decide-task.ts',
    find: 'lengthDelimited([scope, user, conversation.toLowerCase()])',
    put: 'lengthDelimited([scope, conversation.toLowerCase()])',
  },
  {
    name: 'a message to the task agent is lost where two come at once',
    file: 'shared/use-cases/intake/evaluation/evaluate-task-message.ts',
    find: "if ((await commitAnswer(about, { ...answered, state }, deps)) === 'done') return undefined;",
    put: 'if (await commitAnswer(about, { ...answered, state }, deps)) return undefined;',
  },
  {
    name: 'what waits for a yes is forgotten with the next message',
    file: 'shared/use-cases/conversation/decide-task.ts',
    find: 'const pending = open ? open.pending : answerable(conversation, message);',
    put: 'const pending = open ? open.pending : undefined;',
  },
];
