/** What a classifier is told beside the call (R4-110 … R4-112). */

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

interface Fields {
  readonly workspacePath?: string | undefined;
  readonly projectType?: string | undefined;
  readonly recentFiles?: readonly string[] | undefined;
  readonly riskContext?: RiskContext | undefined;
  readonly messages?: readonly string[] | undefined;
  readonly allowRules?: readonly string[] | undefined;
  readonly softDenyRules?: readonly string[] | undefined;
}

/** Immutable, with the seed's builders. */
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

  constructor(agent: string, session: string, fields: Fields = {}) {
    this.agent = agent;
    this.session = session;
    this.workspacePath = fields.workspacePath;
    this.projectType = fields.projectType;
    this.recentFiles = fields.recentFiles ?? [];
    this.riskContext = fields.riskContext ?? NO_RISK;
    this.messages = fields.messages ?? [];
    this.allowRules = fields.allowRules ?? [];
    this.softDenyRules = fields.softDenyRules ?? [];
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
}
