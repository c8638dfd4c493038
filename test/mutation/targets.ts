/** What is mutated, and which tests are to notice it. */
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
      'test/unit/permissions/analysis.test.ts',
      'test/unit/permissions/{agent,memory,mode-names,modes,record,rule-kinds,service,service-builder}.test.ts',
      'test/unit/permissions/{commands,attacks,variants}-*.test.ts',
      'test/unit/permissions/{catalogue/*,read-only,uncertain-words,reproductions,globs,joined-lines}.test.ts',
      'test/unit/permissions/{programs,programs-words,critical,paths,paths-in-input,addresses,characters,rule-order}.test.ts',
      'test/unit/permissions/**/*.test.ts',
      'test/conformance/permissions.test.ts',
      'test/unit/config/misspelt.test.ts',
      'test/unit/cli/policy.test.ts',
      'test/unit/adapters/llm/*.test.ts',
    ],
  },
  {
    name: 'kernel',
    sources: [
      'shared/pipeline/decide.ts',
      'shared/pipeline/decide-calls.ts',
      'shared/pipeline/decide-choice.ts',
      'shared/pipeline/decide-input.ts',
      'shared/pipeline/judge.ts',
      'shared/pipeline/judge-flow.ts',
      'shared/pipeline/settle.ts',
      'shared/pipeline/ask-calls.ts',
      'shared/pipeline/stages.ts',
      'shared/pipeline/permit.ts',
      'shared/pipeline/session-keys.ts',
      'shared/pipeline/choice-answer.ts',
      'shared/pipeline/choice-question.ts',
      'shared/pipeline/hook-facts.ts',
      'shared/pipeline/ask-hook.ts',
      'shared/pipeline/chain.ts',
      'shared/pipeline/classify.ts',
      'shared/pipeline/edited.ts',
      'shared/pipeline/recheck.ts',
      'shared/pipeline/risk.ts',
      'shared/pipeline/session.ts',
      'shared/pipeline/session-changes.ts',
      'shared/pipeline/severity.ts',
      'shared/pipeline/evaluate-proposal.ts',
      'shared/pipeline/operate-session.ts',
    ],
    tests: [
      'test/unit/pipeline/{journal,remembered,settled,ask-hook,input-requests,session-races,who-is-asked,choice-answers,choice-rules,edited,judge,bubble,sessions}.test.ts',
      'test/unit/pipeline/{auto,bad-input,choice,choice-people,decide-for,hooks,operate*,people,policy-change,recheck,silence,stages}.test.ts',
      'test/unit/pipeline/*.test.ts',
      'test/unit/client/*.test.ts',
    ],
  },
];
