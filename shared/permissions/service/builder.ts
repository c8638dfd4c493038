/** Builds a permission service step by step. */
import { checkSettings } from '../../domain/settings.ts';
import type { PermissionClassifier } from '../classifiers/classifier.ts';
import type { Mode, RuleInput } from '../model/types.ts';
import type { PermissionAuditSink } from './audit-sinks.ts';
import type { PermissionServiceConfig } from './config.ts';
import { SERVICE_CHECKS } from './config-checks.ts';
import type { PermissionRequestHandler } from './human-loop.ts';
import { PermissionService } from './permission-service.ts';

/**
 * Each method gives back the builder itself; `build` makes the service.
 *
 * @example
 * const service = new PermissionServiceBuilder().mode('acceptEdits').rules([]).build();
 * console.log(await service.check('Bash', { command: 'ls' }));
 */
export class PermissionServiceBuilder {
  #config: PermissionServiceConfig;

  constructor(config: PermissionServiceConfig = {}) {
    checkSettings(config, SERVICE_CHECKS);
    this.#config = config;
  }

  mode(mode: Mode): this {
    return this.with({ mode });
  }

  rules(rules: readonly RuleInput[]): this {
    return this.with({ rules });
  }

  classifier(classifier: PermissionClassifier): this {
    return this.with({ classifier });
  }

  requestHandler(requestHandler: PermissionRequestHandler): this {
    return this.with({ requestHandler });
  }

  auditSink(auditSink: PermissionAuditSink): this {
    return this.with({ auditSink });
  }

  /** Any other part of the configuration. */
  with(config: PermissionServiceConfig): this {
    checkSettings(config, SERVICE_CHECKS);
    this.#config = { ...this.#config, ...config };
    return this;
  }

  build(): PermissionService {
    return new PermissionService(this.#config);
  }
}
