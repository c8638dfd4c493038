/** Resolves the settings of a call: once for all calls of an agent that state no limits of their own. */
import type { GuardrailRuntime } from '../ports/guardrail-runtime.ts';
import { type CallLimits, limitsOf } from './limits/limits.ts';
import { ByNames } from './settings/by-names.ts';
import type { GuardrailsConfig } from './settings/config.ts';
import type { ToolIdentity } from './settings/keys.ts';
import { type ResolvedGuardrails, resolveGuardrails } from './settings/resolve.ts';
import type { InvocationLimits } from './settings/settings.ts';

/** The settings of a call, and the counters that they are counted with. */
export interface CallSettings {
  readonly tool: ToolIdentity;
  readonly resolved: ResolvedGuardrails;
  readonly limits: CallLimits;
}

/** Agents and tools whose settings are remembered: together, not each. */
const MAX_REMEMBERED = 1000;

export class SettingsResolver {
  readonly #share: boolean;
  readonly #runtime: GuardrailRuntime;
  /** The configuration that the remembered settings are of. */
  #config: GuardrailsConfig | undefined;
  #known = new ByNames<CallSettings>(MAX_REMEMBERED);

  /** `share`: one agent gets at most half of a tool's slots. */
  constructor(share: boolean, runtime: GuardrailRuntime) {
    this.#share = share;
    this.#runtime = runtime;
  }

  /** `config`: whose content stays as it is; another object is another policy. Throws `ContractError` for limits that are none. */
  of(
    config: GuardrailsConfig,
    { toolName, origin }: ToolIdentity,
    agentId: string,
    limits?: InvocationLimits,
  ): CallSettings {
    const make = () => this.#resolve(config, { toolName, origin }, agentId, limits);
    if (limits !== undefined) return make();
    if (config !== this.#config) {
      this.#config = config;
      this.#known = new ByNames(MAX_REMEMBERED);
    }
    return this.#known.get([toolName, origin, agentId], make);
  }

  #resolve(config: GuardrailsConfig, tool: ToolIdentity, agentId: string, limits?: InvocationLimits): CallSettings {
    const resolved = resolveGuardrails(config, { ...tool, agentId, limits, now: this.#runtime.now() });
    return { tool, resolved, limits: limitsOf(tool, agentId, resolved, this.#share) };
  }
}
