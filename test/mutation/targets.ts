/** Lists the files to mutate, and the tests that are to notice it. */
export interface Target {
  readonly name: string;
  /** Files, or folders that end in `/`. */
  readonly sources: readonly string[];
  readonly tests: readonly string[];
}

export const TARGETS: readonly Target[] = [
  {
    name: 'permissions',
    sources: ['shared/permissions/'],
    tests: [
      'test/unit/permissions/shell/analysis.test.ts',
      'test/unit/permissions/**/{agent,memory,mode-names,modes,record,rule-kinds,service,service-builder}.test.ts',
      'test/unit/permissions/**/{commands,attacks,variants}-*.test.ts',
      'test/unit/permissions/**/{catalogue/*,read-only,uncertain-words,reproductions,globs,joined-lines}.test.ts',
      'test/unit/permissions/**/{programs,programs-words,critical,paths,paths-in-input,addresses,characters,rule-order}.test.ts',
      'test/unit/permissions/**/*.test.ts',
      'test/conformance/permissions.test.ts',
      'test/unit/config/misspelt.test.ts',
      'test/unit/cli/commands/policy.test.ts',
      'test/unit/adapters/llm/*.test.ts',
    ],
  },
  {
    name: 'kernel',
    sources: [
      'shared/use-cases/kernel/decide.ts',
      'shared/use-cases/kernel/decide-calls.ts',
      'shared/use-cases/kernel/choices/choice-checks.ts',
      'shared/use-cases/kernel/choices/choice-result.ts',
      'shared/use-cases/kernel/choices/choose-action.ts',
      'shared/use-cases/kernel/decide-choice.ts',
      'shared/use-cases/kernel/decide-input.ts',
      'shared/use-cases/kernel/calls/authorization/authorize-call.ts',
      'shared/use-cases/kernel/choices/authorize-action.ts',
      'shared/use-cases/kernel/calls/call-decisions.ts',
      'shared/use-cases/kernel/calls/question/call-question.ts',
      'shared/use-cases/kernel/calls/question/approval-plan.ts',
      'shared/use-cases/kernel/calls/permit.ts',
      'shared/use-cases/sessions/session-keys.ts',
      'shared/use-cases/kernel/choices/choice-answer.ts',
      'shared/use-cases/kernel/choices/choice-question.ts',
      'shared/use-cases/kernel/calls/authorization/hook-facts.ts',
      'shared/use-cases/resolvers/call-hook.ts',
      'shared/use-cases/sessions/session-chain.ts',
      'shared/use-cases/resolvers/classify.ts',
      'shared/use-cases/kernel/calls/question/edits.ts',
      'shared/use-cases/execution/revalidate.ts',
      'shared/use-cases/resolvers/risk.ts',
      'shared/use-cases/kernel/calls/authorization/context-of.ts',
      'shared/use-cases/kernel/state/journal.ts',
      'shared/use-cases/kernel/state/session.ts',
      'shared/use-cases/sessions/session-updates.ts',
      'shared/use-cases/kernel/calls/authorization/severity.ts',
      'shared/use-cases/approvals/resolution/commit-resolution.ts',
      'shared/use-cases/approvals/resolution/decide-again.ts',
      'shared/use-cases/intake/admission/admit-message.ts',
      'shared/use-cases/intake/admission/admit-proposal.ts',
      'shared/use-cases/intake/evaluation/commit.ts',
      'shared/use-cases/intake/evaluation/decide-in-session.ts',
      'shared/use-cases/intake/evaluation/evaluate-proposal.ts',
      'shared/use-cases/intake/evaluation/run-once.ts',
      'shared/use-cases/intake/evaluation/session-facts.ts',
      'shared/use-cases/operations/session-operations.ts',
    ],
    tests: [
      'test/unit/use-cases/**/{journal,remembered,ask-hook,input-requests,session-races,who-is-asked,choice-answers,choice-rules,edited,judge,bubble,sessions}.test.ts',
      'test/unit/use-cases/**/{auto,bad-input,choice,choice-people,decide-for,hooks,operate*,people,policy-change,recheck,silence,stages}.test.ts',
      'test/unit/use-cases/**/*.test.ts',
      'test/unit/client/*.test.ts',
    ],
  },
];
