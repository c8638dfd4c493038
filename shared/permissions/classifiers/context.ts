/** Declares the context of a classified call. */
import { text } from '../../domain/settings.ts';

/** Facts about the risk of a call, for a classifier. */
export interface RiskContext {
  readonly hasSensitiveFiles: boolean;
  readonly isDestructive: boolean;
  readonly directoryDepth: number;
  readonly repetitionCount: number;
}

export const NO_RISK: RiskContext = {
  hasSensitiveFiles: false,
  isDestructive: false,
  directoryDepth: 0,
  repetitionCount: 0,
};

/** A deny or ask rule that came with the message; an allow rule of a message has no say. */
export interface AddedRule {
  readonly effect: 'deny' | 'ask';
  readonly pattern: string;
}

/** The message that holds the call, as far as it changes what the call does or how it is judged. */
export interface MessageContext {
  readonly mode?: string | undefined;
  readonly starts?: { readonly agentId: string; readonly sessionId: string } | undefined;
  readonly rules?: readonly AddedRule[] | undefined;
}

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
  readonly riskContext: RiskContext;
  readonly messages: readonly string[];
  readonly allowRules: readonly string[];
  readonly softDenyRules: readonly string[];
  readonly message: MessageContext;

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

  withRiskContext(riskContext: Partial<RiskContext>): ClassifierContext {
    return this.#with({ riskContext: { ...NO_RISK, ...riskContext } });
  }

  withMessages(messages: readonly string[]): ClassifierContext {
    return this.#with({ messages });
  }

  withRules(allowRules: readonly string[], softDenyRules: readonly string[]): ClassifierContext {
    return this.#with({ allowRules, softDenyRules });
  }

  withMessage(message: MessageContext): ClassifierContext {
    return this.#with({ message });
  }
}
