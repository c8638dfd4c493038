/** Declares the context of a classified call. */
import { type Checks, checkSettings, flag, natural, text } from '../../domain/settings.ts';

/** Facts about the risk of a call, for a classifier. */
export type RiskContext = ClassifierContext['riskContext'];

const NO_RISK: RiskContext = {
  hasSensitiveFiles: false,
  isDestructive: false,
  directoryDepth: 0,
  repetitionCount: 0,
};

const RISK_CHECKS: Checks<RiskContext> = {
  hasSensitiveFiles: flag,
  isDestructive: flag,
  directoryDepth: natural,
  repetitionCount: natural,
};

/** The message that holds the call, as far as it changes what the call does or how it is judged. */
export type MessageContext = ClassifierContext['message'];

interface Fields {
  readonly workspacePath?: string | undefined;
  readonly projectType?: string | undefined;
  readonly recentFiles?: readonly string[] | undefined;
  readonly riskContext?: RiskContext | undefined;
  readonly messages?: readonly string[] | undefined;
  readonly allowRules?: readonly string[] | undefined;
  readonly softDenyRules?: readonly string[] | undefined;
  readonly message?: MessageContext | undefined;
}

/** Immutable, with the builders of the contract. */
export class ClassifierContext {
  readonly agent: string;
  readonly session: string;
  readonly workspacePath: string | undefined;
  readonly projectType: string | undefined;
  readonly recentFiles: readonly string[];
  /** Facts about the risk of the call. */
  readonly riskContext: {
    readonly hasSensitiveFiles: boolean;
    readonly isDestructive: boolean;
    readonly directoryDepth: number;
    readonly repetitionCount: number;
  };
  readonly messages: readonly string[];
  readonly allowRules: readonly string[];
  readonly softDenyRules: readonly string[];
  /**
   * The message that holds the call, as far as it changes what the call does or how it is judged. Rules of a message only deny or ask: one that
   * allows has no say.
   */
  readonly message: {
    readonly mode?: string | undefined;
    readonly starts?: { readonly agentId: string; readonly sessionId: string } | undefined;
    readonly rules?: readonly { readonly effect: 'deny' | 'ask'; readonly pattern: string }[] | undefined;
  };

  constructor(agent: string, session: string);
  /** @internal */
  constructor(agent: string, session: string, fields?: Fields);
  constructor(agent: string, session: string, fields: Fields = {}) {
    text(agent, 'agent');
    text(session, 'session');
    this.agent = agent;
    this.session = session;
    this.workspacePath = fields.workspacePath;
    this.projectType = fields.projectType;
    this.recentFiles = fields.recentFiles ?? [];
    this.riskContext = fields.riskContext ?? NO_RISK;
    this.messages = fields.messages ?? [];
    this.allowRules = fields.allowRules ?? [];
    this.softDenyRules = fields.softDenyRules ?? [];
    this.message = fields.message ?? {};
  }

  #with(fields: Fields): ClassifierContext {
    return new ClassifierContext(this.agent, this.session, { ...this, ...fields });
  }

  withWorkspacePath(workspacePath: string): ClassifierContext {
    return this.#with({ workspacePath });
  }

  withProjectType(projectType: string): ClassifierContext {
    return this.#with({ projectType });
  }

  withRecentFiles(recentFiles: readonly string[]): ClassifierContext {
    return this.#with({ recentFiles });
  }

  withRiskContext(riskContext: Partial<ClassifierContext['riskContext']>): ClassifierContext {
    checkSettings(riskContext, RISK_CHECKS, { of: 'riskContext' });
    return this.#with({ riskContext: { ...NO_RISK, ...riskContext } });
  }

  withMessages(messages: readonly string[]): ClassifierContext {
    return this.#with({ messages });
  }

  withRules(allowRules: readonly string[], softDenyRules: readonly string[]): ClassifierContext {
    return this.#with({ allowRules, softDenyRules });
  }

  withMessage(message: ClassifierContext['message']): ClassifierContext {
    return this.#with({ message });
  }
}
